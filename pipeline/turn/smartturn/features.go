package smartturn

import (
	"math"

	"github.com/vivavoice/viva/pipeline/turn/mel"
)

// The front end of Whisper (Radford et al. 2022, §2.2) as Smart Turn v3 uses it: the last 8 s of sound at 16 kHz, normalised to
// zero mean and unit variance, in windows of 25 ms every 10 ms, on 80 mel bands.
const (
	Samples = 8 * rate // what a question is cut or padded to
	Bins    = 80       // mel bands
	Frames  = Samples / hop

	rate   = mel.Rate
	window = mel.Window
	hop    = 160 // samples: 10 ms
)

const (
	varianceFloor = 1e-7 // keeps silence finite
	dynamicRange  = 8    // in powers of ten below the loudest; what is quieter is raised to that
)

// Extractor computes features. It keeps its tables and buffers, 1.6 MB, and belongs to one goroutine.
type Extractor struct {
	spectrum *mel.Spectrum
	filters  []mel.Filter
	wave     []float64 // Samples, and half a window on either side
	powers   [2][mel.Lines]float64
}

// NewExtractor prepares the tables.
func NewExtractor() *Extractor {
	return &Extractor{spectrum: mel.NewSpectrum(), filters: mel.Filters(Bins, 0, rate/2), wave: make([]float64, Samples+window)}
}

// Features writes the log-mel features of the last 8 s of pcm, 16 kHz mono, to dst, which holds Bins×Frames values, bin by bin.
// Shorter sound is padded with silence in front, as the model learned it. Values lie within about ±2. It keeps neither slice and
// does not allocate.
func (x *Extractor) Features(dst []float32, pcm []int16) {
	x.normalise(pcm)
	x.reflect()
	loudest := math.Inf(-1)
	for t := 0; t < Frames; t += 2 {
		x.spectrum.Powers(&x.powers[0], &x.powers[1], x.wave[t*hop:], x.wave[(t+1)*hop:])
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

// project writes the logarithms of frame t's bands and returns the largest.
func (x *Extractor) project(dst []float32, t int, power *[mel.Lines]float64) (loudest float64) {
	loudest = math.Inf(-1)
	for m, filter := range x.filters {
		v := filter.Log(power)
		dst[m*Frames+t] = float32(v)
		loudest = max(loudest, v)
	}
	return loudest
}
