package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/state/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	secret  = "a-secret-of-the-test"
	address = "https://hooks.test/in/t0ken?key=hunter2"
	words   = "what the candidate said"
)

// receiver answers requests as a function says, in the bubble of a test.
type receiver struct {
	answer func(n int, r *http.Request) (*http.Response, error)

	mu     sync.Mutex
	at     []time.Time   // guarded by mu
	bodies [][]byte      // guarded by mu
	heads  []http.Header // guarded by mu
	began  time.Time     // set before the first request
}

// RoundTrip implements http.RoundTripper.
func (r *receiver) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	n := len(r.at)
	r.at, r.bodies, r.heads = append(r.at, time.Now()), append(r.bodies, body), append(r.heads, q.Header)
	r.mu.Unlock()
	return r.answer(n, q)
}

func (r *receiver) times() (after []time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.at {
		after = append(after, at.Sub(r.began))
	}
	return after
}

func says(code int, head ...string) (*http.Response, error) {
	rec := httptest.NewRecorder()
	for i := 0; i < len(head); i += 2 {
		rec.Header().Set(head[i], head[i+1])
	}
	rec.WriteHeader(code)
	return rec.Result(), nil
}

// start starts a courier to a receiver; logs are all that it says.
func start(t *testing.T, r *receiver, box webhook.Outbox) (*webhook.Courier, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	r.began = time.Now()
	c, err := webhook.Start(t.Context(), webhook.Options{
		URL: address, Secret: secret, Outbox: box, Client: &http.Client{Transport: r}, Version: "1.2", Logger: zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, logs
}

func notice(session string) webhook.Notice {
	return webhook.Notice{
		ID: "report/" + session, Type: webhook.ReportReady, Session: session, Room: "room", Interview: "persona_interview", Status: "complete",
		Report: json.RawMessage(`{"version":"viva.report/1","said":"` + words + `"}`),
	}
}

func tell(t *testing.T, c *webhook.Courier, n webhook.Notice) {
	t.Helper()
	if err := c.Tell(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// discreet: no line of a log holds the address's path or query, the secret, or what the report says.
func discreet(t *testing.T, logs *observer.ObservedLogs) {
	t.Helper()
	for _, e := range logs.All() {
		line, err := json.Marshal(e.ContextMap())
		if err != nil {
			t.Fatal(err)
		}
		for _, hidden := range []string{"t0ken", "hunter2", secret, words} {
			if strings.Contains(e.Message+string(line), hidden) {
				t.Errorf("%s is in the log: %s %s", hidden, e.Message, line)
			}
		}
	}
}

// R002-55: a report is told by a POST whose signature a receiver can check with nothing but the secret.
func TestSignedDelivery(t *testing.T) {
	var got *http.Request
	var body []byte
	arrived := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		close(arrived)
	}))
	defer site.Close()
	c, err := webhook.Start(t.Context(), webhook.Options{URL: site.URL + "/x?key=1", Secret: secret, Outbox: newMemory(), Version: "1.2", Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	tell(t, c, notice("s1"))
	<-arrived
	c.Close()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("report/s1." + got.Header.Get("Viva-Timestamp") + "." + string(body)))
	if want := "v1=" + hex.EncodeToString(mac.Sum(nil)); got.Header.Get("Viva-Signature") != want {
		t.Errorf("signature %s, want %s", got.Header.Get("Viva-Signature"), want)
	}
	if got.Method != http.MethodPost || got.URL.RawQuery != "key=1" || got.Header.Get("Viva-Id") != "report/s1" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
	var n webhook.Notice
	if err := json.Unmarshal(body, &n); err != nil || n.Type != "report.ready" || n.Session != "s1" || n.Room != "room" || n.Status != "complete" ||
		n.Interview != "persona_interview" || !bytes.Contains(n.Report, []byte(words)) {
		t.Errorf("%v, %+v", err, n)
	}
}

// R002-55: what fails is tried again after 5 s, 30 s, 2 min, 10 min and an hour, a fifth more or less, each try with the
// same id and body; then it is given up. Nothing of it is logged but where it went.
func TestTriesAgainAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n%2 == 1 {
				return nil, errors.New("connection refused to " + address)
			}
			return says(http.StatusBadGateway)
		}}
		box := newMemory()
		c, logs := start(t, r, box)
		tell(t, c, notice("s1"))
		tell(t, c, notice("s1")) // once more: it is known
		time.Sleep(3 * time.Hour)
		c.Close()
		times := r.times()
		pauses := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}
		if len(times) != len(pauses)+1 {
			t.Fatalf("tried at %v", times)
		}
		for i, p := range pauses {
			const look = 5 * time.Second // it looks for what is due so often
			if got := times[i+1] - times[i]; got < p*8/10 || got > p*12/10+look {
				t.Errorf("pause %d was %v, want about %v", i, got, p)
			}
			if !bytes.Equal(r.bodies[0], r.bodies[i+1]) || r.heads[i+1].Get("Viva-Id") != "report/s1" {
				t.Errorf("try %d is another: %v", i+1, r.heads[i+1])
			}
		}
		given := box.dead()
		if len(given) != 1 || given[0].ID != "report/s1" || given[0].Attempts != 6 || !bytes.Equal(given[0].Body, r.bodies[0]) {
			t.Errorf("%+v", given)
		}
		said := logs.FilterMessage("webhook.dead").All()
		if len(said) != 1 || said[0].ContextMap()["to"] != "https://hooks.test" {
			t.Errorf("%+v", said)
		}
		discreet(t, logs)
	})
}

