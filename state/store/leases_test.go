package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

var call = store.Call{Room: "room", Identity: "agent-1", Agent: "viva", Job: `{"interview":"two_stage"}`}

const (
	longLease = time.Hour
	ranOut    = -time.Second // a lease that has run out as it is taken: no test waits for a clock
)

// begun makes a session with one entry in its journal.
func begun(t *testing.T, s *store.Store, id string) state.Journal {
	t.Helper()
	j, err := s.Create(t.Context(), id)
	must(t, err, j.Append(state.Entry{Seq: 1, Type: "started"}))
	return j
}

func orphans(t *testing.T, s *store.Store, n int) []store.Orphan {
	t.Helper()
	all, err := s.ClaimOrphans(t.Context(), "viva", time.Hour, time.Minute, n)
	must(t, err)
	return all
}

// A lease is held by one process at a time. Who lost it can neither renew it, nor write, nor give it back.
func TestLease(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		elder := begun(t, s, "s")
		first, err := s.Acquire(t.Context(), "s", "elder", longLease, call)
		must(t, err)
		s.Fence(elder, first)
		must(t, elder.Append(entry(2)))
		if _, err := s.Acquire(t.Context(), "s", "younger", longLease, call); !errors.Is(err, store.ErrHeld) {
			t.Fatalf("taken from its holder: %v", err)
		}
		held, err := s.Renew(t.Context(), "elder", ranOut)
		must(t, err)
		if len(held) != 1 || held[0] != first {
			t.Fatalf("renewed %v, want %v", held, first)
		}
		must(t, elder.Append(entry(3))) // it ran out, but nobody has taken it
		second, err := s.Acquire(t.Context(), "s", "younger", longLease, call)
		must(t, err)
		if second.Epoch <= first.Epoch {
			t.Errorf("epoch %d follows %d", second.Epoch, first.Epoch)
		}
		younger, got, err := s.Resume(t.Context(), "s")
		must(t, err)
		s.Fence(younger, second)
		if err := elder.Append(entry(4)); !errors.Is(err, store.ErrLost) || !errors.Is(err, store.ErrConflict) || len(got) != 3 {
			t.Errorf("whoever lost the lease writes: %v; before there were %d entries", err, len(got))
		}
		if held, err = s.Renew(t.Context(), "elder", longLease); err != nil || len(held) != 0 {
			t.Errorf("whoever lost the lease renews %v, %v", held, err)
		}
		if err := s.Release(t.Context(), first); !errors.Is(err, store.ErrLost) {
			t.Errorf("whoever lost the lease gives it back: %v", err)
		}
		must(t, s.Abandon(t.Context(), first), younger.Append(entry(4)))
		if held, err = s.Renew(t.Context(), "younger", longLease); err != nil || len(held) != 1 {
			t.Errorf("its holder has %v, %v", held, err)
		}
		must(t, s.Release(t.Context(), second))
		third, err := s.Acquire(t.Context(), "s", "elder", longLease, call)
		must(t, err)
		if third.Epoch <= second.Epoch {
			t.Errorf("after it was given back, epoch %d follows %d", third.Epoch, second.Epoch)
		}
		if _, err := s.Acquire(t.Context(), "none", "elder", longLease, call); !errors.Is(err, store.ErrNoSession) {
			t.Errorf("a session that is not there: %v", err)
		}
	})
}

// A lease that was offered is its holder's to write under and to take back, until somebody claims it.
func TestOffer(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		j := begun(t, s, "s")
		hold, err := s.Acquire(t.Context(), "s", "elder", longLease, call)
		must(t, err)
		s.Fence(j, hold)
		must(t, s.Offer(t.Context(), hold), j.Append(entry(2)))
		if held, err := s.Renew(t.Context(), "elder", longLease); err != nil || len(held) != 0 {
			t.Errorf("what is offered is renewed: %v, %v", held, err)
		}
		must(t, s.Retake(t.Context(), hold, "elder", longLease))
		if got := orphans(t, s, 9); len(got) != 0 {
			t.Errorf("taken back, and claimed: %+v", got)
		}
		if held, err := s.Renew(t.Context(), "elder", longLease); err != nil || len(held) != 1 || held[0] != hold {
			t.Errorf("taken back, and not renewed: %v, %v", held, err)
		}
		must(t, s.Offer(t.Context(), hold))
		if got := orphans(t, s, 9); len(got) != 1 || got[0].Session != "s" || got[0].Call != call {
			t.Fatalf("offered, and not claimed: %+v", got)
		}
		for doing, err := range map[string]error{
			"takes it back": s.Retake(t.Context(), hold, "elder", longLease), "offers it": s.Offer(t.Context(), hold), "writes": j.Append(entry(3)),
		} {
			if !errors.Is(err, store.ErrLost) {
				t.Errorf("whoever offered what was claimed %s: %v", doing, err)
			}
		}
		again, err := s.Acquire(t.Context(), "s", "younger", longLease, call)
		must(t, err, s.Release(t.Context(), again))
		if err := s.Retake(t.Context(), again, "younger", longLease); !errors.Is(err, store.ErrLost) {
			t.Errorf("given back, and taken back: %v", err)
		}
	})
}

