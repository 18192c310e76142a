package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestKindOf(t *testing.T) {
	tests := []struct {
		name      string
		err       error
		want      fault.Kind
		retryable bool
	}{
		{"canceled", fmt.Errorf("x: %w", context.Canceled), fault.Canceled, false},
		{"deadline", context.DeadlineExceeded, fault.Timeout, true},
		{"broken body", io.ErrUnexpectedEOF, fault.Connection, true},
		{"refused", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, fault.Connection, true},
		{"too much", fmt.Errorf("x: %w", fault.ErrTooMuch), fault.Malformed, false},
		{"classified, wrapped and joined", errors.Join(fmt.Errorf("a: %w", &fault.Error{Kind: fault.RateLimited}), io.EOF), fault.RateLimited, true},
		{"anything else", errors.New("?"), fault.Unknown, false},
		{"nil", nil, fault.Unknown, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fault.KindOf(tt.err)
			if got != tt.want || got.Retryable() != tt.retryable {
				t.Errorf("KindOf = %v (retryable %v), want %v (%v)", got, got.Retryable(), tt.want, tt.retryable)
			}
		})
	}
}

func TestErrorNamesWhoWhatWhyAndTheFix(t *testing.T) {
	err := &fault.Error{Op: "transcribe", Provider: "openai", Kind: fault.Auth, Err: errors.New("status 401"), Hint: "check OPENAI_API_KEY"}
	want := "openai: transcribe: the key was refused: status 401 (check OPENAI_API_KEY)"
	if err.Error() != want {
		t.Errorf("Error() = %q, want %q", err, want)
	}
}

// R003-85: only failures that may pass are retried. The schedule is 0.1 s, then 2 s each, give or take a quarter.
func TestRetrySchedule(t *testing.T) {
	tests := []struct {
		name     string
		policy   fault.Retry
		err      error
		attempts int
		min, max time.Duration
	}{
		{"default", fault.DefaultRetry(), &fault.Error{Kind: fault.Server}, 4, 3 * time.Second, 5200 * time.Millisecond},
		{"live stops before the third wait", fault.LiveRetry(), &fault.Error{Kind: fault.Server}, 3, 1500 * time.Millisecond, 3 * time.Second},
		{"bad key", fault.DefaultRetry(), &fault.Error{Kind: fault.Auth}, 1, 0, 0},
		{"bad request", fault.DefaultRetry(), &fault.Error{Kind: fault.BadRequest}, 1, 0, 0},
		{"asked to wait longer than the budget", fault.LiveRetry(), &fault.Error{Kind: fault.RateLimited, RetryAfter: time.Minute}, 1, 0, 0},
		{"asked to wait", fault.Retry{Max: 1, First: time.Millisecond}, &fault.Error{Kind: fault.RateLimited, RetryAfter: time.Second}, 2, time.Second, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts, start := 0, time.Now()
				err := tt.policy.Do(t.Context(), func() error { attempts++; return tt.err })
				took := time.Since(start)
				if !errors.Is(err, tt.err) || attempts != tt.attempts || took < tt.min || took > tt.max {
					t.Errorf("%d attempts in %v, error %v; want %d in %v…%v", attempts, took, err, tt.attempts, tt.min, tt.max)
				}
			})
		})
	}
}

func TestRetryEndsWithSuccessAndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		err := fault.DefaultRetry().Do(t.Context(), func() error {
			if n++; n < 3 {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		if err != nil || n != 3 {
			t.Errorf("after %d attempts: %v, want success at the third", n, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		err = fault.DefaultRetry().Do(ctx, func() error { return io.ErrUnexpectedEOF })
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 50*time.Millisecond {
			t.Errorf("cancelled after %v with %v", time.Since(start), err)
		}
	})
}

func TestWatchExplainsWhoEndedTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, w := fault.NewWatch(t.Context(), "chat", "openai")
		w.Arm(2 * time.Second)
		time.Sleep(time.Second)
		w.Disarm()
		time.Sleep(time.Minute) // the reader's own time
		w.Arm(3 * time.Second)
		<-ctx.Done()
		w.Disarm()
		err := w.Explain(ctx.Err())
		w.Stop()
		if err.Kind != fault.Timeout || !strings.Contains(err.Error(), "3s") || w.Waited() != 4*time.Second {
			t.Errorf("late: %v after waiting %v, want a timeout of 3s after 4s", err, w.Waited())
		}

		parent, cancel := context.WithCancel(t.Context())
		ctx, w = fault.NewWatch(parent, "chat", "openai")
		w.Arm(time.Second)
		cancel()
		<-ctx.Done()
		w.Disarm()
		if err := w.Explain(ctx.Err()); err.Kind != fault.Canceled {
			t.Errorf("cancelled by the caller: %v", err)
		}
		w.Stop()
	})
}

func TestCooldown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fault.NewCooldown(3, time.Minute)
		order := func(want ...int) {
			t.Helper()
			if got := c.Order(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("order %v, want %v", got, want)
			}
		}
		order(0, 1, 2)
		c.Failed(0, &fault.Error{Kind: fault.Server})
		c.Failed(1, &fault.Error{Kind: fault.BadRequest}) // says nothing about the engine
		order(1, 2, 0)
		time.Sleep(time.Minute)
		order(0, 1, 2)
		c.Failed(0, &fault.Error{Kind: fault.Auth})
		c.Failed(1, io.EOF)
		c.Failed(2, io.EOF)
		order(0, 1, 2) // all are ill: try all
		c.Worked(2)
		order(2, 0, 1)
	})
}
