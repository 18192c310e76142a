package state_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state"
)

func entry(n int) state.Entry {
	return state.Entry{Seq: uint64(n), At: state.Millis(n * 10), Type: "turn", Data: json.RawMessage(fmt.Sprintf(`{"text":"%d"}`, n))}
}

// stores runs a test on every kind of store.
func stores(t *testing.T, test func(t *testing.T, s state.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, state.NewMemory()) })
	t.Run("folder", func(t *testing.T) { test(t, state.Dir(filepath.Join(t.TempDir(), "made", "when", "needed"))) })
}

func write(t *testing.T, s state.Store, session string, n int) []state.Entry {
	t.Helper()
	j, err := s.Create(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	var wrote []state.Entry
	for i := 1; i <= n; i++ {
		if err := j.Append(entry(i)); err != nil {
			t.Fatal(err)
		}
		wrote = append(wrote, entry(i))
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return wrote
}

// RX-9: what was appended is read back, in order, session by session.
func TestStoreKeepsTheOrder(t *testing.T) {
	stores(t, func(t *testing.T, s state.Store) {
		a, b := write(t, s, "a", 300), write(t, s, "b", 2)
		write(t, s, "empty", 0)
		for session, want := range map[string][]state.Entry{"a": a, "b": b, "empty": nil} {
			got, err := s.Read(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", session, diff)
			}
		}
	})
}

func TestStoreRefusals(t *testing.T) {
	stores(t, func(t *testing.T, s state.Store) {
		write(t, s, "a", 1)
		if _, err := s.Create(t.Context(), "a"); !errors.Is(err, os.ErrExist) {
			t.Errorf("a second journal of one session: %v", err)
		}
		if got, err := s.Read(t.Context(), "a"); err != nil || len(got) != 1 {
			t.Errorf("the first one is gone: %v, %v", got, err)
		}
		if _, err := s.Read(t.Context(), "nobody"); !errors.Is(err, state.ErrNoJournal) {
			t.Errorf("an unknown session: %v", err)
		}
	})
}

// What is read can be read while the session goes on, and stays as it was.
func TestReadDuringWriting(t *testing.T) {
	stores(t, func(t *testing.T, s state.Store) {
		j, err := s.Create(t.Context(), "live")
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(entry(1)); err != nil {
			t.Fatal(err)
		}
		before, err := s.Read(t.Context(), "live")
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(entry(2)); err != nil {
			t.Fatal(err)
		}
		after, err := s.Read(t.Context(), "live")
		if err != nil || len(before) != 1 || len(after) != 2 {
			t.Errorf("%d, then %d entries, %v", len(before), len(after), err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Many sessions share a store: each has one writer, readers come at any time.
func TestStoreIsShared(t *testing.T) {
	stores(t, func(t *testing.T, s state.Store) {
		var wg sync.WaitGroup
		for n := range 8 {
			session := fmt.Sprintf("s%d", n)
			j, err := s.Create(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				defer func() {
					if err := j.Close(); err != nil {
						t.Error(err)
					}
				}()
				for i := 1; i <= 50; i++ {
					if err := j.Append(entry(i)); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Go(func() {
				for range 20 {
					got, err := s.Read(t.Context(), session)
					if err != nil {
						t.Error(err)
					}
					for i, e := range got {
						if e.Seq != uint64(i+1) {
							t.Errorf("%s: entry %d has number %d", session, i, e.Seq)
						}
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestMemoryForgets(t *testing.T) {
	m := state.NewMemory()
	write(t, m, "a", 3)
	m.Discard("a")
	m.Discard("never there")
	if _, err := m.Read(t.Context(), "a"); !errors.Is(err, state.ErrNoJournal) {
		t.Errorf("still there: %v", err)
	}
	write(t, m, "a", 1)
}

// Candidates' words are readable by the worker's own user only.
func TestFolderIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journals")
	write(t, state.Dir(dir), "a", 1)
	for path, want := range map[string]fs.FileMode{dir: 0o700 | fs.ModeDir, filepath.Join(dir, "a.jsonl"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %s, want %s", filepath.Base(path), info.Mode(), want)
		}
	}
}

// A session id never leaves the folder.
func TestSessionIDsThatAreNoFileNames(t *testing.T) {
	dir := t.TempDir()
	s := state.Dir(filepath.Join(dir, "journals"))
	for _, session := range []string{"", ".", "..", "../a", "a/b", "/etc/passwd", "a/"} {
		if _, err := s.Create(t.Context(), session); err == nil {
			t.Errorf("%q was created", session)
		}
		if _, err := s.Read(t.Context(), session); err == nil || errors.Is(err, state.ErrNoJournal) {
			t.Errorf("%q was looked for: %v", session, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("made %v, %v", left, err)
	}
}

// An event that is too long is refused whole; the journal stays readable and goes on.
func TestOversizeEntryIsRefused(t *testing.T) {
	s := state.Dir(t.TempDir())
	j, err := s.Create(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(entry(1)); err != nil {
		t.Fatal(err)
	}
	big := entry(2)
	big.Data = json.RawMessage(`"` + strings.Repeat("x", state.MaxEntry) + `"`)
	if err := j.Append(big); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("got %v", err)
	}
	if err := j.Append(entry(2)); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(t.Context(), "a"); err != nil || len(got) != 2 {
		t.Errorf("%d entries, %v", len(got), err)
	}
}

// The largest entry that is taken is also read.
func TestLargestEntryIsRead(t *testing.T) {
	s := state.Dir(t.TempDir())
	j, err := s.Create(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	e := entry(1)
	e.Data = json.RawMessage(`""`)
	frame, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	e.Data = json.RawMessage(`"` + strings.Repeat("x", state.MaxEntry-len(frame)) + `"`)
	for _, step := range []error{j.Append(e), j.Append(entry(2)), j.Close()} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if got, err := s.Read(t.Context(), "a"); err != nil || len(got) != 2 {
		t.Errorf("%d entries, %v", len(got), err)
	}
}

func TestAppendAfterTheFileIsClosed(t *testing.T) {
	j, err := state.Dir(t.TempDir()).Create(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(entry(1)); err == nil {
		t.Error("it was lost without an error")
	}
}

func TestReadEntries(t *testing.T) {
	lines := func(entries ...int) string {
		var b bytes.Buffer
		for _, n := range entries {
			line, err := json.Marshal(entry(n))
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text string
		want int
		fail string
	}{
		"nothing":                        {text: "", want: 0},
		"whole":                          {text: lines(1, 2, 3), want: 3},
		"no newline at the end":          {text: strings.TrimSuffix(lines(1, 2), "\n"), want: 2},
		"last line torn by a crash":      {text: lines(1, 2) + `{"seq":3,"at":3`, want: 2},
		"only a torn line":               {text: `{"se`, want: 0},
		"broken in the middle":           {text: lines(1) + "{\"seq\n" + lines(3), fail: "entry 2"},
		"broken line, then a proper one": {text: lines(1) + "garbage\n" + lines(2), fail: "entry 2"},
		"gap":                            {text: lines(1, 3), fail: "number 3"},
		"twice":                          {text: lines(1, 1), fail: "number 1"},
		"not from the beginning":         {text: lines(2, 3), fail: "number 2"},
		"a line without end":             {text: lines(1) + strings.Repeat("x", 2*state.MaxEntry), fail: "read journal"},
	} {
		got, err := state.ReadEntries(strings.NewReader(c.text))
		switch {
		case c.fail == "" && (err != nil || len(got) != c.want):
			t.Errorf("%s: %d entries, %v", name, len(got), err)
		case c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)):
			t.Errorf("%s: %v, want an error that says %q", name, err, c.fail)
		}
	}
}

// What broke off is gone on with after its last entry.
func TestMemoryResume(t *testing.T) {
	m := state.NewMemory()
	if _, _, err := m.Resume(t.Context(), "s"); !errors.Is(err, state.ErrNoJournal) {
		t.Errorf("resumed nothing: %v", err)
	}
	j, err := m.Create(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	for n := uint64(1); n <= 3; n++ {
		if n == 3 {
			var entries []state.Entry
			if j, entries, err = m.Resume(t.Context(), "s"); err != nil || len(entries) != 2 {
				t.Fatalf("%d entries: %v", len(entries), err)
			}
		}
		if err := j.Append(state.Entry{Seq: n, Type: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := m.Read(t.Context(), "s"); err != nil || len(entries) != 3 {
		t.Errorf("%d entries: %v", len(entries), err)
	}
}
