// Package mel gives the spectrum of short windows of sound on the mel scale, for models that judge turns by their sound. A Spectrum belongs
// to one goroutine; nothing allocates but what makes tables.
package mel

import (
	"math"
	"math/cmplx"
)

const (
	// Rate of the sound in Hz.
	Rate = 16000
	// Window is what one spectrum looks at, in samples: 25 ms.
	Window = 400
	// Lines is the number of spectral lines, 40 Hz apart.
	Lines = Window/2 + 1

	powerFloor = 1e-10 // before the logarithm
)

// Spectrum computes power spectra under a Hann window.
type Spectrum struct {
	hann       [Window]float64
	fft        *transform
	frame, out [Window]complex128
}

// NewSpectrum prepares the tables.
func NewSpectrum() *Spectrum {
	s := &Spectrum{fft: newTransform()}
	for i := range s.hann {
		s.hann[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/Window)
	}
	return s
}

// Powers computes the power spectra of the first Window samples of two sounds at once: of a real and an imaginary signal the spectra can
// be told apart by symmetry.
func (s *Spectrum) Powers(a, b *[Lines]float64, first, second []float64) {
	for i, w := range s.hann {
		s.frame[i] = complex(first[i]*w, second[i]*w)
	}
	s.fft.run(s.out[:], s.frame[:])
	for k := range Lines {
		x, y := s.out[k], cmplx.Conj(s.out[(Window-k)%Window])
		a[k] = square(x+y) / 4
		b[k] = square(x-y) / 4
	}
}

func square(c complex128) float64 { return real(c)*real(c) + imag(c)*imag(c) }

// Filter is a triangle over the spectral lines from one on.
type Filter struct {
	first   int
	weights []float64
}

// Log is the decimal logarithm of the power that the filter lets through.
func (f *Filter) Log(power *[Lines]float64) float64 {
	sum := 0.0
	for i, w := range f.weights {
		sum += w * power[f.first+i]
	}
	return math.Log10(max(sum, powerFloor))
}

// Filters are n triangles between neighbouring points of the mel scale, between two frequencies in Hz, each of area 1.
func Filters(n int, low, high float64) []Filter {
	from, span := mel(low), mel(high)-mel(low)
	edge := func(i int) float64 { return hertz(from + span*float64(i)/float64(n+1)) }
	filters := make([]Filter, n)
	for m := range filters {
		low, peak, high := edge(m), edge(m+1), edge(m+2)
		for k := range Lines {
			f := float64(k) * Rate / Window
			w := min((f-low)/(peak-low), (high-f)/(high-peak)) * 2 / (high - low)
			if w <= 0 {
				continue
			}
			if filters[m].weights == nil {
				filters[m].first = k
			}
			filters[m].weights = append(filters[m].weights, w)
		}
	}
	return filters
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
