package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

const (
	lease = 10 * time.Minute
	hush  = 35 * time.Minute
)

// leave makes a session that began so long ago and whose last entry was written then.
func leave(t *testing.T, s *store.Store, now time.Time, id, how string, began, last time.Duration) {
	t.Helper()
	j, err := s.Create(t.Context(), id)
	must(t, err)
	must(t, j.Append(state.Entry{Seq: 1, At: 0, Type: "started"}), j.Append(state.Entry{Seq: 2, At: state.FromDuration(began - last), Type: "stop"}))
	session := store.Session{ID: id, State: how, Began: now.Add(-began)}
	if how != store.Live {
		session.Ended = now.Add(-last)
	}
	must(t, s.SaveSession(t.Context(), session))
}

func claim(t *testing.T, s *store.Store, now time.Time, n int) (ids []string) {
	t.Helper()
	left, err := s.ClaimLeft(t.Context(), now, now.Add(-hush), lease, n)
	must(t, err)
	for i := range left {
		ids = append(ids, left[i].ID)
	}
	slices.Sort(ids)
	return ids
}

// R002-63: what a dead worker left is found by the silence of its journal, and a session that is live, waits, failed or has its
// report is not; it is handed out once at a time, and three times at most.
func TestClaimLeft(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		now := time.Now()
		leave(t, s, now, "lost", store.Live, 50*time.Minute, 36*time.Minute)
		leave(t, s, now, "long", store.Live, 90*time.Minute, time.Minute)
		leave(t, s, now, "just", store.Live, 50*time.Minute, 34*time.Minute)
		leave(t, s, now, "unreported", store.Ended, 2*time.Hour, time.Hour)
		leave(t, s, now, "reported", store.Ended, 2*time.Hour, time.Hour)
		leave(t, s, now, "fresh", store.Ended, 20*time.Minute, time.Minute)
		leave(t, s, now, "old", store.Ended, 50*time.Hour, 49*time.Hour)
		leave(t, s, now, "failed", store.Failed, 2*time.Hour, time.Hour)
		must(t, s.SaveSession(t.Context(), store.Session{ID: "waiting", State: store.Waiting}))
		_, err := s.SaveReport(t.Context(), "reported", []byte(`{}`))
		must(t, err)

		if got := claim(t, s, now, 1); !slices.Equal(got, []string{"unreported"}) {
			t.Errorf("the oldest is %v", got)
		}
		if got := claim(t, s, now, 9); !slices.Equal(got, []string{"lost"}) {
			t.Errorf("beside it there is %v", got)
		}
		for n := range 4 {
			now = now.Add(lease + time.Second)
			got := claim(t, s, now, 9)
			for _, id := range []string{"lost", "unreported"} {
				if want := n < 2; slices.Contains(got, id) != want {
					t.Errorf("round %d: %v", n, got)
				}
			}
			must(t, s.SettleLeft(t.Context(), "just"))
			if again := claim(t, s, now, 9); len(again) > 0 {
				t.Errorf("round %d: handed out twice: %v", n, again)
			}
		}
	})
}

// R002-63: many sweepers at the same time share what is left, each session once.
func TestClaimLeftTogether(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		now, got := time.Now(), make(chan string, 100)
		first := open(t, url)
		for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
			leave(t, first, now, id, store.Live, 2*time.Hour, time.Hour)
		}
		var wg sync.WaitGroup
		for range 4 {
			s := open(t, url)
			wg.Go(func() {
				for {
					left, err := s.ClaimLeft(t.Context(), now, now.Add(-hush), lease, 2)
					if err != nil {
						t.Error(err)
					}
					if len(left) == 0 {
						return
					}
					for i := range left {
						got <- left[i].ID
					}
				}
			})
		}
		wg.Wait()
		close(got)
		var all []string
		for id := range got {
			all = append(all, id)
		}
		slices.Sort(all)
		if !slices.Equal(all, []string{"a", "b", "c", "d", "e", "f"}) {
			t.Errorf("handed out: %v", all)
		}
	})
}
