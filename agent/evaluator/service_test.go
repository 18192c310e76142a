package evaluator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// RX-8, R004-2, RX-16: out of process every evaluator judges as it does in process, once that was verified, to the last field.
func TestSameJudgementOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local := evaluator.NewLocal(nil, nil)
		p, stop := serve(t, evaluator.Options{Judge: local.Judge})
		c := client(t, p)
		defer c.Close()
		for _, by := range registry.Names() {
			for _, words := range []string{evaluate.WordsCandidate, evaluate.WordsBoth} {
				it := answer()
				it.Words = words
				here, wrongHere := local.Judge(t.Context(), by, it)
				if wrongHere == nil {
					here = evaluate.Verified(here, it)
				}
				there, wrongThere := c.Judge(t.Context(), by, it)
				if diff := cmp.Diff(here, there); diff != "" || (wrongHere == nil) != (wrongThere == nil) {
					t.Errorf("%s: %v, %v\n%s", by, wrongHere, wrongThere, diff)
				}
				if by == evaluate.LLMRubric && fault.KindOf(wrongThere) != fault.Unknown {
					t.Errorf("without a model: %v", wrongThere)
				}
			}
		}
		if _, err := c.Judge(t.Context(), "two_stage", evaluate.Item{ID: "x", Answer: "linear"}); !errors.Is(err, evaluator.ErrItem) {
			t.Errorf("an item without a reference: %v", err)
		}
		if _, err := c.Judge(t.Context(), "checklist", answer()); err != nil {
			t.Errorf("items that cannot be judged have sent the service away: %v", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Callers without the key are refused before their body is read; what is no request is refused and judges nothing.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		judged := 0
		p, stop := serve(t, evaluator.Options{Registry: reg, Judge: func(context.Context, string, evaluate.Item) (evaluate.Evaluation, error) {
			judged++
			return evaluate.Evaluation{}, nil
		}})
		unread := func(size int) io.Reader { return io.LimitReader(letters{}, int64(size)) }
		good := "Bearer " + key
		for _, c := range []struct {
			name, bearer string
			body         io.Reader
			status       int
			kind         string
		}{
			{"no key", "", unread(100), 401, evaluator.KindRefused},
			{"another key", "Bearer " + key + "!", unread(100), 401, evaluator.KindRefused},
			{"half a key", "Bearer " + key[:8], unread(100), 401, evaluator.KindRefused},
			{"another scheme", "Basic " + key, unread(100), 401, evaluator.KindRefused},
			{"10 MB", good, strings.NewReader(`{"evaluator":"` + strings.Repeat("x", 10<<20) + `"}`), 413, evaluator.KindLarge},
			{"10 MB without a length", good, io.MultiReader(strings.NewReader(`{"evaluator":"`), unread(10<<20)), 413, evaluator.KindLarge},
			{"no JSON", good, strings.NewReader("judge me"), 400, evaluator.KindRequest},
			{"two requests", good, strings.NewReader(`{"evaluator":"checklist","item":{"id":"x"}} {}`), 400, evaluator.KindRequest},
			{"no evaluator", good, strings.NewReader(`{"item":{"id":"x"}}`), 400, evaluator.KindRequest},
			{"no item", good, strings.NewReader(`{"evaluator":"checklist"}`), 400, evaluator.KindRequest},
			{"too many words", good, strings.NewReader(`{"evaluator":"checklist","item":{"id":"x","answer":"` + strings.Repeat("a ", 140_000) + `"}}`), 400, evaluator.KindRequest},
			{"a strange budget", good, strings.NewReader(`{"evaluator":"checklist","item":{"id":"x"},"budget_ms":-1}`), 400, evaluator.KindRequest},
		} {
			status, _, kind := post(t, p, c.bearer, c.body)
			if status != c.status || kind != c.kind {
				t.Errorf("%s: %d %s", c.name, status, kind)
			}
		}
		if judged > 0 {
			t.Errorf("%d were judged", judged)
		}
		if n := refusals(t, reg); n != 12 {
			t.Errorf("%v refusals are counted", n)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// refusals is how many are counted.
func refusals(t *testing.T, reg *prometheus.Registry) (n float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "viva_evaluator_refusals_total" {
			for _, m := range f.GetMetric() {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// letters is a body without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A body that does not arrive frees its place.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, stop := serve(t, evaluator.Options{Judge: slow(0), Calls: 1})
		body, never := io.Pipe()
		begun := time.Now()
		status, _, kind := post(t, p, "Bearer "+key, body)
		if took := time.Since(begun); status != http.StatusBadRequest || kind != evaluator.KindRequest || took > 15*time.Second {
			t.Errorf("%d %s after %v", status, kind, took)
		}
		_ = never.Close() // nobody reads it
		c := client(t, p)
		defer c.Close()
		if _, err := c.Judge(t.Context(), "checklist", answer()); err != nil {
			t.Errorf("the place is still taken: %v", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Only so many judge at a time; who is refused is told when to come again, comes again, and is judged.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		p, stop := serve(t, evaluator.Options{Calls: 2, Judge: func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				now--
			}()
			return slow(900*time.Millisecond)(ctx, by, it)
		}})
		c := client(t, p)
		defer c.Close()
		var wg sync.WaitGroup
		failed := make(chan error, 10)
		for range 6 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				_, err := c.Judge(ctx, "two_stage", answer())
				failed <- err
			})
		}
		wg.Wait()
		close(failed)
		for err := range failed {
			if err != nil {
				t.Error(err)
			}
		}
		if most != 2 {
			t.Errorf("%d judged at a time", most)
		}
		for range 2 {
			wg.Go(func() {
				_, err := c.Judge(t.Context(), "two_stage", answer())
				if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		status, header, kind := post(t, p, "Bearer "+key, strings.NewReader(`{}`))
		if status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" || kind != evaluator.KindBusy {
			t.Errorf("%d %s, come again in %q s", status, kind, header.Get("Retry-After"))
		}
		wg.Wait()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// A judge that breaks, or a model's provider that fails, costs one judgement, and the caller learns which it was.
func TestFailuresAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fails error
		p, stop := serve(t, evaluator.Options{Judge: func(context.Context, string, evaluate.Item) (evaluate.Evaluation, error) {
			if fails == nil {
				panic("candidate's words")
			}
			return evaluate.Evaluation{}, fails
		}})
		c := client(t, p)
		defer c.Close()
		for _, test := range []struct {
			err   error
			kind  fault.Kind
			retry bool
		}{
			{nil, fault.Server, true},
			{&fault.Error{Kind: fault.Server}, fault.Server, true},
			{&fault.Error{Kind: fault.Timeout}, fault.Timeout, true},
			{fmt.Errorf("ask: %w", context.DeadlineExceeded), fault.Timeout, true},
			{&fault.Error{Kind: fault.Quota}, fault.Server, true},
			{evaluator.ErrUnknown, fault.Unknown, false},
			{evaluator.ErrNoModel, fault.Unknown, false},
			{evaluator.ErrItem, fault.BadRequest, false},
		} {
			fails = test.err
			_, err := c.Judge(t.Context(), "two_stage", answer())
			var retry interface{ Retryable() bool }
			if fault.KindOf(err) != test.kind || !errors.As(err, &retry) || retry.Retryable() != test.retry {
				t.Errorf("%v became %v", test.err, err)
			}
			if errors.Is(test.err, evaluator.ErrItem) != errors.Is(err, evaluator.ErrItem) {
				t.Errorf("%v became %v", test.err, err)
			}
			var away *evaluator.Away
			if errors.As(err, &away) {
				t.Errorf("%v: a service that answers is left alone", test.err)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Told to stop, the service lets judgements under way end, and nobody new in; after its grace it gives them up.
func TestStop(t *testing.T) {
	for name, c := range map[string]struct {
		takes, stopped time.Duration
		judged         bool
	}{
		"in time":  {20 * time.Second, 15 * time.Second, true},
		"too late": {2 * time.Minute, 30 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, stop := serve(t, evaluator.Options{Judge: slow(c.takes), Grace: 30 * time.Second})
				asks := client(t, p)
				defer asks.Close()
				done := make(chan error, 1)
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
					defer cancel()
					_, err := asks.Judge(ctx, "two_stage", answer())
					done <- err
				}()
				time.Sleep(5 * time.Second)
				begun := time.Now()
				if err := stop(); err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took < c.stopped || took > c.stopped+time.Second {
					t.Errorf("stopped after %v, want %v", took, c.stopped)
				}
				if err := <-done; (err == nil) != c.judged {
					t.Errorf("the judgement under way: %v", err)
				}
				late := client(t, p)
				defer late.Close()
				if _, err := late.Judge(t.Context(), "two_stage", answer()); fault.KindOf(err) != fault.Connection {
					t.Errorf("asked after it: %v", err)
				}
			})
		})
	}
}

// A service without somebody who judges, or with a key that can be guessed, does not begin.
func TestBadOptions(t *testing.T) {
	for _, o := range []evaluator.Options{{Key: key}, {Judge: slow(0)}, {Judge: slow(0), Key: "secret"}} {
		if _, err := evaluator.New(o); err == nil {
			t.Errorf("%+v is accepted", o.Key)
		}
	}
	for _, url := range []string{"", "evaluator:8092", "ftp://evaluator", "http://", "http://u:p@evaluator", "http://evaluator?key=1", "http://evaluator#x", "::"} {
		if _, err := evaluator.NewClient(evaluator.ClientOptions{URL: url, Key: key}); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
