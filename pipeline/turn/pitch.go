package turn

// PitchSamples is what Pitch looks at: 32 ms.
const PitchSamples = toneWindow

// Sizes of the pitch analysis. Pitch is looked for at 8 kHz: the fundamental of a voice needs no more.
const (
	pitchRate   = Rate / 2
	pitchWindow = toneWindow / 2
	lowestLag   = pitchRate / 400 // 400 Hz, a high voice
	highestLag  = pitchRate / 70  // 70 Hz, a low one
	pitchSpan   = pitchWindow - highestLag
	// periodic is the normalised difference under which a window counts as periodic: YIN's absolute threshold (de Cheveigné and
	// Kawahara, 2002, recommend 0.1 to 0.2).
	periodic = 0.2
)

// Pitch returns the fundamental frequency of a window in Hz, or 0 where it has none, by the YIN method: the first deep dip of the
// squared difference between the window and itself, delayed, divided by its mean over the shorter delays.
func Pitch(window *[PitchSamples]int16) float64 {
	var x [pitchWindow]float32
	for i := range x {
		x[i] = (float32(window[2*i]) + float32(window[2*i+1])) * 0.5
	}
	var normal [highestLag + 1]float32
	sum := float32(0)
	for lag := 1; lag <= highestLag; lag++ {
		d := difference(&x, lag)
		sum += d
		normal[lag] = 1
		if sum > 0 {
			normal[lag] = d * float32(lag) / sum
		}
	}
	lag := dip(&normal)
	if lag == 0 {
		return 0
	}
	return pitchRate / refine(&normal, lag)
}

func difference(x *[pitchWindow]float32, lag int) (d float32) {
	a, b := x[:pitchSpan], x[lag:lag+pitchSpan]
	for i := range a {
		v := a[i] - b[i]
		d += v * v
	}
	return d
}

// dip finds the bottom of the first dip below the threshold, 0 for none.
func dip(normal *[highestLag + 1]float32) int {
	for lag := lowestLag; lag <= highestLag; lag++ {
		if normal[lag] >= periodic {
			continue
		}
		for lag < highestLag && normal[lag+1] < normal[lag] {
			lag++
		}
		return lag
	}
	return 0
}

// refine places the bottom between lags by the parabola through its neighbours.
func refine(normal *[highestLag + 1]float32, lag int) float64 {
	if lag == highestLag {
		return float64(lag)
	}
	before, at, after := float64(normal[lag-1]), float64(normal[lag]), float64(normal[lag+1])
	curve := before - 2*at + after
	if curve <= 0 {
		return float64(lag)
	}
	return float64(lag) + 0.5*(before-after)/curve
}
