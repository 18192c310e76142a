package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state"
)

var (
	errAway    = errors.New("the database is away")
	errRefused = errors.New("refused")
)

// book is a database that does as it is told.
type book struct {
	mu      sync.Mutex
	away    int           // so many commits fail
	slow    time.Duration // each commit takes
	batches [][]uint64    // numbers of the entries that were committed, by statement
	tries   []time.Duration
	began   time.Time
}

const bad = 666 // the number of an entry that is refused

func (b *book) commit(ctx context.Context, batch []*pending) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries = append(b.tries, time.Since(b.began))
	if b.slow > 0 && pause(ctx, b.slow) != nil {
		return ctx.Err()
	}
	if b.away > 0 {
		b.away--
		return errAway
	}
	var numbers []uint64
	for _, p := range batch {
		if p.entry.Seq == bad {
			return errRefused
		}
		numbers = append(numbers, p.entry.Seq)
	}
	b.batches = append(b.batches, numbers)
	return nil
}

// scribes runs a test in virtual time.
func scribes(t *testing.T, b *book, test func(t *testing.T, s *scribe)) {
	synctest.Test(t, func(t *testing.T) {
		b.began = time.Now()
		s := newScribe(b.commit, func(err error) bool { return errors.Is(err, errAway) }, zap.NewNop())
		test(t, s)
		s.stop()
		s.stop()
		if err := s.append("a", 0, state.Entry{Seq: 1}); !errors.Is(err, ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A database that is away for a moment costs time, and nothing else.
func TestScribeTriesAgain(t *testing.T) {
	b := &book{away: 3}
	scribes(t, b, func(t *testing.T, s *scribe) {
		if err := s.append("a", 0, state.Entry{Seq: 1}); err != nil {
			t.Error(err)
		}
		if got := time.Since(b.began); got != 70*time.Millisecond || len(b.batches) != 1 {
			t.Errorf("committed %v after %s", b.batches, got)
		}
	})
}

// One that stays away is waited for as long as an interview can wait, and not longer.
func TestScribeGivesUp(t *testing.T) {
	b := &book{away: 1 << 30}
	scribes(t, b, func(t *testing.T, s *scribe) {
		err := s.append("a", 0, state.Entry{Seq: 1})
		if got := time.Since(b.began); err == nil || got != appendLimit {
			t.Errorf("%v after %s", err, got)
		}
		synctest.Wait()
		if len(b.tries) > 20 {
			t.Errorf("%d tries", len(b.tries))
		}
	})
}

// One that never answers is not waited for either.
func TestScribeDoesNotHang(t *testing.T) {
	b := &book{slow: time.Hour}
	scribes(t, b, func(t *testing.T, s *scribe) {
		var wg sync.WaitGroup
		for n := range queued + 10 { // more than can be queued
			wg.Go(func() {
				if err := s.append("a", 0, state.Entry{Seq: uint64(n)}); err == nil {
					t.Error("it was not written")
				}
			})
		}
		wg.Wait()
		if got := time.Since(b.began); got != appendLimit {
			t.Errorf("waited for %s", got)
		}
	})
}

// What arrives while the scribe is busy goes into its next statement together; one that is refused goes alone.
func TestScribeWritesTogether(t *testing.T) {
	b := &book{slow: 10 * time.Millisecond}
	scribes(t, b, func(t *testing.T, s *scribe) {
		var wg sync.WaitGroup
		for _, n := range []uint64{1, 2, bad, 3, 4} {
			wg.Go(func() {
				if err := s.append("a", 0, state.Entry{Seq: n}); (n == bad) != errors.Is(err, errRefused) {
					t.Errorf("%d: %v", n, err)
				}
			})
			synctest.Wait() // they arrive in this order
		}
		wg.Wait()
		// 1 alone; then the rest fails together, and goes one by one.
		if len(b.tries) != 6 || len(b.batches) != 4 {
			t.Errorf("%d statements, %v", len(b.tries), b.batches)
		}
	})
	b = &book{slow: 10 * time.Millisecond}
	scribes(t, b, func(t *testing.T, s *scribe) {
		var wg sync.WaitGroup
		for n := range 1 + 2*together {
			wg.Go(func() {
				if err := s.append("a", 0, state.Entry{Seq: uint64(n)}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if len(b.batches) != 3 || len(b.batches[1]) != together {
			t.Errorf("%d statements", len(b.batches))
		}
	})
}

// The end writes what was given before it.
func TestScribeEndsItsWork(t *testing.T) {
	b := &book{slow: 10 * time.Millisecond}
	scribes(t, b, func(t *testing.T, s *scribe) {
		var wg sync.WaitGroup
		for n := range 3 {
			wg.Go(func() {
				if err := s.append("a", 0, state.Entry{Seq: uint64(n)}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // the first is being written, the others wait
		}
		s.stop()
		wg.Wait()
		if len(b.batches) != 2 {
			t.Errorf("%v", b.batches)
		}
	})
}
