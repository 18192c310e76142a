package marked

import (
	"errors"
	"fmt"
	"math"

	"github.com/vivavoice/viva/pipeline/audio"
)

// Passage is a run of voiced frames of one mark.
type Passage struct {
	Mark   int
	First  int // index of its first frame
	Frames int
}

// Passages are the runs on the tape, in order.
func Passages(frames []Frame) []Passage {
	var found []Passage
	for i, f := range frames {
		n := len(found)
		switch {
		case f.Mark == None:
		case n > 0 && found[n-1].Mark == f.Mark && found[n-1].First+found[n-1].Frames == i:
			found[n-1].Frames++
		default:
			found = append(found, Passage{Mark: f.Mark, First: i, Frames: 1})
		}
	}
	return found
}

const (
	// window is how much sound is looked for at once: 480 ms.
	window = 24
	// settled is the frame of a beginning from which the codec's delay is measured; the first ones are coarser.
	settled = 5
	// codecDelay is by how much a decoded frame lags behind what was encoded, in samples at 16 kHz: libopus looks 6.5 ms ahead.
	// What it is exactly, Reader measures.
	codecDelay = 104
	// unlike is the likeness below which nothing was found.
	unlike = 0.8
)

var (
	// ErrShort says that a passage is too short for its place to be told.
	ErrShort = errors.New("the passage is too short")
	// ErrUnlike says that a passage is not what the voice said.
	ErrUnlike = errors.New("the passage does not sound like its mark")
)

// Reader finds places on a tape. All places are in samples at audio.InputRate from the beginning of the sentence.
type Reader struct {
	tape  *Tape
	delay int // measured
}

// NewReader measures the delay of the codec at a passage that begins with the beginning of its sentence.
func NewReader(t *Tape, beginning Passage) (*Reader, error) {
	r := &Reader{tape: t}
	at, err := r.place(beginning, settled, settled*audio.InputFrame-codecDelay)
	if err != nil {
		return nil, err
	}
	r.delay = settled*audio.InputFrame - at
	return r, nil
}

// Start is the place in its sentence at which the first frame of a passage begins, near one at which it is expected. It is told from
// the second frame on: the first may fade in.
func (r *Reader) Start(p Passage, expected int) (int, error) {
	at, err := r.place(p, 1, expected+audio.InputFrame)
	return at + r.delay - audio.InputFrame, err
}

// End is the place at which the last frame of a passage begins, told from those before: the last may fade out, and hold less than
// 20 ms.
func (r *Reader) End(p Passage, expected int) (int, error) {
	at, err := r.place(p, p.Frames-1-window, expected-window*audio.InputFrame)
	return at + r.delay + window*audio.InputFrame, err
}

// reach is how far from where it is expected something is looked for: 50 ms.
const reach = audio.InputRate / 20

// place looks for the window of a passage that begins with its nth frame.
func (r *Reader) place(p Passage, nth, expected int) (int, error) {
	if nth < 0 || nth+window > p.Frames {
		return 0, fmt.Errorf("%w: %d frames", ErrShort, p.Frames)
	}
	source, err := signal(p.Mark, expected+2*reach+window*audio.InputFrame)
	if err != nil {
		return 0, err
	}
	at, likeness := Locate(r.tape.sound(p.First+nth, window), source, expected-reach, expected+reach)
	if likeness < unlike {
		return at, fmt.Errorf("%w: %.2f at %d", ErrUnlike, likeness, at)
	}
	return at, nil
}

// signal is a mark's at audio.InputRate.
func signal(mark, samples int) ([]int16, error) {
	resampler, err := audio.NewResampler(audio.VoiceRate, audio.InputRate)
	if err != nil {
		return nil, err
	}
	return resampler.Flush(resampler.Resample(nil, Signal(mark, samples*audio.VoiceRate/audio.InputRate))), nil
}

// Locate finds where pcm fits best into source, beginning between two places, and how well: 1 is the same, up to its level. Outside of
// source there is silence.
func Locate(pcm, source []int16, from, to int) (at int, likeness float64) {
	own := 0.0
	for _, s := range pcm {
		own += float64(s) * float64(s)
	}
	likeness = -1
	for place := from; place <= to; place++ {
		product, other := 0.0, 0.0
		for i, s := range pcm {
			if k := place + i; k >= 0 && k < len(source) {
				product += float64(s) * float64(source[k])
				other += float64(source[k]) * float64(source[k])
			}
		}
		if l := product / math.Sqrt(own*other+1); l > likeness {
			at, likeness = place, l
		}
	}
	return at, likeness
}