// R002-55: a receiver says how long it wants to be left alone; a redirect is not followed, and 410 ends it at once.
func TestReceiverIsHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			answer func(n int, r *http.Request) (*http.Response, error)
			times  []time.Duration // at least
			dead   int
		}{
			"retry after seconds": {func(n int, _ *http.Request) (*http.Response, error) {
				return says([]int{429, 200}[min(n, 1)], "Retry-After", "90")
			}, []time.Duration{0, 90 * time.Second}, 0},
			"retry after a date": {func(n int, _ *http.Request) (*http.Response, error) {
				return says([]int{503, 200}[min(n, 1)], "Retry-After", time.Now().Add(2*time.Minute).UTC().Format(http.TimeFormat))
			}, []time.Duration{0, 119 * time.Second}, 0},
			"redirect": {func(n int, r *http.Request) (*http.Response, error) {
				if r.URL.Host != "hooks.test" {
					t.Errorf("followed to %s", r.URL)
				}
				return says([]int{302, 204}[min(n, 1)], "Location", "http://169.254.169.254/latest")
			}, []time.Duration{0, 4 * time.Second}, 0},
			"gone": {func(int, *http.Request) (*http.Response, error) { return says(410) }, []time.Duration{0}, 1},
			"hangs": {func(n int, r *http.Request) (*http.Response, error) {
				if n > 0 {
					return says(200)
				}
				<-r.Context().Done()
				return nil, r.Context().Err()
			}, []time.Duration{0, 14 * time.Second}, 0},
		} {
			r, box := &receiver{answer: c.answer}, newMemory()
			courier, logs := start(t, r, box)
			tell(t, courier, notice("s"))
			time.Sleep(4 * time.Minute)
			courier.Close()
			times := r.times()
			if len(times) != len(c.times) {
				t.Errorf("%s: tried at %v", name, times)
				continue
			}
			for i := range times {
				if times[i] < c.times[i] || times[i] > c.times[i]+10*time.Second {
					t.Errorf("%s: tried at %v, want about %v", name, times, c.times)
				}
			}
			if given := box.dead(); len(given) != c.dead {
				t.Errorf("%s: given up: %+v", name, given)
			}
			discreet(t, logs)
		}
	})
}

// R002-55: a receiver that is slow holds up nobody but those it is told of next: at most four requests are open, and Tell does
// not wait for any.
func TestFourAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		r := &receiver{answer: func(int, *http.Request) (*http.Response, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return says(200)
		}}
		c, _ := start(t, r, newMemory())
		began := time.Now()
		for i := range 20 {
			tell(t, c, notice(string(rune('a'+i))))
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("telling took %v", took)
		}
		time.Sleep(30 * time.Second)
		c.Close()
		if len(r.at) != 20 || most != 4 {
			t.Errorf("%d requests, %d at a time", len(r.at), most)
		}
	})
}

// R002-59: deliveries in a store survive the end of the worker: the next one makes them, under the same id.
func TestSurvivesARestart(t *testing.T) {
	box, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := box.SaveSession(t.Context(), store.Session{ID: "s1"}); err != nil {
		t.Fatal(err)
	}
	failed := make(chan string, 8)
	count := func(what string) { failed <- what }
	down := &receiver{answer: func(int, *http.Request) (*http.Response, error) { return says(503) }}
	open := func(r *receiver) *webhook.Courier {
		c, err := webhook.Start(t.Context(), webhook.Options{URL: address, Secret: secret, Outbox: box, Client: &http.Client{Transport: r}, Count: count, Logger: zap.NewNop()})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := open(down)
	tell(t, first, notice("s1"))
	if got := <-failed; got != "failed" {
		t.Fatal(got)
	}
	first.Close()
	all, err := box.Deliveries(t.Context(), "s1")
	if err != nil || len(all) != 1 || all[0].Status != store.DeliveryWaiting || all[0].URL != "" {
		t.Fatalf("%v, %+v", err, all)
	}
	if err := box.SettleDelivery(t.Context(), all[0].ID, store.DeliveryWaiting, time.Now(), ""); err != nil { // its time has come
		t.Fatal(err)
	}
	up := &receiver{answer: func(int, *http.Request) (*http.Response, error) { return says(200) }}
	second := open(up)
	if got := <-failed; got != "delivered" {
		t.Fatal(got)
	}
	second.Close()
	if !bytes.Equal(up.bodies[0], down.bodies[0]) || up.heads[0].Get("Viva-Id") != down.heads[0].Get("Viva-Id") {
		t.Error("it is another delivery")
	}
	if all, err = box.Deliveries(t.Context(), "s1"); err != nil || all[0].Status != store.Delivered {
		t.Errorf("%v, %+v", err, all)
	}
}

// R002-55: an address that is none is refused at the start, without being shown.
func TestAddressIsChecked(t *testing.T) {
	for _, bad := range []string{"", "hooks.test/hunter2", "ftp://hooks.test/hunter2", "https://", "https://%zz/hunter2"} {
		_, err := webhook.Start(t.Context(), webhook.Options{URL: bad, Outbox: newMemory(), Logger: zap.NewNop()})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// What could not be delivered of a session that was deleted meanwhile is counted, and nobody is called to it.
func TestDeletedSessionIsNotMourned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(int, *http.Request) (*http.Response, error) { return says(http.StatusGone) }}
		c, logs := start(t, r, &forgetful{newMemory()})
		tell(t, c, notice("s"))
		synctest.Wait()
		c.Close()
		if len(r.at) != 1 || logs.FilterMessage("webhook.dead").Len() != 0 {
			t.Errorf("%d tries, %v", len(r.at), logs.All())
		}
	})
}

// forgetful is an outbox whose sessions are deleted while their deliveries are under way.
type forgetful struct{ *memory }

// SettleDelivery implements webhook.Outbox.
func (f *forgetful) SettleDelivery(_ context.Context, id, _ string, _ time.Time, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, id)
	return fmt.Errorf("settle: %w", store.ErrNoDelivery)
}
