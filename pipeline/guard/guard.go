// Package guard keeps a panic to the interview in whose goroutine it is: neither the process nor another interview ends by it.
//
// A Guard belongs to one interview, and travels to its goroutines by their context, or by the options of what starts them.
// Every goroutine and timer of an interview is started through it. Work that the interview cannot do without is started by Go,
// Start and After: a panic in it cancels the context of Watch, and whoever holds the interview may begin anew. Work beside the
// talk is started by Beside, or done in Try: a panic in it is an error, and the talk goes on.
//
// All methods of a nil *Guard work, and guard nothing: a panic is then what it is in any Go program.
package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Panic is what is known of a panic. Its text is not: it may hold somebody's words.
type Panic struct {
	Where string // a word for the place, such as session
	Type  string // of the value that was panicked with
}

func (p *Panic) Error() string { return fmt.Sprintf("internal error in %s (%s)", p.Where, p.Type) }

// Is reports whether err is, or wraps, a Panic.
func Is(err error) bool {
	_, is := errors.AsType[*Panic](err)
	return is
}

// Broken returns the panic for which Watch has cancelled ctx, and nil where it was not for one.
func Broken(ctx context.Context) error {
	if err := context.Cause(ctx); Is(err) {
		return err
	}
	return nil
}

// Guard catches the panics of one interview. It is safe for concurrent use.
type Guard struct {
	log   *zap.Logger
	count func(where string)

	mu      sync.Mutex
	watched context.CancelCauseFunc // guarded by mu: nil while nobody watches
}

// New makes a guard. Each panic is logged once, with its stack, and counted by its place; count may be nil.
func New(log *zap.Logger, count func(where string)) *Guard {
	if count == nil {
		count = func(string) {}
	}
	return &Guard{log: log, count: count}
}

// key is that of a context's guard.
type key struct{}

// With returns a context by which From finds the guard.
func With(ctx context.Context, g *Guard) context.Context { return context.WithValue(ctx, key{}, g) }

// From is the guard of the interview that ctx belongs to; nil: it belongs to none.
func From(ctx context.Context) *Guard {
	g, _ := ctx.Value(key{}).(*Guard)
	return g
}

// Watch returns a context that is cancelled, with the Panic as its cause, when something breaks that the interview cannot do
// without. The caller calls stop; from then on, until the next Watch, panics are only logged and counted.
func (g *Guard) Watch(ctx context.Context) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	if g == nil {
		return watched, func() { cancel(nil) }
	}
	g.mu.Lock()
	g.watched = cancel
	g.mu.Unlock()
	return watched, func() {
		g.mu.Lock()
		g.watched = nil
		g.mu.Unlock()
		cancel(nil)
	}
}

// Try calls f, and returns its error, or the Panic in it.
func (g *Guard) Try(where string, f func() error) (err error) {
	if g == nil {
		return f()
	}
	defer func() {
		if p := recover(); p != nil {
			err = g.caught(where, p)
		}
	}()
	return f()
}

func (g *Guard) caught(where string, p any) *Panic {
	kind := fmt.Sprintf("%T", p)
	g.log.Error("interview.panicked", zap.String("where", where), zap.String("type", kind), zap.ByteString("stack", debug.Stack()))
	g.count(where)
	return &Panic{Where: where, Type: kind}
}

// Do calls f. A panic in it breaks the interview.
func (g *Guard) Do(where string, f func()) {
	if err := g.Try(where, plain(f)); err != nil {
		g.broke(err)
	}
}

func plain(f func()) func() error {
	return func() error {
		f()
		return nil
	}
}

func (g *Guard) broke(err error) {
	g.mu.Lock()
	cancel := g.watched
	g.mu.Unlock()
	if cancel != nil {
		cancel(err)
	}
}

// lives is how often Keep calls.
const lives = 3

// Keep calls f, and once more after each of its first two panics: what it broke on is taken to be lost. The third breaks the
// interview.
func (g *Guard) Keep(where string, f func()) {
	for range lives - 1 {
		if g.Try(where, plain(f)) == nil {
			return
		}
	}
	g.Do(where, f)
}

// Go calls f in a goroutine of tasks. A panic in it breaks the interview.
func (g *Guard) Go(tasks *sync.WaitGroup, where string, f func()) {
	tasks.Go(func() { g.Do(where, f) })
}

// Start calls f in a goroutine that the caller waits for by a way of its own. A panic in it breaks the interview.
func (g *Guard) Start(where string, f func()) { go g.Do(where, f) }

// After calls f in a goroutine of its own after d, unless the timer is stopped. A panic in it breaks the interview.
func (g *Guard) After(d time.Duration, where string, f func()) *time.Timer {
	return time.AfterFunc(d, func() { g.Do(where, f) })
}

// Beside calls f in a goroutine of tasks. The talk goes on without what panics in it.
func (g *Guard) Beside(tasks *sync.WaitGroup, where string, f func()) {
	tasks.Go(func() { _ = g.Try(where, plain(f)) }) // Try has told
}
