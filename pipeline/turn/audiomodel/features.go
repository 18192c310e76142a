package audiomodel

import (
	"math"
	"slices"

	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/turn/mel"
)

// What the network sees: Frames of 20 ms, the last of them the end of the sound, each with Channels values.
const (
	// Frames is how many there are: 2.56 s.
	Frames = 128
	// Channels of a frame: Bins mel bands, whether it is voiced, and its pitch.
	Channels = Bins + 2
	// Bins is the number of mel bands, between lowest and highest: what a telephone lets through.
	Bins = 20

	lowest, highest = 100, 3800 // Hz

	hop = 320 // samples from frame to frame: 20 ms
	// reach is how far a frame's pitch reaches to either side of its middle, and by how much the last middle lies before the end.
	reach = turn.PitchSamples / 2
	span  = (Frames-1)*hop + 2*reach // samples that are looked at
)

const (
	// sounding is how far below the loudest a frame still counts as speech, in powers of ten: 30 dB. Of those the mean of each band is taken off,
	// so that neither the level nor the line counts.
	sounding = 3.0
	// quietest and loudest bound what is left, in powers of ten.
	quietest, loudest = -4.0, 2.0
	// melody is what a pitch of 1 is above the middle of the voiced frames, in semitones; it is bounded by ±2.
	melody = 6.0
)

// Extractor computes features. It keeps its tables and buffers and belongs to one goroutine.
type Extractor struct {
	spectrum *mel.Spectrum
	filters  []mel.Filter
	sound    [span]int16
	wave     [span]float64
	powers   [2][mel.Lines]float64
	bands    [Frames][Bins]float64
	energy   [Frames]float64
	pitches  [Frames]float64 // semitones, 0 for none
	voiced   []float64
}

// NewExtractor prepares the tables.
func NewExtractor() *Extractor {
	return &Extractor{spectrum: mel.NewSpectrum(), filters: mel.Filters(Bins, lowest, highest), voiced: make([]float64, 0, Frames)}
}

// Features writes those of the end of pcm, 16 kHz mono, to dst, frame by frame; what is missing in front is silence. dst holds Frames×Channels
// values, which lie within ±2. It keeps neither slice and does not allocate.
func (x *Extractor) Features(dst []float32, pcm []int16) {
	x.load(pcm)
	x.spectra()
	x.melody()
	means := x.means()
	middle, known := x.middle()
	for t := range Frames {
		to := dst[t*Channels:][:Channels]
		for i, v := range x.bands[t] {
			to[i] = float32(min(max(v-means[i], quietest), loudest) / 2)
		}
		to[Bins], to[Bins+1] = 0, 0
		if p := x.pitches[t]; p > 0 && known {
			to[Bins], to[Bins+1] = 1, float32(min(max((p-middle)/melody, -2), 2))
		}
	}
}

func (x *Extractor) load(pcm []int16) {
	pcm = pcm[max(0, len(pcm)-span):]
	clear(x.sound[:span-len(pcm)])
	copy(x.sound[span-len(pcm):], pcm)
	for i, v := range x.sound {
		x.wave[i] = float64(v) / 32768
	}
}

func (x *Extractor) spectra() {
	const before = reach - mel.Window/2
	for t := 0; t < Frames; t += 2 {
		x.spectrum.Powers(&x.powers[0], &x.powers[1], x.wave[t*hop+before:], x.wave[(t+1)*hop+before:])
		for i := range x.powers {
			sum := 0.0
			for m := range x.filters {
				v := x.filters[m].Log(&x.powers[i])
				x.bands[t+i][m] = v
				sum += math.Pow(10, v)
			}
			x.energy[t+i] = math.Log10(sum)
		}
	}
}

// melody finds the pitch of the frames that sound.
func (x *Extractor) melody() {
	floor := slices.Max(x.energy[:]) - sounding
	for t := range Frames {
		x.pitches[t] = 0
		if x.energy[t] < floor {
			continue
		}
		if hz := turn.Pitch((*[turn.PitchSamples]int16)(x.sound[t*hop:])); hz > 0 {
			x.pitches[t] = 12 * math.Log2(hz)
		}
	}
}

// means are those of each band over the frames that sound.
func (x *Extractor) means() (means [Bins]float64) {
	floor, n := slices.Max(x.energy[:])-sounding, 0.0
	for t := range Frames {
		if x.energy[t] < floor {
			continue
		}
		n++
		for i, v := range x.bands[t] {
			means[i] += v
		}
	}
	for i := range means {
		means[i] /= n // one frame is the loudest
	}
	return means
}

// middle is the median pitch.
func (x *Extractor) middle() (semitones float64, known bool) {
	x.voiced = x.voiced[:0]
	for _, p := range x.pitches {
		if p > 0 {
			x.voiced = append(x.voiced, p)
		}
	}
	if len(x.voiced) == 0 {
		return 0, false
	}
	slices.Sort(x.voiced)
	return x.voiced[len(x.voiced)/2], true
}
