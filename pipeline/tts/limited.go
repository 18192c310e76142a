package tts

import (
	"context"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

const (
	// firstRead is how many samples an attempt waits for at most before its speech counts as begun (20 ms at 48 kHz).
	firstRead = 960
	// maxAudio bounds the length of a piece of speech.
	maxAudio = 3 * time.Minute
)

// Limited guards a synthesizer with limits and retries. The guarded engine must end a wait promptly when its context is
// cancelled.
type Limited struct {
	name   string
	engine Synthesizer
	limits fault.Limits
}

var _ Synthesizer = (*Limited)(nil)

// NewLimited guards s; name is the engine's name in errors.
func NewLimited(name string, s Synthesizer, l fault.Limits) *Limited {
	return &Limited{name: name, engine: s, limits: l}
}

// Synthesize starts speech and waits for its first samples, trying again as the limits allow. Speech without a sample is an
// error of kind Empty.
func (l *Limited) Synthesize(ctx context.Context, r Request) (Audio, error) {
	a := &limitedAudio{}
	open := func(ctx context.Context) (Audio, error) { return l.engine.Synthesize(ctx, r) }
	var err error
	if a.Watch, err = fault.Open(ctx, "speak", l.name, l.limits, open, a.begun.fill); err != nil {
		return nil, err
	}
	a.left = int64(maxAudio.Seconds() * float64(a.Rate()))
	return a, nil
}

type limitedAudio struct {
	*fault.Watch[Audio]

	left  int64 // samples still allowed
	begun head
	err   error // repeated once set
}

func (a *limitedAudio) Rate() int { return a.Stream.Rate() }

func (a *limitedAudio) Read(pcm []int16) (int, error) {
	if a.err != nil || len(pcm) == 0 {
		return 0, a.err
	}
	n := a.begun.take(pcm)
	if n == 0 {
		a.err = a.Wait(func() (err error) {
			n, err = a.Stream.Read(pcm)
			return err
		})
	}
	if a.left -= int64(n); a.left < 0 {
		n, a.err = 0, a.TooMuch()
	}
	if n > 0 {
		return n, nil // an error that came with samples is told by the next call
	}
	return 0, a.err
}

// head holds the first samples of speech, read ahead to know that it has begun.
type head struct {
	buf   [firstRead]int16
	start int
	end   int
}

func (h *head) fill(a Audio) error {
	n, err := a.Read(h.buf[:])
	h.start, h.end = 0, n
	if n > 0 {
		return nil
	}
	return err
}

func (h *head) take(pcm []int16) int {
	n := copy(pcm, h.buf[h.start:h.end])
	h.start += n
	return n
}
