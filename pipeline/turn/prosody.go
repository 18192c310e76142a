package turn

import (
	"math"

	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	// toneWindow is what one measurement of pitch and level looks at (32 ms), toneHop how far apart they are (16 ms).
	toneWindow = 512
	toneHop    = 256
	// toneRing is how many measurements are kept: 2 s.
	toneRing = 128
	// settle is how fast the usual pitch and level of a voice follow: 1 s of voiced sound.
	settle = 1.0 / 64
	// fall is how far below the usual level of the voice sound no longer belongs to a word, in dB.
	fall = 22
)

// tone is the sound of one window.
type tone struct {
	level     float64 // dBFS
	semitones float64 // pitch above 1 Hz; 0 where the window has none
}

func (t tone) voiced() bool { return t.semitones > 0 }

// Prosody follows the melody of one voice: pitch and level every 16 ms, for the last 2 s, and what is usual for the voice. The
// zero value has heard nothing. It allocates nothing and is for one goroutine.
type Prosody struct {
	window [toneWindow]int16 // the last samples
	fresh  int               // samples of the window's second half that are new
	end    int64             // position behind the last measurement
	tones  [toneRing]tone
	count  int

	pitch, level float64 // usual for the voice, in semitones and dBFS
	known        bool
}

// Hear takes the next samples, 16 kHz mono from position at on, and whether they are speech: only speech counts towards what is
// usual for the voice. It does not keep pcm.
func (p *Prosody) Hear(pcm []int16, at int64, speech bool) {
	if at != p.end+int64(p.fresh) { // audio is missing
		p.count, p.fresh, p.end = 0, 0, at
		clear(p.window[:])
	}
	for len(pcm) > 0 {
		n := copy(p.window[toneWindow-toneHop+p.fresh:], pcm)
		p.fresh += n
		pcm = pcm[n:]
		if p.fresh == toneHop {
			p.measure(speech)
			copy(p.window[:], p.window[toneHop:])
			p.fresh = 0
			p.end += toneHop
		}
	}
}

func (p *Prosody) measure(speech bool) {
	t := tone{level: audio.Level(p.window[:])}
	if speech || t.level > p.level-fall {
		if hz := Pitch(&p.window); hz > 0 {
			t.semitones = 12 * math.Log2(hz)
		}
	}
	p.tones[p.count%toneRing] = t
	p.count++
	if speech && t.voiced() {
		p.learn(t)
	}
}

func (p *Prosody) learn(t tone) {
	if !p.known {
		p.known, p.pitch, p.level = true, t.semitones, t.level
		return
	}
	p.pitch += settle * (t.semitones - p.pitch)
	p.level += settle * (t.level - p.level)
}

// at returns the i-th measurement before the last one, and whether it is still kept.
func (p *Prosody) at(i int) (tone, bool) {
	if i < 0 || i >= min(p.count, toneRing) {
		return tone{}, false
	}
	return p.tones[(p.count-1-i)%toneRing], true
}

// Tail is the melody at the end of speech. The zero value says nothing.
type Tail struct {
	// Known says that the tail was heard.
	Known bool
	// PitchSlope is in semitones per second over the last 0.4 s of sound, PitchEnd the last voiced 80 ms against what is usual
	// for the voice, in semitones.
	PitchSlope, PitchEnd float64
	// LevelSlope is in dB per second over the last 0.3 s of sound, LevelEnd its last 0.15 s against the usual level, in dB.
	LevelSlope, LevelEnd float64
	// Lengthening is how long the last voiced run is, in seconds, at most 0.6.
	Lengthening float64
}

// Windows of Tail, in measurements.
const (
	pitchTail  = 25 // 0.4 s
	levelTail  = 19 // 0.3 s
	closeTail  = 9  // 0.15 s
	lastVoiced = 5  // 80 ms
	longestRun = 37 // 0.6 s
)

// Tail measures the end of the speech that ended at position end. It looks for the last sound that belongs to a word itself, because
// voice activity ends a little late.
func (p *Prosody) Tail(end int64) Tail {
	last := max(int((p.end-end)/toneHop), 0)
	for {
		t, ok := p.at(last)
		if !ok {
			return Tail{}
		}
		if t.level > p.level-fall {
			break
		}
		last++
	}
	if !p.known {
		return Tail{}
	}
	out := Tail{Known: true, Lengthening: p.lengthening(last)}
	p.pitchTail(last, &out)
	p.levelTail(last, &out)
	return out
}

func (p *Prosody) pitchTail(last int, out *Tail) {
	var line fit
	sum, n := 0.0, 0
	for i := last; i < last+pitchTail; i++ {
		t, ok := p.at(i)
		if !ok || !t.voiced() || math.Abs(t.semitones-p.pitch) > 10 { // an octave off is a misreading
			continue
		}
		line.add(-float64(i)*toneHop/Rate, t.semitones)
		if n < lastVoiced {
			sum += t.semitones
			n++
		}
	}
	if n == 0 {
		return
	}
	out.PitchEnd = sum/float64(n) - p.pitch
	out.PitchSlope = line.slope()
}

func (p *Prosody) levelTail(last int, out *Tail) {
	var line fit
	sum, n := 0.0, 0
	for i := last; i < last+levelTail; i++ {
		t, ok := p.at(i)
		if !ok {
			break
		}
		line.add(-float64(i)*toneHop/Rate, t.level)
		if n < closeTail {
			sum += t.level
			n++
		}
	}
	out.LevelEnd = sum/float64(n) - p.level
	out.LevelSlope = line.slope()
}

// lengthening is the length of the last voiced run; up to 0.15 s of unvoiced sound may follow it.
func (p *Prosody) lengthening(last int) float64 {
	first := last
	for ; first < last+closeTail; first++ {
		if t, ok := p.at(first); !ok || t.voiced() {
			break
		}
	}
	run := 0
	for ; run < longestRun; run++ {
		if t, ok := p.at(first + run); !ok || !t.voiced() {
			break
		}
	}
	return float64(run) * toneHop / Rate
}

// fit is a straight line by least squares.
type fit struct{ n, x, y, xx, xy float64 }

func (f *fit) add(x, y float64) {
	f.n++
	f.x += x
	f.y += y
	f.xx += x * x
	f.xy += x * y
}

// slope is 0 for fewer than four points.
func (f *fit) slope() float64 {
	spread := f.n*f.xx - f.x*f.x
	if f.n < 4 || spread <= 0 {
		return 0
	}
	return (f.n*f.xy - f.x*f.y) / spread
}
