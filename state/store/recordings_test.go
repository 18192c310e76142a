package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state/store"
)

// Sound can go before the rest: what is old is named for deletion until it is gone, and its session stays.
func TestRecordingsGoWithoutTheirSessions(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		hour := func(n int) time.Time { return monday.Add(time.Duration(n) * time.Hour) }
		held(t, s, "old", "a", hour(0), hour(1))
		held(t, s, "abandoned", "b", hour(1), time.Time{})
		held(t, s, "recent", "a", hour(2), hour(40))
		for _, step := range []struct {
			before time.Time
			paths  []string
		}{
			{hour(1), nil},
			{hour(2), []string{"old.ogg"}},
			{hour(26), []string{"abandoned.ogg", "old.ogg"}}, // nobody has said that the first is gone
		} {
			paths, err := s.PurgeRecordings(ctx, step.before)
			must(t, err)
			if diff := cmp.Diff(step.paths, paths); diff != "" {
				t.Errorf("before %v: %s", step.before, diff)
			}
		}
		must(t, s.Removed(ctx, "old.ogg", "abandoned.ogg"))
		if paths, err := s.PurgeRecordings(ctx, hour(26)); err != nil || len(paths) != 0 {
			t.Errorf("still there: %v %v", paths, err)
		}
		if got := left(t, s); got != "recent abandoned old" {
			t.Errorf("sessions left: %s", got)
		}
		if all, err := s.Recordings(ctx, "old"); err != nil || len(all) != 0 {
			t.Errorf("the index still has %v %v", all, err)
		}
		if all, err := s.Recordings(ctx, "recent"); err != nil || len(all) != 1 {
			t.Errorf("the index lost %v %v", all, err)
		}
	})
}

// A recording that was taken back is not in the index any more; that it is told twice changes nothing.
func TestForgetRecording(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		held(t, s, "one", "a", monday, time.Time{})
		must(t, s.ForgetRecording(t.Context(), "one.ogg"), s.ForgetRecording(t.Context(), "one.ogg"))
		if all, err := s.Recordings(t.Context(), "one"); err != nil || len(all) != 0 {
			t.Errorf("%v %v", all, err)
		}
		purged, err := s.Purge(t.Context(), monday.Add(48*time.Hour))
		must(t, err)
		if purged.Sessions != 1 || len(purged.Recordings) != 0 {
			t.Errorf("%+v", purged)
		}
	})
}

// What a purge would do can be counted before.
func TestExpired(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		held(t, s, "old", "a", monday, monday.Add(time.Hour))
		held(t, s, "live", "b", monday, time.Time{})
		for before, want := range map[time.Duration][2]int{time.Hour: {0, 0}, 2 * time.Hour: {1, 1}, 25 * time.Hour: {2, 2}} {
			sessions, recordings, err := s.Expired(t.Context(), monday.Add(before))
			must(t, err)
			if got := [2]int{sessions, recordings}; got != want {
				t.Errorf("before %v: %v, want %v", before, got, want)
			}
		}
	})
}
