package evaluator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/evaluate"
)

// A service whose process dies in the middle of a judgement is told at once, as a broken connection, and left alone for a
// while, so that whoever stands in is not kept waiting; then it is asked again.
func TestServiceDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		p, stop := serve(t, evaluator.Options{Judge: func(ctx context.Context, _ string, _ evaluate.Item) (evaluate.Evaluation, error) {
			<-ctx.Done()
			close(gone)
			return evaluate.Evaluation{}, ctx.Err()
		}})
		c := client(t, p)
		defer c.Close()
		time.AfterFunc(2*time.Second, p.kill)
		begun := time.Now()
		_, err := c.Judge(t.Context(), "two_stage", answer())
		if took := time.Since(begun); fault.KindOf(err) != fault.Connection || took != 2*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		<-gone          // the judgement was given up
		synctest.Wait() // the service has seen that its network is gone
		if err := stop(); err == nil {
			t.Error("a network that is gone is no error")
		}
		dials := p.dials.Load()
		var away *evaluator.Away
		for range 3 {
			_, err := c.Judge(t.Context(), "two_stage", answer())
			if !errors.As(err, &away) || away.Retryable() || fault.KindOf(err) != fault.Connection {
				t.Errorf("asked again at once: %v", err)
			}
		}
		if p.dials.Load() != dials {
			t.Error("it is not left alone")
		}
		time.Sleep(16 * time.Second)
		if _, err := c.Judge(t.Context(), "two_stage", answer()); errors.As(err, &away) || fault.KindOf(err) != fault.Connection {
			t.Errorf("asked again later: %v", err)
		}
	})
}

// A judgement that takes too long ends at both sides within its budget; a service that says so itself is not taken for dead.
func TestSlowService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, stop := serve(t, evaluator.Options{Judge: slow(time.Minute)})
		c := client(t, p)
		defer c.Close()
		for range 2 {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			_, err := c.Judge(ctx, "two_stage", answer())
			cancel()
			var away *evaluator.Away
			if took := time.Since(begun); fault.KindOf(err) != fault.Timeout || took > 8*time.Second || errors.As(err, &away) {
				t.Errorf("%v after %v", err, took)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // one that says nothing at all
		p, stop := pretend(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		defer stop()
		c := client(t, p)
		defer c.Close()
		begun := time.Now()
		_, err := c.Judge(t.Context(), "two_stage", answer())
		if took := time.Since(begun); fault.KindOf(err) != fault.Timeout || took != 30*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		var away *evaluator.Away
		if _, err := c.Judge(t.Context(), "two_stage", answer()); !errors.As(err, &away) {
			t.Errorf("it is asked again at once: %v", err)
		}
	})
}

// A caller who gives up says nothing about the service.
func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, stop := serve(t, evaluator.Options{Judge: slow(10 * time.Second)})
		c := client(t, p)
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := c.Judge(ctx, "two_stage", answer()); fault.KindOf(err) != fault.Canceled {
			t.Errorf("given up: %v", err)
		}
		if _, err := c.Judge(t.Context(), "two_stage", answer()); err != nil {
			t.Errorf("asked again: %v", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// RX-13, RX-16, R002-43: an answer that is no evaluation is an error; a score off its scale is brought back and flagged, and
// words that nobody said are no evidence.
func TestLies(t *testing.T) {
	const start = `{"status":"ok","decision":"next_phase","by":"two_stage","min":0,"max":10,`
	for name, c := range map[string]struct {
		status int
		body   string
		kind   fault.Kind // 0: it is taken
		score  float64
		flags  []string
	}{
		"not JSON":          {200, "<html>Welcome</html>", fault.Malformed, 0, nil},
		"nothing":           {200, "", fault.Malformed, 0, nil},
		"JSON of another":   {200, `{"result":"fine"}`, fault.Malformed, 0, nil},
		"a list":            {200, `[]`, fault.Malformed, 0, nil},
		"wrong types":       {200, start + `"score":"ten"}`, fault.Malformed, 0, nil},
		"no scale":          {200, `{"status":"ok","by":"x","score":7}`, fault.Malformed, 0, nil},
		"nobody":            {200, `{"status":"ok","max":10,"score":7}`, fault.Malformed, 0, nil},
		"a strange status":  {200, `{"status":"great","by":"x","max":10,"score":7}`, fault.Malformed, 0, nil},
		"not finite":        {200, start + `"score":1e999}`, fault.Malformed, 0, nil},
		"10 MB":             {200, start + `"score":7,"feedback":"` + strings.Repeat("x", 10<<20) + `"}`, fault.Malformed, 0, nil},
		"too high":          {200, start + `"score":99}`, 0, 10, []string{"score_clamped"}},
		"too low":           {200, start + `"score":-4}`, 0, 0, []string{"score_clamped"}},
		"a strange norm":    {200, start + `"score":7,"norm":12}`, 0, 7, nil},
		"nobody said it":    {200, start + `"score":7,"evidence":[{"turn":4,"text":"a bloom filter"},{"turn":4,"text":"i keep a hash map"}]}`, 0, 7, []string{"unverified_quote"}},
		"level off scale":   {200, start + `"score":7,"marks":[{"criterion":"a","status":"ok","level":9,"min":1,"max":5,"norm":3}]}`, 0, 7, []string{"score_clamped"}},
		"level out of air":  {200, start + `"score":7,"marks":[{"criterion":"a","status":"ok","level":5,"min":1,"max":5,"norm":1,"evidence":[{"turn":9,"text":"x y z"}]}]}`, 0, 7, []string{"unverified_quote"}},
		"elsewhere":         {307, "", fault.Malformed, 0, nil},
		"a proxy's failure": {502, "<html>Bad gateway</html>", fault.Server, 0, nil},
		"another key":       {401, `{"error":{"kind":"refused","message":"no"}}`, fault.Auth, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, stop := pretend(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", "http://169.254.169.254/")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body) // the client hangs up on what is too long
				})
				defer stop()
				asks := client(t, p)
				defer asks.Close()
				e, err := asks.Judge(t.Context(), "two_stage", answer())
				if c.kind != 0 {
					var away *evaluator.Away
					_, again := asks.Judge(t.Context(), "two_stage", answer())
					if fault.KindOf(err) != c.kind || len(err.Error()) > 1000 || !errors.As(again, &away) {
						t.Errorf("%v; then %v", err, again)
					}
					return
				}
				if err != nil || e.Score != c.score || e.Norm != c.score/10 || !slices.Equal(e.Flags, c.flags) {
					t.Errorf("%v, %+v", err, e)
				}
				for _, q := range e.Evidence {
					if q.Text != "I keep a hash map" {
						t.Errorf("evidence %v", e.Evidence)
					}
				}
				for _, m := range e.Marks {
					if m.Level > 5 || m.Norm > 1 || name == "level out of air" && m.Status != evaluate.StatusNotAssessed {
						t.Errorf("mark %+v", m)
					}
				}
			})
		})
	}
}

// An item that is too large is not sent, and says nothing about the service.
func TestLargeItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, stop := serve(t, evaluator.Options{Judge: slow(0)})
		c := client(t, p)
		defer c.Close()
		it := answer()
		it.Turns[1].Content = strings.Repeat("a word ", 200_000)
		if _, err := c.Judge(t.Context(), "two_stage", it); fault.KindOf(err) != fault.BadRequest || p.dials.Load() != 0 {
			t.Errorf("%v after %d connections", err, p.dials.Load())
		}
		if _, err := c.Judge(t.Context(), "two_stage", answer()); err != nil {
			t.Error(err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
