package audio

import "math"

// MinLevel is the level, in dBFS, given to silence: it is just below that of the quietest sound that 16 bits hold.
const MinLevel = -96.0

// Level returns the root-mean-square level of pcm in dBFS, where 0 is a square wave at full scale; never below MinLevel.
func Level(pcm []int16) float64 {
	if len(pcm) == 0 {
		return MinLevel
	}
	var sum int64
	for _, v := range pcm {
		sum += int64(v) * int64(v)
	}
	power := float64(sum) / float64(len(pcm)) / (32768 * 32768)
	return max(MinLevel, 10*math.Log10(power))
}

// FadeIn raises pcm linearly from silence to its own level.
func FadeIn(pcm []int16) {
	n := int64(len(pcm))
	for i := range pcm {
		pcm[i] = int16(int64(pcm[i]) * int64(i) / n)
	}
}

// FadeOut lowers pcm linearly from its own level to silence.
func FadeOut(pcm []int16) {
	n := int64(len(pcm))
	for i := range pcm {
		pcm[i] = int16(int64(pcm[i]) * (n - 1 - int64(i)) / n)
	}
}

// Gain scales a stream and moves between gains in a straight line, so that ducking makes no click. Use NewGain.
type Gain struct {
	current, target, step float32
}

// NewGain returns a gain of 1.
func NewGain() *Gain { return &Gain{current: 1, target: 1} }

// Set moves to the gain target (a factor; 0 is silence) over the next ramp samples, or at once if ramp is not positive.
func (g *Gain) Set(target float32, ramp int) {
	g.target = target
	if ramp <= 0 {
		g.current = target
		return
	}
	g.step = (target - g.current) / float32(ramp)
}

// Settled reports whether the last ramp has ended.
func (g *Gain) Settled() bool { return g.current == g.target }

// Apply scales the next samples of the stream in place, clipping at full scale.
func (g *Gain) Apply(pcm []int16) {
	if g.Settled() && g.current == 1 {
		return
	}
	for i := range pcm {
		if g.current != g.target {
			g.advance()
		}
		pcm[i] = toInt16(float32(pcm[i]) * g.current)
	}
}

func (g *Gain) advance() {
	g.current += g.step
	if (g.step >= 0) == (g.current >= g.target) {
		g.current = g.target
	}
}

// Decibels returns the factor of a gain in dB: Decibels(-6) is about 0.5.
func Decibels(db float64) float32 { return float32(math.Pow(10, db/20)) }

// toInt16 rounds to the nearest sample value and clips at full scale.
func toInt16(v float32) int16 {
	switch {
	case v >= math.MaxInt16:
		return math.MaxInt16
	case v <= math.MinInt16:
		return math.MinInt16
	case v < 0:
		return int16(v - 0.5)
	}
	return int16(v + 0.5)
}