// A lease that ran out is handed to one caller, and again when nobody took it; one that is held, was given back, or belongs to an
// interview that is over, is not. From then on its former holder writes nothing.
func TestOrphans(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		j := begun(t, s, "dead")
		dead, err := s.Acquire(t.Context(), "dead", "elder", ranOut, call)
		must(t, err)
		s.Fence(j, dead)
		for id, life := range map[string]time.Duration{"alive": longLease, "over": ranOut, "back": ranOut, "long ago": -2 * time.Hour, "left": longLease} {
			begun(t, s, id)
			h, err := s.Acquire(t.Context(), id, "elder", life, call)
			must(t, err)
			switch id {
			case "over":
				must(t, s.SaveSession(t.Context(), store.Session{ID: id, State: store.Ended, Ended: time.Now()}))
			case "back":
				must(t, s.Release(t.Context(), h))
			case "left":
				must(t, s.Abandon(t.Context(), h))
			}
		}
		if other, err := s.ClaimOrphans(t.Context(), "another agent", time.Hour, time.Minute, 9); err != nil || len(other) != 0 {
			t.Errorf("another agent's: %v, %v", other, err)
		}
		got := orphans(t, s, 1)
		if len(got) != 1 || got[0].Session != "dead" || got[0].Call != call {
			t.Fatalf("ran out: %+v", got)
		}
		if err := j.Append(entry(2)); !errors.Is(err, store.ErrLost) {
			t.Errorf("whoever lost the lease writes: %v", err)
		}
		if got := orphans(t, s, 9); len(got) != 1 || got[0].Session != "left" {
			t.Errorf("besides, there is %+v", got)
		}
		held, err := s.Renew(t.Context(), "elder", longLease)
		must(t, err)
		if slices.ContainsFunc(held, func(h store.Hold) bool { return h.Session == "dead" || h.Session == "back" || h.Session == "left" }) {
			t.Errorf("renewed %v", held)
		}
		must(t, s.Postpone(t.Context(), got[0].Hold, -time.Second))
		if got = orphans(t, s, 9); len(got) != 1 || got[0].Session != "dead" {
			t.Errorf("after it was postponed: %+v", got)
		}
		_, err = s.Acquire(t.Context(), "dead", "younger", longLease, call)
		must(t, err)
	})
}

// Of many who want a lease that ran out, one gets it; of many who want to call somebody, too; and no entry of an elder gets between.
func TestLeaseRace(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		const racers, rounds = 6, 10
		var all []*store.Store
		for range 2 {
			all = append(all, open(t, url))
		}
		for round := range rounds {
			id := fmt.Sprint("s", round)
			elder := begun(t, all[0], id)
			hold, err := all[0].Acquire(t.Context(), id, "elder", ranOut, call)
			must(t, err)
			all[0].Fence(elder, hold)
			var called, taken atomic.Int32
			var late, seen uint64
			var wg sync.WaitGroup
			wg.Go(func() {
				for n := uint64(2); elder.Append(state.Entry{Seq: n, Type: "e"}) == nil; n++ {
					late = n
				}
			})
			for n := range racers {
				wg.Go(func() {
					s := all[n%2]
					got, err := s.ClaimOrphans(t.Context(), "viva", time.Hour, time.Minute, 9)
					if err != nil {
						t.Error(err)
					}
					called.Add(int32(len(got)))
					_, err = s.Acquire(t.Context(), id, fmt.Sprint("younger", n), longLease, call)
					if errors.Is(err, store.ErrHeld) {
						return
					}
					taken.Add(1)
					entries, readErr := s.Read(t.Context(), id)
					if err != nil || readErr != nil {
						t.Error(err, readErr)
					}
					seen = uint64(len(entries))
				})
			}
			wg.Wait()
			if called.Load() > 1 || taken.Load() != 1 {
				t.Errorf("round %d: %d called somebody, %d took it", round, called.Load(), taken.Load())
			}
			if late = max(late, 1); seen != late {
				t.Errorf("round %d: the elder wrote %d entries, its successor read %d", round, late, seen)
			}
		}
	})
}

