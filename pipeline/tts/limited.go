package tts

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

// firstRead is how many samples an attempt waits for at most before its speech counts as begun (20 ms at 48 kHz).
const firstRead = 960

// Limits bounds one piece of speech. A zero field takes the default of DefaultLimits.
type Limits struct {
	// FirstAudio bounds the wait for the first samples of an attempt, connecting included.
	FirstAudio time.Duration
	// Gap bounds the wait inside one Read.
	Gap time.Duration
	// Total bounds the sum of all waits for the engine; the time the reader takes does not count.
	Total time.Duration
	// MaxAudio bounds the length of the speech.
	MaxAudio time.Duration
	// Retry says when to try again before the first samples. nil means fault.LiveRetry.
	Retry *fault.Retry
}

// DefaultLimits are those of a live conversation.
func DefaultLimits() Limits {
	retry := fault.LiveRetry()
	return Limits{
		FirstAudio: 5 * time.Second, Gap: 3 * time.Second, Total: 60 * time.Second,
		MaxAudio: 3 * time.Minute, Retry: &retry,
	}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.FirstAudio == 0 {
		l.FirstAudio = d.FirstAudio
	}
	if l.Gap == 0 {
		l.Gap = d.Gap
	}
	if l.Total == 0 {
		l.Total = d.Total
	}
	if l.MaxAudio == 0 {
		l.MaxAudio = d.MaxAudio
	}
	if l.Retry == nil {
		l.Retry = d.Retry
	}
	return l
}

// Limited guards a synthesizer with limits and retries. The guarded engine must end a wait promptly when its context is
// cancelled.
type Limited struct {
	name   string
	engine Synthesizer
	limits Limits
}

var _ Synthesizer = (*Limited)(nil)

// NewLimited guards s; name is the engine's name in errors.
func NewLimited(name string, s Synthesizer, l Limits) *Limited {
	return &Limited{name: name, engine: s, limits: l.orDefault()}
}

// Synthesize starts speech and waits for its first samples, trying again as the limits allow. Speech without a sample is an
// error of kind Empty.
func (l *Limited) Synthesize(ctx context.Context, r Request) (Audio, error) {
	var a *limitedAudio
	err := l.limits.Retry.Do(ctx, func() (err error) {
		a, err = l.attempt(ctx, r)
		return err
	})
	if err != nil {
		return nil, fault.From("speak", l.name, err)
	}
	return a, nil
}

func (l *Limited) attempt(ctx context.Context, r Request) (*limitedAudio, error) {
	ctx, watch := fault.NewWatch(ctx, "speak", l.name)
	watch.Arm(l.limits.FirstAudio)
	inner, err := l.engine.Synthesize(ctx, r)
	if err != nil {
		watch.Disarm()
		defer watch.Stop()
		return nil, watch.Explain(err)
	}
	a := &limitedAudio{inner: inner, watch: watch, limits: l.limits}
	a.left = int64(l.limits.MaxAudio.Seconds() * float64(inner.Rate()))
	err = a.begun.fill(inner)
	watch.Disarm()
	if err == nil {
		return a, nil
	}
	defer func() { _ = a.Close() }() // the attempt's own error is the one to report
	if errors.Is(err, io.EOF) {
		return nil, &fault.Error{Op: "speak", Provider: l.name, Kind: fault.Empty}
	}
	return nil, watch.Explain(err)
}

type limitedAudio struct {
	inner  Audio
	watch  *fault.Watch
	limits Limits
	left   int64 // samples still allowed
	begun  head
	err    error // repeated once set
}

func (a *limitedAudio) Rate() int { return a.inner.Rate() }

func (a *limitedAudio) Read(pcm []int16) (int, error) {
	if a.err != nil || len(pcm) == 0 {
		return 0, a.err
	}
	n, err := a.read(pcm)
	a.left -= int64(n)
	if a.left < 0 {
		err = a.watch.Explain(fault.ErrTooMuch)
		a.watch.Stop()
		n = 0
	}
	a.err = err
	if n > 0 {
		return n, nil // an error that came with samples is told by the next call
	}
	return 0, err
}

func (a *limitedAudio) read(pcm []int16) (int, error) {
	if n := a.begun.take(pcm); n > 0 {
		return n, nil
	}
	a.watch.Arm(min(a.limits.Gap, a.limits.Total-a.watch.Waited()))
	n, err := a.inner.Read(pcm)
	a.watch.Disarm()
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		return n, io.EOF
	default:
		return n, a.watch.Explain(err)
	}
}

func (a *limitedAudio) Close() error {
	// First the inner one: it may give its connection back, which cancelling would break.
	err := a.inner.Close()
	a.watch.Stop()
	return err
}

// head holds the first samples of speech, read ahead to know that it has begun.
type head struct {
	buf   [firstRead]int16
	start int
	end   int
}

func (h *head) fill(a Audio) error {
	n, err := a.Read(h.buf[:])
	h.end = n
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
