package fault

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Retry is a policy for trying again. The zero value never does.
type Retry struct {
	// Max is the number of further attempts after the first.
	Max int
	// First is the wait before the second attempt, Next before each later one. Both vary by a quarter at random, so that
	// a fleet does not come back in step.
	First, Next time.Duration
	// Budget bounds the time from the start to the beginning of the last attempt; 0 means no bound. An attempt that has
	// begun is bounded by its own limits.
	Budget time.Duration
}

// DefaultRetry is the policy for work nobody waits for in silence: 3 more attempts, after 0.1 s, 2 s and 2 s.
func DefaultRetry() Retry {
	return Retry{Max: 3, First: 100 * time.Millisecond, Next: 2 * time.Second, Budget: 30 * time.Second}
}

// LiveRetry is the policy for a turn in a conversation: the same waits, but no attempt begins later than 3 s after the
// start, because silence costs more than a fallback.
func LiveRetry() Retry {
	r := DefaultRetry()
	r.Budget = 3 * time.Second
	return r
}

// Do calls attempt until it succeeds, fails in a way that trying again cannot mend, or the policy is used up. It returns the
// last attempt's error, or the context's when the wait was cancelled.
func (r Retry) Do(ctx context.Context, attempt func() error) error {
	start := time.Now()
	for n := 0; ; n++ {
		err := attempt()
		if err == nil || ctx.Err() != nil || n >= r.Max || !KindOf(err).Retryable() {
			return err
		}
		wait := r.wait(n, err)
		if r.Budget > 0 && time.Since(start)+wait > r.Budget {
			return err
		}
		if !Sleep(ctx, wait) {
			return context.Cause(ctx)
		}
	}
}

func (r Retry) wait(n int, err error) time.Duration {
	d := r.Next
	if n == 0 {
		d = r.First
	}
	d += time.Duration((rand.Float64() - 0.5) / 2 * float64(d)) //nolint:gosec // jitter needs no secrecy
	if known, ok := errors.AsType[*Error](err); ok {
		d = max(d, known.RetryAfter)
	}
	return d
}

// Sleep waits; false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
