package turneval

import (
	"math"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/turn"
)

// speechLevel is what all speech is brought to, in dBFS over its sounding parts.
const speechLevel = -26.0

const (
	tick = turn.Rate / 100 // levels are measured over 10 ms
	// audible is how far below the loudest 10 ms sound still counts, in dB.
	audible = 35.0
)

// ms converts milliseconds to samples.
func ms(n int) int { return n * turn.Rate / 1000 }

// loudest is the level of the loudest 10 ms.
func loudest(pcm []int16) float64 {
	top := audio.MinLevel
	for at := 0; at+tick <= len(pcm); at += tick {
		top = max(top, audio.Level(pcm[at:at+tick]))
	}
	return top
}

// trim returns where the sound of pcm begins and truly ends.
func trim(pcm []int16) (from, to int) {
	floor := loudest(pcm) - audible
	from = len(pcm)
	for at := 0; at+tick <= len(pcm); at += tick {
		if audio.Level(pcm[at:at+tick]) > floor {
			from, to = min(from, at), at+tick
		}
	}
	return min(from, to), to
}

// activeLevel is the level over the sounding parts of pcm.
func activeLevel(pcm []int16) float64 {
	floor := loudest(pcm) - audible
	power, n := 0.0, 0
	for at := 0; at+tick <= len(pcm); at += tick {
		if l := audio.Level(pcm[at : at+tick]); l > floor {
			power += math.Pow(10, l/10)
			n++
		}
	}
	if n == 0 {
		return audio.MinLevel
	}
	return 10 * math.Log10(power/float64(n))
}

// amplify scales pcm in place by a gain in dB, clipping.
func amplify(pcm []int16, db float64) {
	gain := decibels(db)
	for i, s := range pcm {
		pcm[i] = round16(float64(s) * gain)
	}
}

func decibels(db float64) float64 { return math.Pow(10, db/20) }

func round16(v float64) int16 { return int16(max(math.MinInt16, min(math.Round(v), math.MaxInt16))) }

// normalise brings the sounding parts of pcm to speechLevel, in place.
func normalise(pcm []int16) { amplify(pcm, speechLevel-activeLevel(pcm)) }

// soften fades 8 ms at both ends in place, so that a cut makes no click.
func soften(pcm []int16) {
	n := min(ms(8), len(pcm)/2)
	audio.FadeIn(pcm[:n])
	audio.FadeOut(pcm[len(pcm)-n:])
}
