package fault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Limits bounds the waits for a stream. A zero field takes the value of a live conversation.
type Limits struct {
	// First bounds the wait for the first piece of an attempt, connecting included: 5 s.
	First time.Duration
	// Gap bounds the wait between two pieces: 3 s.
	Gap time.Duration
	// Total bounds the sum of all waits for the provider: 60 s. The time the reader takes does not count.
	Total time.Duration
	// Retry says when to try again before the first piece; nil means LiveRetry.
	Retry *Retry
}

// Watch is a stream whose waits are bounded. When one lasts too long, the stream's context is cancelled, and the error that follows
// is a Timeout. It belongs to the goroutine that reads the stream.
type Watch[S io.Closer] struct {
	Stream S

	op, provider string
	limits       Limits
	cancel       context.CancelCauseFunc
	cause        func() error
	timer        *time.Timer
	armed        time.Time
	limit        time.Duration // of the wait under way
	waited       time.Duration // the sum of all waits
}

// errLate is the cause with which a Watch cancels a context.
type errLate struct{ limit time.Duration }

func (e errLate) Error() string { return fmt.Sprintf("nothing came for %v", e.limit) }

// Open opens a stream and waits for its first piece, trying again as the limits allow. A stream that ends before is an error of kind
// Empty. What open gives must end a wait promptly when its context is cancelled.
func Open[S io.Closer](
	ctx context.Context, op, provider string, l Limits, open func(context.Context) (S, error), first func(S) error,
) (w *Watch[S], err error) {
	retry := LiveRetry()
	if l.Retry != nil {
		retry = *l.Retry
	}
	l.First, l.Gap, l.Total = cmp.Or(l.First, 5*time.Second), cmp.Or(l.Gap, 3*time.Second), cmp.Or(l.Total, time.Minute)
	err = retry.Do(ctx, func() error {
		attempt, cancel := context.WithCancelCause(ctx)
		w = &Watch[S]{op: op, provider: provider, limits: l, cancel: cancel, cause: func() error { return context.Cause(attempt) }}
		w.timer = time.AfterFunc(l.First, func() { cancel(errLate{}) })
		return w.begin(attempt, open, first)
	})
	if err != nil {
		return nil, From(op, provider, err)
	}
	return w, nil
}

// begin is one attempt.
func (w *Watch[S]) begin(ctx context.Context, open func(context.Context) (S, error), first func(S) error) (err error) {
	w.arm(w.limits.First)
	if w.Stream, err = open(ctx); err != nil {
		w.disarm()
		defer w.stop()
		return w.explain(err)
	}
	err = first(w.Stream)
	w.disarm()
	if err == nil {
		return nil
	}
	defer func() { _ = w.Close() }() // the attempt's own error is the one to report
	if errors.Is(err, io.EOF) {
		return &Error{Op: w.op, Provider: w.provider, Kind: Empty}
	}
	return w.explain(err)
}

// Wait bounds next, a call that waits for the next piece, and classifies its error, other than io.EOF.
func (w *Watch[S]) Wait(next func() error) error {
	w.arm(min(w.limits.Gap, w.limits.Total-w.waited))
	err := next()
	w.disarm()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return w.explain(err)
}

// TooMuch ends a stream that has sent more than it may, and gives the error for that.
func (w *Watch[S]) TooMuch() error {
	defer w.stop()
	return w.explain(ErrTooMuch)
}

// Close closes the stream and releases what bounds it.
func (w *Watch[S]) Close() error {
	defer w.stop() // after the stream: it may give its connection back, which cancelling would break
	return w.Stream.Close()
}

func (w *Watch[S]) arm(limit time.Duration) {
	w.armed, w.limit = time.Now(), limit
	w.timer.Reset(limit)
}

func (w *Watch[S]) disarm() {
	w.timer.Stop()
	w.waited += time.Since(w.armed)
}

func (w *Watch[S]) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// explain classifies an error of the stream: a Timeout if a limit ended it, Canceled if the caller did, and the error's own kind
// otherwise.
func (w *Watch[S]) explain(err error) *Error {
	cause := w.cause()
	if _, late := errors.AsType[errLate](cause); late {
		return &Error{Op: w.op, Provider: w.provider, Kind: Timeout, Err: errLate{w.limit}}
	}
	if cause != nil {
		kind := Canceled
		if errors.Is(cause, context.DeadlineExceeded) {
			kind = Timeout
		}
		return &Error{Op: w.op, Provider: w.provider, Kind: kind, Err: cause}
	}
	return From(w.op, w.provider, err)
}
