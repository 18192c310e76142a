package fault

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Watch bounds how long a stream may make its reader wait. Between Arm and Disarm it holds a limit; when that passes, it
// cancels the stream's context, and Explain turns the error that follows into a Timeout.
type Watch struct {
	op, provider string
	cancel       context.CancelCauseFunc
	cause        func() error
	timer        *time.Timer
	limit        time.Duration
	armed        time.Time
	waited       time.Duration
}

// errLate is the cause with which a Watch cancels a context.
type errLate struct{ limit time.Duration }

func (e errLate) Error() string { return fmt.Sprintf("nothing came for %v", e.limit) }

// NewWatch derives the context that the guarded stream must use. Stop must be called.
func NewWatch(parent context.Context, op, provider string) (context.Context, *Watch) {
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, &Watch{op: op, provider: provider, cancel: cancel, cause: func() error { return context.Cause(ctx) }}
}

// Arm starts a wait of at most limit; a limit ≤ 0 fires at once.
func (w *Watch) Arm(limit time.Duration) {
	w.armed, w.limit = time.Now(), limit
	if w.timer != nil {
		w.timer.Reset(limit)
		return
	}
	w.timer = time.AfterFunc(limit, func() { w.cancel(errLate{}) })
}

// Disarm ends the wait.
func (w *Watch) Disarm() {
	w.timer.Stop()
	w.waited += time.Since(w.armed)
}

// Waited is the sum of all waits so far.
func (w *Watch) Waited() time.Duration { return w.waited }

// Stop cancels the context and releases the timer. It is idempotent.
func (w *Watch) Stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(context.Canceled)
}

// Explain classifies the error of a guarded call: a Timeout if the watch's limit ended it, Canceled if the caller did, and
// the error's own kind otherwise.
func (w *Watch) Explain(err error) *Error {
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
