package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

const secret = "I-once-took-down-production"

// held is a session with everything that can belong to one.
func held(t *testing.T, s *store.Store, id, identity string, began, ended time.Time) {
	t.Helper()
	ctx := t.Context()
	must(t, s.SaveSession(ctx, store.Session{ID: id, Identity: identity, Name: "Name of " + identity, Began: began, Ended: ended, Link: "hash of " + id}))
	j, err := s.Create(ctx, id)
	must(t, err, j.Append(state.Entry{Seq: 1, Type: "turn", Data: json.RawMessage(`{"text":"` + secret + `"}`)}), j.Close())
	document := json.RawMessage(`{"quote":"` + secret + `"}`)
	_, err1 := s.SaveEvaluation(ctx, id, "q1", document)
	_, err2 := s.SaveReport(ctx, id, document)
	_, err3 := s.AddDelivery(ctx, store.Delivery{ID: "d-" + id, Session: id, URL: "https://user:key@x", Body: document, Next: began})
	must(t, err1, err2, err3, s.SaveRecording(ctx, store.Recording{Session: id, Path: id + ".ogg", Consent: "spoken"}))
}

// left returns the ids of the sessions in the store, the latest first.
func left(t *testing.T, s *store.Store) string {
	t.Helper()
	page, err := s.List(t.Context(), store.Filter{})
	must(t, err)
	var ids []string
	for _, one := range page.Sessions {
		ids = append(ids, one.ID)
	}
	return strings.Join(ids, " ")
}

// Old sessions go, with all that is theirs; their files are named until somebody says that they are gone.
func TestPurge(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx, never := t.Context(), time.Time{}
		hour := func(n int) time.Time { return monday.Add(time.Duration(n) * time.Hour) }
		held(t, s, "old", "a", hour(0), hour(1))
		held(t, s, "abandoned", "b", hour(1), never)
		held(t, s, "recent", "a", hour(2), hour(30))
		held(t, s, "live", "b", hour(28), never)
		for _, step := range []struct {
			before     time.Time
			sessions   int
			recordings []string
			left       string
		}{
			{hour(1), 0, nil, "live recent abandoned old"},
			{hour(2), 1, []string{"old.ogg"}, "live recent abandoned"},
			{hour(26), 1, []string{"abandoned.ogg", "old.ogg"}, "live recent"},
			{hour(29), 0, []string{"abandoned.ogg", "old.ogg"}, "live recent"},
		} {
			got, err := s.Purge(ctx, step.before)
			must(t, err)
			if diff := cmp.Diff(store.Purged{Sessions: step.sessions, Recordings: step.recordings}, got); diff != "" {
				t.Errorf("before %s: %s", step.before, diff)
			}
			if got := left(t, s); got != step.left {
				t.Errorf("before %s: %q is left, want %q", step.before, got, step.left)
			}
		}
		must(t, s.Removed(ctx, "old.ogg", "never there"))
		got, err := s.Purge(ctx, hour(31))
		must(t, err)
		if diff := cmp.Diff(store.Purged{Sessions: 1, Recordings: []string{"abandoned.ogg", "recent.ogg"}}, got); diff != "" {
			t.Error(diff)
		}
		empty(t, s, "old")
		if _, err := s.Report(ctx, "live"); err != nil {
			t.Errorf("another session lost its report: %v", err)
		}
	})
}

// empty checks that nothing of a session is left.
func empty(t *testing.T, s *store.Store, id string) {
	t.Helper()
	ctx := t.Context()
	evaluations, err1 := s.Evaluations(ctx, id)
	recordings, err2 := s.Recordings(ctx, id)
	deliveries, err3 := s.Deliveries(ctx, id)
	must(t, err1, err2, err3)
	_, err4 := s.Session(ctx, id)
	_, err5 := s.Read(ctx, id)
	_, err6 := s.Report(ctx, id)
	if len(evaluations)+len(recordings)+len(deliveries) > 0 ||
		!errors.Is(err4, store.ErrNoSession) || !errors.Is(err5, state.ErrNoJournal) || !errors.Is(err6, store.ErrNoReport) {
		t.Errorf("left of %s: %v %v %v %v %v %v", id, evaluations, recordings, deliveries, err4, err5, err6)
	}
}

