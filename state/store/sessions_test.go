package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state/store"
)

var monday = time.Date(2026, 5, 18, 9, 0, 0, int(250*time.Millisecond), time.UTC)

// R002-59: what is known about a session is added to as it becomes known, and survives.
func TestSessionGrows(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		s, ctx := open(t, url), t.Context()
		must(t, s.SaveSession(ctx, store.Session{ID: "a", Kind: "persona", Name: "Nguyễn\x00 An\xff", Link: "hash"}))
		want := store.Session{ID: "a", Kind: "persona", Name: "Nguyễn An", Link: "hash", State: store.Waiting}
		is(t, s, want)

		must(t, s.SaveSession(ctx, store.Session{ID: "a", Identity: "an", Room: "r", Definition: "d", Locale: "vi", Began: monday, State: store.Live}))
		want.Identity, want.Room, want.Definition, want.Locale, want.Began, want.State = "an", "r", "d", "vi", monday, store.Live
		is(t, s, want)

		must(t, s.SaveSession(ctx, store.Session{ID: "a", State: store.Ended, Ended: monday.Add(time.Hour), Reason: "done"}))
		want.State, want.Ended, want.Reason = store.Ended, monday.Add(time.Hour), "done"
		must(t, s.SaveSession(ctx, store.Session{ID: "a", State: store.Failed, Ended: monday.Add(2 * time.Hour), Reason: "swept"}))
		must(t, s.Close())
		s = open(t, url)
		is(t, s, want)

		if _, err := s.Session(ctx, "nobody"); !errors.Is(err, store.ErrNoSession) {
			t.Error(err)
		}
		for _, hash := range []string{"", "other"} {
			if _, err := s.SessionByLink(ctx, hash); !errors.Is(err, store.ErrNoSession) {
				t.Errorf("link %q: %v", hash, err)
			}
		}
		if err := s.SaveSession(ctx, store.Session{ID: "b", Link: "hash"}); err == nil {
			t.Error("two sessions have one link")
		}
		if err := s.SaveSession(ctx, store.Session{}); err == nil {
			t.Error("a session without an id was saved")
		}
	})
}

func is(t *testing.T, s *store.Store, want store.Session) {
	t.Helper()
	byID, err1 := s.Session(t.Context(), want.ID)
	byLink, err2 := s.SessionByLink(t.Context(), want.Link)
	must(t, err1, err2)
	if diff := cmp.Diff([]store.Session{want, want}, []store.Session{byID, byLink}); diff != "" {
		t.Error(diff)
	}
}

// A journal makes its session live, and gives it a beginning where it has none.
func TestCreateBeginsTheSession(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		must(t, s.SaveSession(t.Context(), store.Session{ID: "invited", Name: "An"}))
		must(t, s.SaveSession(t.Context(), store.Session{ID: "begun", Began: monday}))
		before := time.Now().Truncate(time.Millisecond)
		for _, id := range []string{"invited", "begun", "unheard of"} {
			write(t, s, id, 1)
			got, err := s.Session(t.Context(), id)
			must(t, err)
			if kept := got.Began.Equal(monday); got.State != store.Live || kept != (id == "begun") || !kept && got.Began.Before(before) {
				t.Errorf("%s: %+v", id, got)
			}
		}
	})
}

// Several parts of the product know different things about a session at the same time: nothing is lost.
func TestSessionIsAddedToAtOnce(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		var wg sync.WaitGroup
		for _, part := range []store.Session{{Name: "An"}, {Room: "r"}, {Kind: "k"}, {Locale: "vi"}, {Identity: "i"}, {Definition: "d"}} {
			wg.Go(func() {
				part.ID = "a"
				if err := s.SaveSession(t.Context(), part); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got, err := s.Session(t.Context(), "a")
		must(t, err)
		want := store.Session{ID: "a", Name: "An", Room: "r", Kind: "k", Locale: "vi", Identity: "i", Definition: "d", State: store.Waiting}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestList(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		for i, one := range []store.Session{
			{ID: "s0", Kind: "persona", Name: "Nguyễn Văn Đức", State: store.Ended},
			{ID: "s1", Kind: "persona", Name: "李雷", Identity: "lilei", State: store.Live},
			{ID: "s2", Kind: "two_stage", Name: "100%_sure", Room: "Paris-7", State: store.Live},
			{ID: "s3", Kind: "two_stage", Name: "Zoë", State: store.Failed},
		} {
			one.Began = monday.Add(time.Duration(i) * time.Hour)
			must(t, s.SaveSession(ctx, one))
		}
		write(t, s, "s1", 3)
		_, err1 := s.SaveEvaluation(ctx, "s1", "q", []byte(`{}`))
		_, err2 := s.SaveReport(ctx, "s1", []byte(`{}`))
		must(t, err1, err2, s.SaveRecording(ctx, store.Recording{Session: "s1", Path: "p"}))
		for name, c := range map[string]struct {
			filter store.Filter
			want   string
			total  int
		}{
			"all, the latest first":      {store.Filter{}, "[s3 s2 s1 s0]", 4},
			"a page":                     {store.Filter{Offset: 1, Limit: 2}, "[s2 s1]", 4},
			"past the end":               {store.Filter{Offset: 9}, "[]", 4},
			"nonsense":                   {store.Filter{Offset: -1, Limit: -1}, "[s3 s2 s1 s0]", 4},
			"state":                      {store.Filter{State: store.Live}, "[s2 s1]", 2},
			"kind":                       {store.Filter{Kind: "persona"}, "[s1 s0]", 2},
			"kind and state":             {store.Filter{Kind: "persona", State: store.Failed}, "[]", 0},
			"from":                       {store.Filter{From: monday.Add(2 * time.Hour)}, "[s3 s2]", 2},
			"before":                     {store.Filter{To: monday.Add(2 * time.Hour)}, "[s1 s0]", 2},
			"name without its accents":   {store.Filter{Text: "nguyen van duc"}, "[s0]", 1},
			"name with them, in caps":    {store.Filter{Text: "ĐỨC"}, "[s0]", 1},
			"a Chinese name":             {store.Filter{Text: "雷"}, "[s1]", 1},
			"identity":                   {store.Filter{Text: "LiLei"}, "[s1]", 1},
			"room":                       {store.Filter{Text: "paris"}, "[s2]", 1},
			"id":                         {store.Filter{Text: "s3"}, "[s3]", 1},
			"signs that SQL gives sense": {store.Filter{Text: "%_"}, "[s2]", 1},
			"a backslash":                {store.Filter{Text: `\`}, "[]", 0},
			"a quote":                    {store.Filter{Text: "' OR 1=1 --"}, "[]", 0},
			"no text at all":             {store.Filter{Text: "\x00\xff"}, "[s3 s2 s1 s0]", 4},
		} {
			page, err := s.List(ctx, c.filter)
			ids := []string{}
			for _, one := range page.Sessions {
				ids = append(ids, one.ID)
			}
			if got := fmt.Sprint(ids); err != nil || got != c.want || page.Total != c.total {
				t.Errorf("%s: %s of %d, want %s of %d; %v", name, got, page.Total, c.want, c.total, err)
			}
		}
		page, err := s.List(ctx, store.Filter{State: store.Live, Kind: "persona"})
		must(t, err)
		if diff := cmp.Diff(map[string]int{store.Live: 1, store.Ended: 1}, page.States); diff != "" {
			t.Error(diff)
		}
		if got := page.Sessions[0]; got.Entries != 3 || got.Evaluations != 1 || got.Recordings != 1 || !got.Report || !got.Began.Equal(monday.Add(time.Hour)) {
			t.Errorf("%+v", got)
		}
	})
}
