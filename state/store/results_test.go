package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state/store"
)

// R002-59: no evaluation is lost by a restart, and one that comes twice changes nothing.
func TestEvaluations(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		s, ctx := open(t, url), t.Context()
		write(t, s, "a", 1)
		for _, c := range []struct {
			item, data string
			saved      bool
		}{
			{"q2", `{"score": 4}`, true},
			{"q1", `{"score":3.5,  "feedback":"gut \u0000"}`, true},
			{"q2", `{"score": 4}`, false},
			{"q2", `{"score": 1}`, false},
		} {
			if saved, err := s.SaveEvaluation(ctx, "a", c.item, json.RawMessage(c.data)); err != nil || saved != c.saved {
				t.Errorf("%+v: %v, %v", c, saved, err)
			}
		}
		must(t, s.Close())
		s = open(t, url)
		got, err := s.Evaluations(ctx, "a")
		must(t, err)
		want := []store.Evaluation{
			{Item: "q1", Data: json.RawMessage(`{"score":3.5,  "feedback":"gut \u0000"}`)},
			{Item: "q2", Data: json.RawMessage(`{"score": 4}`)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if got, err := s.Evaluations(ctx, "nobody"); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// R002-59: of many that finish the report at the same time, one is kept, and the others are told.
func TestReportIsSavedOnce(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		write(t, s, "a", 1)
		if _, err := s.Report(t.Context(), "a"); !errors.Is(err, store.ErrNoReport) {
			t.Error(err)
		}
		var wg sync.WaitGroup
		var winner atomic.Int32
		var winners atomic.Int32
		for n := range 8 {
			wg.Go(func() {
				saved, err := s.SaveReport(t.Context(), "a", fmt.Appendf(nil, `{"by": %d}`, n))
				if err != nil {
					t.Error(err)
				}
				if saved {
					winners.Add(1)
					winner.Store(int32(n))
				}
			})
		}
		wg.Wait()
		got, err := s.Report(t.Context(), "a")
		must(t, err)
		if want := fmt.Sprintf(`{"by": %d}`, winner.Load()); winners.Load() != 1 || string(got) != want {
			t.Errorf("%d were told that theirs was kept; it is %s, want %s", winners.Load(), got, want)
		}
	})
}

func TestResultRefusals(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		write(t, s, "a", 1)
		good := json.RawMessage(`{}`)
		long := json.RawMessage(`"` + strings.Repeat("x", 16<<20) + `"`)
		save := map[string]func(session string, data json.RawMessage) error{
			"evaluation": func(session string, data json.RawMessage) error {
				_, err := s.SaveEvaluation(ctx, session, "q", data)
				return err
			},
			"report": func(session string, data json.RawMessage) error {
				_, err := s.SaveReport(ctx, session, data)
				return err
			},
			"delivery": func(session string, data json.RawMessage) error {
				_, err := s.AddDelivery(ctx, store.Delivery{ID: "d", Session: session, Body: data})
				return err
			},
			"recording": func(session string, _ json.RawMessage) error {
				return s.SaveRecording(ctx, store.Recording{Session: session, Path: "p"})
			},
		}
		for name, save := range save {
			if err := save("nobody", good); !errors.Is(err, store.ErrNoSession) {
				t.Errorf("%s of an unknown session: %v", name, err)
			}
			for _, data := range []json.RawMessage{nil, json.RawMessage(`{`), long} {
				if err := save("a", data); err == nil && name != "recording" {
					t.Errorf("%s of %d bytes was saved", name, len(data))
				}
			}
		}
		if _, err := s.SaveEvaluation(ctx, "a", "", good); err == nil {
			t.Error("an evaluation of nothing was saved")
		}
		must(t, s.SaveSession(ctx, store.Session{ID: "b"}))
		for name, r := range map[string]store.Recording{
			"no path": {Session: "a"}, "a path that cannot be": {Session: "a", Path: "a\x00b"}, "one of another session": {Session: "b", Path: "p"},
		} {
			if err := s.SaveRecording(ctx, r); err == nil {
				t.Errorf("%s was saved", name)
			}
		}
	})
}

func TestRecordings(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		write(t, s, "a", 1)
		b := store.Recording{Session: "a", Path: "a/b.ogg", Bytes: 1 << 33, Duration: time.Hour, Consent: "spoken"}
		must(t, s.SaveRecording(ctx, b))
		a := store.Recording{Session: "a", Path: "a/a.ogg", Consent: "page"}
		must(t, s.SaveRecording(ctx, a))
		a.Bytes, a.Duration = 10, 1500*time.Millisecond
		must(t, s.SaveRecording(ctx, a))
		got, err := s.Recordings(ctx, "a")
		must(t, err)
		if diff := cmp.Diff([]store.Recording{a, b}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A delivery is in one hand at a time, comes again when that hand dies, and is made once.
func TestDeliveries(t *testing.T) {
	stores(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		write(t, s, "a", 1)
		d := store.Delivery{ID: "d1", Session: "a", URL: "https://x/y", Body: json.RawMessage(`{"a": 1}`), Next: monday}
		for _, want := range []bool{true, false} {
			if added, err := s.AddDelivery(ctx, d); err != nil || added != want {
				t.Errorf("added = %v, %v", added, err)
			}
		}
		claim := func(at time.Duration) []store.Delivery {
			t.Helper()
			due, err := s.ClaimDeliveries(ctx, monday.Add(at), time.Minute, 10)
			must(t, err)
			return due
		}
		if due := claim(-time.Second); len(due) > 0 {
			t.Errorf("too early: %+v", due)
		}
		var wg sync.WaitGroup
		var got atomic.Pointer[store.Delivery]
		var claims atomic.Int32
		for range 8 {
			wg.Go(func() {
				for _, one := range claim(0) {
					claims.Add(1)
					got.Store(&one)
				}
			})
		}
		wg.Wait()
		if claims.Load() != 1 {
			t.Fatalf("claimed by %d at once", claims.Load())
		}
		want := d
		want.Status, want.Attempts, want.Next = store.DeliveryWaiting, 1, monday.Add(time.Minute)
		if diff := cmp.Diff(want, *got.Load()); diff != "" {
			t.Error(diff)
		}
		if due := claim(time.Minute); len(due) != 1 || due[0].Attempts != 2 {
			t.Errorf("the hand that held it died: %+v", due)
		}
		must(t, s.SettleDelivery(ctx, "d1", store.DeliveryWaiting, monday.Add(time.Hour), "503"))
		if due := claim(59 * time.Minute); len(due) > 0 {
			t.Errorf("too early: %+v", due)
		}
		if due := claim(time.Hour); len(due) != 1 || due[0].Problem != "503" {
			t.Errorf("%+v", due)
		}
		must(t, s.SettleDelivery(ctx, "d1", store.Delivered, time.Time{}, ""))
		if err := s.SettleDelivery(ctx, "d1", store.DeliveryDead, time.Time{}, "late"); !errors.Is(err, store.ErrNoDelivery) {
			t.Errorf("settled again: %v", err)
		}
		if err := s.SettleDelivery(ctx, "d1", "lost", time.Time{}, ""); err == nil {
			t.Error("settled as nonsense")
		}
		all, err := s.Deliveries(ctx, "a")
		must(t, err)
		if len(all) != 1 || all[0].Status != store.Delivered || all[0].Attempts != 3 || len(claim(24*time.Hour)) > 0 {
			t.Errorf("%+v", all)
		}
	})
}
