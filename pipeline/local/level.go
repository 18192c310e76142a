package local

import "math"

const (
	// wantedLevel is the root-mean-square level of speech that the acoustic model was trained around (-23 dBFS).
	wantedLevel = 2300.0
	// maxGain bounds the amplification (20 dB), so that noise is not taken for speech.
	maxGain = 10.0
	// levelWindow is over how many samples a level is measured (20 ms), levelFade by how much the loudest level known
	// fades per window (half in 7 s).
	levelWindow = 320
	levelFade   = 0.998
	// noiseLevel is what is not yet taken for speech (-55 dBFS).
	noiseLevel = 58.0
)

// leveller raises quiet speech to the level that the recogniser expects. It never makes loud speech quieter. The loudest
// recent window stands for the speaker's level.
type leveller struct {
	loudest float64
	gain    float64
}

// apply scales pcm in place and returns it.
func (l *leveller) apply(pcm []int16) []int16 {
	for start := 0; start < len(pcm); start += levelWindow {
		l.scale(pcm[start:min(start+levelWindow, len(pcm))])
	}
	return pcm
}

func (l *leveller) scale(window []int16) {
	var energy float64
	for _, s := range window {
		energy += float64(s) * float64(s)
	}
	level := math.Sqrt(energy / float64(len(window)))
	l.loudest = max(level, l.loudest*levelFade)
	gain := 1.0
	if l.loudest > noiseLevel {
		gain = max(1, min(wantedLevel/l.loudest, maxGain))
	}
	if l.gain == 0 {
		l.gain = gain
	}
	step := (gain - l.gain) / float64(len(window)) // a straight line from the last gain, no click
	for i, s := range window {
		l.gain += step
		window[i] = int16(max(math.MinInt16, min(math.Round(float64(s)*l.gain), math.MaxInt16)))
	}
	l.gain = gain
}
