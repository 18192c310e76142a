package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

func entry(n int) state.Entry {
	return state.Entry{
		Seq: uint64(n), At: state.Millis(n * 10), Type: "turn",
		Data: json.RawMessage(fmt.Sprintf(`{ "text": "Nguyễn \u0000 %d" }`, n)),
	}
}

func entries(n int) (all []state.Entry) {
	for i := range n {
		all = append(all, entry(i+1))
	}
	return all
}

func write(t testing.TB, s *store.Store, session string, n int) {
	t.Helper()
	j, err := s.Create(t.Context(), session)
	must(t, err)
	for _, e := range entries(n) {
		must(t, j.Append(e))
	}
	must(t, j.Close())
}

// holds checks that the journal has the entries 1 … n, to the byte.
func holds(t *testing.T, s *store.Store, session string, n int) {
	t.Helper()
	got, err := s.Read(t.Context(), session)
	must(t, err)
	if diff := cmp.Diff(entries(n), got); diff != "" {
		t.Errorf("%s: %s", session, diff)
	}
}

// RX-9: what was appended is read back to the byte, in order, session by session.
func TestJournalKeepsTheOrder(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		write(t, s, "a", 300)
		write(t, s, "b", 2)
		write(t, s, "empty", 0)
		holds(t, s, "a", 300)
		holds(t, s, "b", 2)
		holds(t, s, "empty", 0)
	})
}

// RX-9: an entry without data, and the largest that is taken.
func TestUnusualEntries(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		j, err := s.Create(t.Context(), "a")
		must(t, err)
		big := state.Entry{Seq: 2, Type: "big", Data: json.RawMessage(`"` + strings.Repeat("x", state.MaxEntry-5) + `"`)}
		want := []state.Entry{{Seq: 1, Type: "stop"}, big}
		must(t, j.Append(want[0]), j.Append(want[1]), j.Close())
		got, err := s.Read(t.Context(), "a")
		must(t, err)
		if !reflect.DeepEqual(want, got) { // not to be shown
			t.Errorf("%d entries, or not these", len(got))
		}
	})
}

// What cannot be read back is refused, and the journal goes on.
func TestJournalRefusals(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		j, err := s.Create(t.Context(), "a")
		must(t, err, j.Append(entry(1)))
		big := entry(2)
		big.Data = json.RawMessage(`"` + strings.Repeat("x", state.MaxEntry) + `"`)
		broken := entry(2)
		broken.Data = json.RawMessage(`{"text`)
		for name, e := range map[string]state.Entry{"2 (turn) has": big, "2 (turn) is not JSON": broken, "3 cannot follow": entry(3), "0 cannot": {}} {
			if err := j.Append(e); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want an error with %q", err, name)
			}
		}
		must(t, j.Append(entry(2)), j.Close())
		holds(t, s, "a", 2)
		if err := j.Append(entry(3)); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		if _, err := s.Create(t.Context(), "a"); !errors.Is(err, os.ErrExist) {
			t.Errorf("a second journal of one session: %v", err)
		}
		holds(t, s, "a", 2)
		must(t, s.SaveSession(t.Context(), store.Session{ID: "invited"}))
		for _, session := range []string{"nobody", "invited"} {
			if _, err := s.Read(t.Context(), session); !errors.Is(err, state.ErrNoJournal) {
				t.Errorf("%s: %v", session, err)
			}
			if _, _, err := s.Resume(t.Context(), session); !errors.Is(err, state.ErrNoJournal) {
				t.Errorf("%s: %v", session, err)
			}
		}
		for _, id := range []string{"", "a\x00b", "a\nb", "\xff", strings.Repeat("x", 201)} {
			_, err1 := s.Create(t.Context(), id)
			_, err2 := s.Read(t.Context(), id)
			if err1 == nil || err2 == nil || errors.Is(err2, state.ErrNoJournal) {
				t.Errorf("%q: %v, %v", id, err1, err2)
			}
		}
	})
}

