package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	hangs   time.Duration // from the beginning on nothing answers for so long
	batches [][]uint64    // numbers of the entries that were committed, by statement
	tries   []time.Duration
	began   time.Time
}

const bad = 666 // the number of an entry that is refused

func (b *book) commit(ctx context.Context, batch []*pending) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries = append(b.tries, time.Since(b.began))
	if left := b.hangs - time.Since(b.began); left > 0 && pause(ctx, left) != nil {
		return ctx.Err()
	}
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

// scribes runs a test in virtual time, with the journal of a session and a second one's.
func scribes(t *testing.T, b *book, test func(t *testing.T, s *scribe, first, second *journal)) {
	synctest.Test(t, func(t *testing.T) {
		b.began = time.Now()
		s := newScribe(b.commit, func(err error) bool { return errors.Is(err, errAway) }, zap.NewNop())
		store := &Store{log: zap.NewNop(), scribe: s, dialect: dialect{
			orphan: func(error) bool { return false }, advice: func(error) string { return "" },
		}}
		first, second := &journal{s: store, session: "a"}, &journal{s: store, session: "b"}
		test(t, s, first, second)
		s.stop()
		s.stop()
		if _, err := s.take("a", 0, state.Entry{Seq: 1}, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// committed are the numbers of all entries in the database, in the order in which they came.
func (b *book) committed() (all []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Concat(b.batches...)
}

// A database that is away for a moment costs time, and nothing else.
func TestScribeTriesAgain(t *testing.T) {
	b := &book{away: 3}
	scribes(t, b, func(t *testing.T, _ *scribe, j, _ *journal) {
		if err := j.Append(state.Entry{Seq: 1}); err != nil {
			t.Error(err)
		}
		if got := time.Since(b.began); got != 70*time.Millisecond || len(b.batches) != 1 {
			t.Errorf("committed %v after %s", b.batches, got)
		}
	})
}

// While the database is away, full or hung, the talk goes on: the first entry costs a second, those after it nothing, and all are there
// in their order when it is back.
func TestTheTalkGoesOnWithoutTheDatabase(t *testing.T) {
	for name, b := range map[string]*book{"away": {away: 100}, "hung": {hangs: 30 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			scribes(t, b, func(t *testing.T, _ *scribe, first, second *journal) {
				for n := range uint64(30) {
					for _, j := range []*journal{first, second} {
						if err := j.Append(state.Entry{Seq: n + 1}); err != nil {
							t.Fatalf("entry %d: %v", n+1, err)
						}
					}
				}
				if got := time.Since(b.began); got != 2*appendLimit {
					t.Errorf("the talks waited for %s", got)
				}
				time.Sleep(2 * time.Minute)
				if err := errors.Join(first.Append(state.Entry{Seq: 31}), first.Close(), second.Close()); err != nil {
					t.Error(err)
				}
				if got := b.committed(); len(got) != 61 || got[60] != 31 || first.weight+second.weight != 0 {
					t.Errorf("%d entries: %v", len(got), got)
				}
			})
		})
	}
}

// A database that stays away is waited for ten minutes, or two megabytes; then the talk cannot go on.
func TestWhatWaitsIsBounded(t *testing.T) {
	b := &book{away: 1 << 30}
	scribes(t, b, func(t *testing.T, s *scribe, long, much *journal) {
		if err := long.Append(state.Entry{Seq: 1}); err != nil {
			t.Error(err)
		}
		large := json.RawMessage(`"` + strings.Repeat("a", 1<<17) + `"`)
		var err error
		n := 0
		for ; err == nil; n++ {
			err = much.Append(state.Entry{Seq: uint64(n + 1), Data: large})
		}
		if !errors.Is(err, errCrowded) || n != mostBehind>>17 {
			t.Errorf("%d entries: %v", n, err)
		}
		time.Sleep(awayLimit)
		if err := long.Append(state.Entry{Seq: 2}); !errors.Is(err, errAway) {
			t.Errorf("after ten minutes: %v", err)
		}
		synctest.Wait()
		if len(b.tries) > 2*int(awayLimit/lastWait) {
			t.Errorf("%d tries", len(b.tries))
		}
		for range queued + 2*together {
			_, err = s.take("c", 0, state.Entry{Seq: 1}, nil)
		}
		if !errors.Is(err, errCrowded) {
			t.Errorf("more than can wait: %v", err)
		}
	})
}

// What is refused while nobody waits for it fails the next entry; the other session's talk goes on.
func TestALateRefusal(t *testing.T) {
	b := &book{away: 5, slow: 300 * time.Millisecond}
	scribes(t, b, func(t *testing.T, _ *scribe, j, other *journal) {
		j.last = bad - 2
		err := errors.Join(j.Append(state.Entry{Seq: bad - 1}), j.Append(state.Entry{Seq: bad}), other.Append(state.Entry{Seq: 1}),
			j.Append(state.Entry{Seq: bad + 1}), j.Append(state.Entry{Seq: bad + 2}))
		if err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if got := b.committed(); !slices.Equal(got, []uint64{bad - 1, 1}) {
			t.Errorf("behind the gap was written: %v", got)
		}
		if err := j.Append(state.Entry{Seq: bad + 3}); !errors.Is(err, errRefused) {
			t.Errorf("%v", err)
		}
		if err := other.Append(state.Entry{Seq: 2}); err != nil {
			t.Error(err)
		}
		if err := j.Close(); !errors.Is(err, errRefused) {
			t.Errorf("closed: %v", err)
		}
	})
}

// What arrives while the scribe is busy goes into its next statement together; one that is refused goes alone.
func TestScribeWritesTogether(t *testing.T) {
	b := &book{slow: 10 * time.Millisecond}
	scribes(t, b, func(t *testing.T, s *scribe, _, _ *journal) {
		for n, err := range taken(t, s, 1, 2, bad, 3, 4) {
			if (n == bad) != errors.Is(err, errRefused) {
				t.Errorf("%d: %v", n, err)
			}
		}
		// 1 alone; then the rest fails together, and goes one by one.
		if len(b.tries) != 6 || len(b.batches) != 4 {
			t.Errorf("%d statements, %v", len(b.tries), b.batches)
		}
	})
	b = &book{slow: 10 * time.Millisecond}
	scribes(t, b, func(t *testing.T, s *scribe, _, _ *journal) {
		var numbers []uint64
		for n := range 1 + 2*together {
			numbers = append(numbers, uint64(n))
		}
		for n, err := range taken(t, s, numbers...) {
			if err != nil {
				t.Errorf("%d: %v", n, err)
			}
		}
		if len(b.batches) != 3 || len(b.batches[1]) != together {
			t.Errorf("%d statements", len(b.batches))
		}
	})
}

// taken has entries written, and yields what became of each.
func taken(t *testing.T, s *scribe, numbers ...uint64) map[uint64]error {
	t.Helper()
	var all []*pending
	for _, n := range numbers {
		p, err := s.take(fmt.Sprint(n), 0, state.Entry{Seq: n}, nil)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the first is being written, the others wait
		all = append(all, p)
	}
	out := make(map[uint64]error)
	for _, p := range all {
		err, known := p.answered(time.Minute)
		if !known {
			t.Errorf("entry %d was not answered", p.entry.Seq)
		}
		out[p.entry.Seq] = err
	}
	return out
}

// The end writes what was given before it, as far as the database takes it.
func TestScribeEndsItsWork(t *testing.T) {
	b := &book{slow: 10 * time.Millisecond}
	scribes(t, b, func(t *testing.T, s *scribe, _, _ *journal) {
		for n := range uint64(3) {
			if _, err := s.take(fmt.Sprint(n), 0, state.Entry{Seq: n + 1}, nil); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		s.stop()
		if len(b.batches) != 2 {
			t.Errorf("%v", b.batches)
		}
	})
	b = &book{away: 1 << 30}
	scribes(t, b, func(t *testing.T, s *scribe, j, _ *journal) {
		if err := j.Append(state.Entry{Seq: 1}); err != nil {
			t.Error(err)
		}
		s.stop()
		if got := time.Since(b.began); got != appendLimit+stopLimit {
			t.Errorf("it took %s", got)
		}
		if err := j.Close(); err == nil {
			t.Error("nothing was written, and the journal closed as if it had been")
		}
	})
}