func TestDeleteOneCandidate(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		held(t, s, "a1", "an", monday, monday.Add(time.Hour))
		held(t, s, "b1", "binh", monday.Add(time.Hour), time.Time{})
		held(t, s, "a2", "an", monday.Add(2*time.Hour), time.Time{})
		for _, identity := range []string{"", "\x00"} {
			if _, err := s.Delete(t.Context(), identity); err == nil {
				t.Errorf("deleted %q", identity)
			}
		}
		if got, err := s.Delete(t.Context(), "nobody"); err != nil || got.Sessions > 0 {
			t.Errorf("%+v, %v", got, err)
		}
		got, err := s.Delete(t.Context(), "an")
		must(t, err)
		if diff := cmp.Diff(store.Purged{Sessions: 2, Recordings: []string{"a1.ogg", "a2.ogg"}}, got); diff != "" {
			t.Error(diff)
		}
		empty(t, s, "a1")
		empty(t, s, "a2")
		if got := left(t, s); got != "b1" {
			t.Errorf("%q is left", got)
		}
	})
}

// What was deleted is not in the files of the database either.
func TestDeletedWordsLeaveTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "viva.db")
	s := open(t, path)
	held(t, s, "a1", "an", monday, time.Time{})
	if !onDisk(t, filepath.Dir(path)) {
		t.Fatal("the words were never there: this test tests nothing")
	}
	_, err := s.Delete(t.Context(), "an")
	must(t, err)
	if onDisk(t, filepath.Dir(path)) {
		t.Error("the candidate's words can still be read from the file")
	}
}

func onDisk(t *testing.T, dir string) (found bool) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || bytes.Contains(text, []byte(secret))
		return err
	}))
	return found
}

// Everything about one candidate, and nothing about another: no keys either.
func TestExport(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		held(t, s, "../a", "an", monday, monday.Add(time.Hour))
		held(t, s, "b", "binh", monday, time.Time{})
		must(t, s.SaveSession(ctx, store.Session{ID: "..", Identity: "an", Began: monday.Add(time.Hour)}))
		var names []string
		words := 0
		must(t, s.Export(ctx, "an", func(d store.Document) error {
			names = append(names, d.Name)
			text := string(d.JSON)
			if !json.Valid(d.JSON) || !fs.ValidPath(d.Name) {
				t.Errorf("%s: %s", d.Name, text)
			}
			for _, other := range []string{"binh", "hash of", "user:key"} {
				if strings.Contains(text, other) {
					t.Errorf("%s tells %q", d.Name, other)
				}
			}
			words += strings.Count(text, secret)
			return nil
		}))
		want := []string{
			"candidate.json",
			"sessions/..%2Fa/session.json", "sessions/..%2Fa/journal.json", "sessions/..%2Fa/evaluations.json",
			"sessions/..%2Fa/report.json", "sessions/..%2Fa/recordings.json", "sessions/..%2Fa/deliveries.json",
			"sessions/_../session.json",
		}
		if diff := cmp.Diff(want, names); diff != "" || words != 3 {
			t.Errorf("the words are there %d times; %s", words, diff)
		}
		for _, identity := range []string{"", "nobody"} {
			if err := s.Export(ctx, identity, nil); !errors.Is(err, store.ErrNoCandidate) {
				t.Errorf("%q: %v", identity, err)
			}
		}
		full := errors.New("the disk is full")
		if err := s.Export(ctx, "an", func(store.Document) error { return full }); !errors.Is(err, full) {
			t.Error(err)
		}
	})
}
