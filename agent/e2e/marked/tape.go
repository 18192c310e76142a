package marked

import (
	"math"
	"sync"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	// None is the mark of a frame in which no marked tone can be told.
	None = -1
	// threshold is the level above which a frame counts as voice, dBFS. The ducked voice is at −36.
	threshold = -50
	// purity is the share of a frame's energy that has to lie at its mark. A frame that ends one sentence and begins another
	// still has it in the longer part.
	purity = 0.3
	// resolution is that of 20 ms, in Hz: what lies so far apart is told apart, and adds up.
	resolution = 50
)

// Frame is one packet of the agent's voice as it arrived.
type Frame struct {
	At        time.Time
	Sequence  uint16
	Timestamp uint32
	Voiced    bool
	Mark      int // None where it is not voiced, or voiced by something else
}

// Tape takes down what one track brought.
type Tape struct {
	mu      sync.Mutex
	decoder *audio.Decoder
	frames  []Frame
	pcm     []int16 // audio.InputFrame samples a frame
	lost    int
}

// NewTape returns an empty tape.
func NewTape() (*Tape, error) {
	decoder, err := audio.NewDecoder()
	if err != nil {
		return nil, err
	}
	return &Tape{decoder: decoder}, nil
}

// Hear takes a packet of 20 ms; others, padding among them, are left out.
func (t *Tape) Hear(payload []byte, sequence uint16, timestamp uint32, at time.Time) {
	if len(payload) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var pcm [6 * audio.InputFrame]int16
	n, err := t.decoder.Decode(pcm[:], payload)
	if err != nil || n != audio.InputFrame {
		t.lost++
		return
	}
	if k := len(t.frames); k > 0 {
		t.lost += missing(t.frames[k-1], sequence)
	}
	f := Frame{At: at, Sequence: sequence, Timestamp: timestamp, Mark: None}
	if f.Voiced = audio.Level(pcm[:n]) > threshold; f.Voiced {
		f.Mark = markOf(pcm[:n])
	}
	t.frames = append(t.frames, f)
	t.pcm = append(t.pcm, pcm[:n]...)
}

// missing counts the packets between one and the next; numbers are modulo 2^16.
func missing(last Frame, sequence uint16) int {
	if step := int16(sequence - last.Sequence); step != 1 {
		return max(1, int(step)-1)
	}
	return 0
}

// Frames are those heard so far, in order of arrival.
func (t *Tape) Frames() []Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Frame(nil), t.frames...)
}

// Lost counts packets that never came, came in another order, or were no 20 ms of Opus. With any, places are not to be trusted.
func (t *Tape) Lost() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// sound is what so many frames held.
func (t *Tape) sound(first, frames int) []int16 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]int16(nil), t.pcm[first*audio.InputFrame:(first+frames)*audio.InputFrame]...)
}

// markOf finds the mark with the most energy.
func markOf(pcm []int16) int {
	total := 0.0
	for _, s := range pcm {
		total += float64(s) * float64(s)
	}
	best, most := None, 0.0
	for mark := range Marks {
		e := energy(pcm, frequency(mark)-resolution) + energy(pcm, frequency(mark)) + energy(pcm, frequency(mark)+resolution)
		if e > most {
			best, most = mark, e
		}
	}
	if most < purity*total {
		return None
	}
	return best
}

// energy is what of the samples' energy lies at a frequency: Goertzel's algorithm, scaled so that a steady tone gives all of its own.
func energy(pcm []int16, hertz float64) float64 {
	c := 2 * math.Cos(2*math.Pi*hertz/audio.InputRate)
	a, b := 0.0, 0.0
	for _, s := range pcm {
		a, b = float64(s)+c*a-b, a
	}
	return 2 * (a*a + b*b - c*a*b) / float64(len(pcm))
}

// Stale counts the frames of marks below first that came after a frame of first or of a later mark: frames of what had been cut,
// heard when something newer was being said.
func Stale(frames []Frame, first int) int {
	begun, n := false, 0
	for _, f := range frames {
		begun = begun || f.Mark >= first
		if begun && f.Mark != None && f.Mark < first {
			n++
		}
	}
	return n
}
