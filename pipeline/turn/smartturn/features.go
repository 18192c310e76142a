package smartturn

import (
	"math"
	"math/cmplx"
)

// The front end of Whisper (Radford et al. 2022, §2.2) as Smart Turn v3 uses it: the last 8 s of sound at 16 kHz, normalised to
// zero mean and unit variance, in windows of 25 ms every 10 ms, on 80 mel bands.
const (
	Samples = 8 * rate // what a question is cut or padded to
	Bins    = 80       // mel bands
	Frames  = Samples / hop

	rate   = 16000 // Hz
	window = 400   // samples: 25 ms
	hop    = 160   // samples: 10 ms
	lines  = window/2 + 1
)

const (
	varianceFloor = 1e-7  // keeps silence finite
	powerFloor    = 1e-10 // before the logarithm
	dynamicRange  = 8     // in powers of ten below the loudest; what is quieter is raised to that
)

// Extractor computes features. It keeps its tables and buffers, 1.6 MB, and belongs to one goroutine.
type Extractor struct {
	hann   [window]float64
	bands  []band
	fft    *transform
	wave   []float64 // Samples, and half a window on either side
	frame  [window]complex128
	out    [window]complex128
	powers [2][lines]float64
}

// band is one triangular filter: weights of the spectral lines from first on.
type band struct {
	first   int
	weights []float64
}

// NewExtractor prepares the tables.
func NewExtractor() *Extractor {
	x := &Extractor{bands: melBands(), fft: newTransform(), wave: make([]float64, Samples+window)}
	for i := range x.hann {
		x.hann[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/window)
	}
	return x
}

// Features writes the log-mel features of the last 8 s of pcm, 16 kHz mono, to dst, which holds Bins×Frames values, bin by bin.
// Shorter sound is padded with silence in front, as the model learned it. Values lie within about ±2. It keeps neither slice and
// does not allocate.
func (x *Extractor) Features(dst []float32, pcm []int16) {
	x.normalise(pcm)
	x.reflect()
	loudest := math.Inf(-1)
	for t := 0; t < Frames; t += 2 {
		x.spectra(t)
		for i := range x.powers {
			loudest = max(loudest, x.project(dst, t+i, &x.powers[i]))
		}
	}
	floor := float32(loudest - dynamicRange)
	for i, v := range dst {
		dst[i] = (max(v, floor) + 4) / 4
	}
}

// normalise fills the middle of wave with zero mean and unit variance, silence in front included.
func (x *Extractor) normalise(pcm []int16) {
	pcm = pcm[max(0, len(pcm)-Samples):]
	wave := x.wave[window/2 : window/2+Samples]
	padding := Samples - len(pcm)
	clear(wave[:padding])
	sum, squares := 0.0, 0.0
	for i, v := range pcm {
		s := float64(v) / 32768
		wave[padding+i] = s
		sum += s
		squares += s * s
	}
	mean := sum / Samples
	scale := 1 / math.Sqrt(squares/Samples-mean*mean+varianceFloor)
	for i, s := range wave {
		wave[i] = (s - mean) * scale
	}
}

// reflect mirrors the sound at both ends, so that the first and the last window are whole.
func (x *Extractor) reflect() {
	const half = window / 2
	for i := 1; i <= half; i++ {
		x.wave[half-i] = x.wave[half+i]
		x.wave[half+Samples-1+i] = x.wave[half+Samples-1-i]
	}
}

// spectra computes the power spectra of frames t and t+1 at once: of a real and an imaginary signal the spectra can be told
// apart by symmetry.
func (x *Extractor) spectra(t int) {
	first, second := x.wave[t*hop:], x.wave[(t+1)*hop:]
	for i, w := range x.hann {
		x.frame[i] = complex(first[i]*w, second[i]*w)
	}
	x.fft.run(x.out[:], x.frame[:])
	for k := range lines {
		a, b := x.out[k], cmplx.Conj(x.out[(window-k)%window])
		x.powers[0][k] = square(a+b) / 4
		x.powers[1][k] = square(a-b) / 4
	}
}

func square(c complex128) float64 { return real(c)*real(c) + imag(c)*imag(c) }

// project writes the logarithms of frame t's bands and returns the largest.
func (x *Extractor) project(dst []float32, t int, power *[lines]float64) (loudest float64) {
	loudest = math.Inf(-1)
	for m, b := range x.bands {
		sum := 0.0
		for i, w := range b.weights {
			sum += w * power[b.first+i]
		}
		v := math.Log10(max(sum, powerFloor))
		dst[m*Frames+t] = float32(v)
		loudest = max(loudest, v)
	}
	return loudest
}

// melBands are triangles between neighbouring points of the mel scale, from 0 Hz to half the rate, each of area 1.
func melBands() []band {
	edge := func(i int) float64 { return hertz(mel(rate/2) * float64(i) / (Bins + 1)) }
	bands := make([]band, Bins)
	for m := range bands {
		low, peak, high := edge(m), edge(m+1), edge(m+2)
		for k := range lines {
			f := float64(k) * rate / window
			w := min((f-low)/(peak-low), (high-f)/(high-peak)) * 2 / (high - low)
			if w <= 0 {
				continue
			}
			if bands[m].weights == nil {
				bands[m].first = k
			}
			bands[m].weights = append(bands[m].weights, w)
		}
	}
	return bands
}

// The mel scale of Slaney's Auditory Toolbox (1998), linear below 1 kHz and logarithmic above.
const (
	linearEnd  = 1000.0    // Hz
	linearMels = 15        // of linearEnd
	logMels    = 27        // mels for a factor of logFactor
	logFactor  = 6.4       // in frequency
	hertzAMel  = 200.0 / 3 // below linearEnd
)

func mel(f float64) float64 {
	if f < linearEnd {
		return f / hertzAMel
	}
	return linearMels + logMels*math.Log(f/linearEnd)/math.Log(logFactor)
}

func hertz(m float64) float64 {
	if m < linearMels {
		return m * hertzAMel
	}
	return linearEnd * math.Exp((m-linearMels)*math.Log(logFactor)/logMels)
}
