package llm

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

// Limits bounds one reply. A zero field takes the default of DefaultLimits.
type Limits struct {
	// FirstToken bounds the wait for the first delta of an attempt, connecting included.
	FirstToken time.Duration
	// Gap bounds the wait between two deltas.
	Gap time.Duration
	// Total bounds the sum of all waits for the provider; the time the reader takes does not count.
	Total time.Duration
	// MaxBytes bounds the text.
	MaxBytes int
	// Retry says when to try again before the first delta. nil means fault.LiveRetry.
	Retry *fault.Retry
}

// DefaultLimits are those of a live conversation.
func DefaultLimits() Limits {
	retry := fault.LiveRetry()
	return Limits{
		FirstToken: 5 * time.Second, Gap: 3 * time.Second, Total: 60 * time.Second,
		MaxBytes: 256 << 10, Retry: &retry,
	}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.FirstToken == 0 {
		l.FirstToken = d.FirstToken
	}
	if l.Gap == 0 {
		l.Gap = d.Gap
	}
	if l.Total == 0 {
		l.Total = d.Total
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = d.MaxBytes
	}
	if l.Retry == nil {
		l.Retry = d.Retry
	}
	return l
}

// Limited guards a model with limits and retries. The guarded model must end a wait promptly when its context is cancelled.
type Limited struct {
	name   string
	model  Model
	limits Limits
}

var _ Model = (*Limited)(nil)

// NewLimited guards m; name is the provider's name in errors.
func NewLimited(name string, m Model, l Limits) *Limited {
	return &Limited{name: name, model: m, limits: l.orDefault()}
}

// Stream starts a reply and waits for its first text, trying again as the limits allow. A reply without any is an error of
// kind Empty.
func (m *Limited) Stream(ctx context.Context, r Request) (Stream, error) {
	var s *limitedStream
	err := m.limits.Retry.Do(ctx, func() (err error) {
		s, err = m.attempt(ctx, r)
		return err
	})
	if err != nil {
		return nil, fault.From("chat", m.name, err)
	}
	return s, nil
}

func (m *Limited) attempt(ctx context.Context, r Request) (*limitedStream, error) {
	ctx, watch := fault.NewWatch(ctx, "chat", m.name)
	watch.Arm(m.limits.FirstToken)
	inner, err := m.model.Stream(ctx, r)
	if err != nil {
		watch.Disarm()
		defer watch.Stop()
		return nil, watch.Explain(err)
	}
	s := &limitedStream{inner: inner, watch: watch, limits: m.limits, left: m.limits.MaxBytes}
	s.first, err = begin(inner)
	watch.Disarm()
	if err == nil {
		s.hasFirst = true
		return s, nil
	}
	defer func() { _ = s.Close() }() // the attempt's own error is the one to report
	if errors.Is(err, io.EOF) {
		return nil, &fault.Error{Op: "chat", Provider: m.name, Kind: fault.Empty}
	}
	return nil, watch.Explain(err)
}

// begin waits for the first text. Usage that comes before it goes with it; usage alone is no reply.
func begin(s Stream) (Delta, error) {
	var usage *Usage
	for {
		d, err := s.Next()
		if err != nil {
			return Delta{}, err
		}
		if d.Usage == nil {
			d.Usage = usage
		}
		if d.Text != "" {
			return d, nil
		}
		usage = d.Usage
	}
}

type limitedStream struct {
	inner    Stream
	watch    *fault.Watch
	limits   Limits
	left     int // bytes still allowed
	first    Delta
	hasFirst bool
	err      error // repeated once set
}

func (s *limitedStream) Next() (Delta, error) {
	if s.err != nil {
		return Delta{}, s.err
	}
	d, err := s.next()
	if err != nil {
		s.err = err
		return Delta{}, err
	}
	s.left -= len(d.Text)
	if s.left < 0 {
		s.err = s.watch.Explain(fault.ErrTooMuch)
		s.watch.Stop()
		return Delta{}, s.err
	}
	return d, nil
}

func (s *limitedStream) next() (Delta, error) {
	if s.hasFirst {
		s.hasFirst = false
		return s.first, nil
	}
	s.watch.Arm(min(s.limits.Gap, s.limits.Total-s.watch.Waited()))
	d, err := s.inner.Next()
	s.watch.Disarm()
	if err != nil && !errors.Is(err, io.EOF) {
		return Delta{}, s.watch.Explain(err)
	}
	if err != nil {
		return Delta{}, io.EOF
	}
	return d, nil
}

func (s *limitedStream) Close() error {
	// First the inner one: it may give its connection back, which cancelling would break.
	err := s.inner.Close()
	s.watch.Stop()
	return err
}
