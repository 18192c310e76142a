package store_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/vivavoice/viva/state/store"
)

// Every process with the database has the same secret, which another database has not.
func TestLinkSecret(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		first, err1 := open(t, url).LinkSecret(t.Context())
		second, err2 := open(t, url).LinkSecret(t.Context())
		must(t, err1, err2)
		if !bytes.Equal(first, second) || len(first) != 32 {
			t.Errorf("%d and %d bytes, the same: %t", len(first), len(second), bytes.Equal(first, second))
		}
	})
	other, err := open(t, t.TempDir()+"/a.db").LinkSecret(t.Context())
	must(t, err)
	if again, err := open(t, t.TempDir()+"/b.db").LinkSecret(t.Context()); err != nil || bytes.Equal(other, again) {
		t.Errorf("two databases have one secret (%v)", err)
	}
}

// A link that was taken away opens nothing, and is not given back by what makes links.
func TestLinksAreTakenAway(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		must(t, s.SaveSession(ctx, store.Session{ID: "a", Link: "old"}), s.SaveSession(ctx, store.Session{ID: "b"}))
		must(t, s.Relink(ctx, "a", "new"), s.Relink(ctx, "b", "none"), s.Relink(ctx, "nobody", "nothing"))
		if found, err := s.SessionByLink(ctx, "new"); err != nil || found.ID != "a" {
			t.Errorf("%+v %v", found, err)
		}
		if had, err := s.Unlink(ctx, "a"); err != nil || !had {
			t.Errorf("%t %v", had, err)
		}
		must(t, s.Relink(ctx, "a", "new"))
		for _, hash := range []string{"old", "new", "none", ""} {
			if _, err := s.SessionByLink(ctx, hash); !errors.Is(err, store.ErrNoSession) {
				t.Errorf("%q opens something: %v", hash, err)
			}
		}
		if had, err := s.Unlink(ctx, "a"); err != nil || had {
			t.Errorf("%t %v", had, err)
		}
		if _, err := s.Unlink(ctx, "nobody"); !errors.Is(err, store.ErrNoSession) {
			t.Error(err)
		}
	})
}

// A room is known for interviews that were held there: begun, and over.
func TestRoomsWhereInterviewsWereHeld(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		must(t,
			s.SaveSession(ctx, store.Session{ID: "a", Room: "over", Began: monday, Ended: monday, State: store.Ended}),
			s.SaveSession(ctx, store.Session{ID: "b", Room: "failed", Began: monday, Ended: monday, State: store.Failed}),
			s.SaveSession(ctx, store.Session{ID: "c", Room: "live", Began: monday, State: store.Live}),
			s.SaveSession(ctx, store.Session{ID: "d", Room: "unheld", Ended: monday, State: store.Failed}),
		)
		for room, want := range map[string]bool{"over": true, "failed": true, "live": false, "unheld": false, "unknown": false} {
			if held, err := s.HeldIn(ctx, room); err != nil || held != want {
				t.Errorf("%s: %t %v", room, held, err)
			}
		}
	})
}
