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

// idle is a stream that never says anything.
type idle struct{ done <-chan struct{} }

func (idle) Close() error { return nil }

func (s idle) wait() error {
	<-s.done
	return errors.New("broken off")
}

func TestWatchExplainsWhoEndedTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		open := func(ctx context.Context) (idle, error) { return idle{ctx.Done()}, nil }
		begun := func(idle) error {
			time.Sleep(time.Second)
			return nil
		}
		w, err := fault.Open(parent, "chat", "openai", fault.Limits{Total: 3 * time.Second}, open, begun)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // the reader's own time
		start := time.Now()
		err = w.Wait(w.Stream.wait)
		if fault.KindOf(err) != fault.Timeout || !strings.Contains(err.Error(), "2s") || time.Since(start) != 2*time.Second {
			t.Errorf("late: %v after %v, want a timeout of 2s, which with the first wait are 3s", err, time.Since(start))
		}
		_ = w.Close()
		w, err = fault.Open(parent, "chat", "openai", fault.Limits{}, open, begun)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := w.Wait(w.Stream.wait); fault.KindOf(err) != fault.Canceled {
			t.Errorf("cancelled by the caller: %v", err)
		}
		_ = w.Close()
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