// A session has its lease before it begins. The worker that is asked next takes it from one that was asked before; once it has begun nobody
// does, and who lost the answer to it gets the same one again.
func TestReserve(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		waits := store.Session{ID: "s", Kind: "two_stage", Room: "room"}
		first, err := s.Reserve(t.Context(), waits, "elder", longLease, time.Hour, call)
		must(t, err)
		other := call
		other.Identity = "agent-2"
		if _, err := s.Acquire(t.Context(), "s", "younger", longLease, other); !errors.Is(err, store.ErrHeld) {
			t.Errorf("begun by another than the worker that has the job: %v", err)
		}
		again, err := s.Acquire(t.Context(), "s", "elder", longLease, call)
		must(t, err)
		second, err := s.Reserve(t.Context(), waits, "younger", ranOut, time.Hour, other)
		must(t, err)
		if again.Epoch <= first.Epoch || second.Epoch <= again.Epoch {
			t.Errorf("epochs %d, %d and %d", first.Epoch, again.Epoch, second.Epoch)
		}
		got := orphans(t, s, 9)
		if len(got) != 1 || got[0].Session != "s" || got[0].Call != other {
			t.Fatalf("nobody has come, and its worker died: %+v", got)
		}
		_, err = s.Acquire(t.Context(), "s", "third", longLease, call)
		must(t, err)
		_, err = s.Create(t.Context(), "s")
		must(t, err)
		if _, err := s.Reserve(t.Context(), waits, "elder", longLease, time.Hour, call); !errors.Is(err, store.ErrHeld) {
			t.Errorf("taken from its holder: %v", err)
		}
		if got, err := s.Session(t.Context(), "s"); err != nil || got.State != store.Live {
			t.Errorf("it has begun: %+v, %v", got, err)
		}
	})
}

// What was left in a room keeps its place there as long as it is held, or somebody may be called for it, and not for good.
func TestReserveBeside(t *testing.T) {
	for name, test := range map[string]struct {
		leave func(t *testing.T, s *store.Store)
		held  bool
	}{
		"without a lease": {func(*testing.T, *store.Store) {}, true},
		"held": {func(t *testing.T, s *store.Store) {
			_, err := s.Acquire(t.Context(), "other", "elder", longLease, call)
			must(t, err)
		}, true},
		"ran out just now": {func(t *testing.T, s *store.Store) {
			_, err := s.Acquire(t.Context(), "other", "elder", ranOut, call)
			must(t, err)
		}, true},
		"ran out too long ago": {func(t *testing.T, s *store.Store) {
			_, err := s.Acquire(t.Context(), "other", "elder", -2*time.Hour, call)
			must(t, err)
		}, false},
		"given back": {func(t *testing.T, s *store.Store) {
			h, err := s.Acquire(t.Context(), "other", "elder", longLease, call)
			must(t, err, s.Release(t.Context(), h))
		}, false},
		"taken too often": {func(t *testing.T, s *store.Store) {
			for range 21 {
				_, err := s.Acquire(t.Context(), "other", "elder", ranOut, call)
				must(t, err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			stores(t, func(t *testing.T, s *store.Store) {
				must(t, s.SaveSession(t.Context(), store.Session{ID: "other", Room: "room", State: store.Live}))
				test.leave(t, s)
				waits := store.Session{ID: "s", Room: "room"}
				if _, err := s.Reserve(t.Context(), waits, "elder", longLease, time.Hour, call); errors.Is(err, store.ErrHeld) != test.held {
					t.Errorf("reserved: %v", err)
				}
				waits.State = store.Waiting
				must(t, s.SaveSession(t.Context(), waits))
				if is, err := s.Superseded(t.Context(), "s", time.Hour); err != nil || is != test.held {
					t.Errorf("superseded: %t, %v", is, err)
				}
			})
		})
	}
}

// Nobody is called for a session that has not begun when another one has come in its place.
func TestSuperseded(t *testing.T) {
	for name, test := range map[string]struct {
		other store.Session
		is    bool
	}{
		"alone":         {store.Session{Room: "elsewhere", State: store.Live}, false},
		"a live one":    {store.Session{Room: "room", State: store.Live, Began: time.Now().Add(-time.Hour)}, true},
		"a held one":    {store.Session{Room: "room", State: store.Ended, Began: time.Now(), Ended: time.Now().Add(time.Hour)}, true},
		"one before it": {store.Session{Room: "room", State: store.Ended, Began: time.Now().Add(-time.Hour), Ended: time.Now().Add(-time.Minute)}, false},
		"one that left": {store.Session{Room: "room", State: store.Failed, Ended: time.Now().Add(time.Minute)}, false},
		"a later one":   {store.Session{Room: "room", State: store.Waiting, Began: time.Now().Add(time.Minute)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			stores(t, func(t *testing.T, s *store.Store) {
				test.other.ID = "other"
				must(t, s.SaveSession(t.Context(), store.Session{ID: "s", Room: "room", State: store.Waiting}), s.SaveSession(t.Context(), test.other))
				if is, err := s.Superseded(t.Context(), "s", time.Hour); err != nil || is != test.is {
					t.Errorf("%t, %v", is, err)
				}
			})
		})
	}
}