// R002-59: a second try of the same entry changes nothing; another entry under its number is refused.
func TestAppendIsIdempotent(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		j, err := s.Create(t.Context(), "a")
		must(t, err, j.Append(entry(1)), j.Append(entry(2)))
		must(t, j.Append(entry(1)), j.Append(entry(2)))
		for _, change := range []func(*state.Entry){
			func(e *state.Entry) { e.At++ }, func(e *state.Entry) { e.Type = "timer" }, func(e *state.Entry) { e.Data = nil },
		} {
			other := entry(2)
			change(&other)
			if err := j.Append(other); !errors.Is(err, store.ErrConflict) {
				t.Errorf("%+v: %v", other, err)
			}
		}
		must(t, j.Append(entry(3)))
		holds(t, s, "a", 3)
	})
}

// R002-59, RX-18: after a restart the journal is read, and goes on where it stopped; of two that go on, one is told.
func TestResume(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		first := open(t, url)
		write(t, first, "a", 5)
		must(t, first.Close())

		s := open(t, url)
		j, got, err := s.Resume(t.Context(), "a")
		must(t, err)
		if diff := cmp.Diff(entries(5), got); diff != "" {
			t.Fatal(diff)
		}
		late, _, err := s.Resume(t.Context(), "a")
		must(t, err, j.Append(entry(6)))
		mine := entry(6)
		mine.Type = "stop"
		if err := late.Append(mine); !errors.Is(err, store.ErrConflict) {
			t.Errorf("two workers hold one session: %v", err)
		}
		must(t, j.Append(entry(7)), j.Close())
		holds(t, s, "a", 7)
	})
}

// Many sessions share the scribe: each entry is answered, and readers come at any time.
func TestManySessionsAtOnce(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		const sessions, each = 24, 40
		var wg sync.WaitGroup
		for n := range sessions {
			session := fmt.Sprintf("s%d", n)
			j, err := s.Create(t.Context(), session)
			must(t, err)
			wg.Go(func() {
				for _, e := range entries(each) {
					if err := j.Append(e); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Go(func() {
				for range 5 {
					if got, err := s.Read(t.Context(), session); err != nil || len(got) > each {
						t.Errorf("%d entries, %v", len(got), err)
					}
					if _, err := s.SaveEvaluation(t.Context(), session, "q1", json.RawMessage(`{}`)); err != nil {
						t.Error(err)
					}
					if _, err := s.List(t.Context(), store.Filter{}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for n := range sessions {
			holds(t, s, fmt.Sprintf("s%d", n), each)
		}
	})
}

// One session's mistake does not touch the entries of others that are written with it.
func TestRefusedEntryTakesNoOtherWithIt(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		gone, err := s.Create(t.Context(), "gone")
		must(t, err, s.SaveSession(t.Context(), store.Session{ID: "gone", Identity: "x"}))
		_, err = s.Delete(t.Context(), "x")
		must(t, err)
		var wg sync.WaitGroup
		for n := range 16 {
			j, err := s.Create(t.Context(), fmt.Sprint("s", n))
			must(t, err)
			wg.Go(func() {
				for _, e := range entries(10) {
					if err := j.Append(e); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 10 {
			if err := gone.Append(entry(1)); !errors.Is(err, store.ErrNoSession) {
				t.Errorf("got %v", err)
			}
		}
		wg.Wait()
		for n := range 16 {
			holds(t, s, fmt.Sprint("s", n), 10)
		}
	})
}

// Close waits for what was given, and says so to whoever comes later.
func TestCloseWhileWriting(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		s := open(t, url)
		var wg sync.WaitGroup
		kept := make([]int, 8)
		begun := make(chan struct{}, len(kept))
		for n := range kept {
			j, err := s.Create(t.Context(), fmt.Sprint("s", n))
			must(t, err)
			wg.Go(func() {
				for i := 1; ; i++ {
					if err := j.Append(entry(i)); err != nil {
						if !errors.Is(err, store.ErrClosed) {
							t.Error(err)
						}
						return
					}
					if kept[n] = i; i == 1 {
						begun <- struct{}{}
					}
				}
			})
		}
		for range kept {
			<-begun
		}
		must(t, s.Close(), s.Close())
		wg.Wait()
		s = open(t, url)
		for n := range kept {
			if got, err := s.Read(t.Context(), fmt.Sprint("s", n)); err != nil || len(got) < kept[n] {
				t.Errorf("%d of %d entries, %v", len(got), kept[n], err)
			}
		}
	})
}
