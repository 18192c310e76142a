package assessment_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
)

// R002-30, R002-41, R002-42: an item is handed over without waiting; what comes of it comes later, is kept before the session
// hears of it, and says which item it belongs to (R002-36).
func TestJudgedInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(29*time.Second), nil) // a second before its budget is spent
		began := time.Now()
		b.assessor.Judge(sent(1), func(j engine.Judged) {
			if kept, _, _ := b.archive.kept(); len(kept) != 1 {
				t.Error("the session hears of it before it is kept")
			}
			b.receive(j)
		})
		if took := time.Since(began); took != 0 {
			t.Errorf("the session waited %v", took)
		}
		time.Sleep(time.Minute)
		got := b.answersTo(1)
		if len(got) != 1 || got[0].Item != item(1) || got[0].Evaluation == nil || got[0].Evaluation.Norm != 0.75 || got[0].Missing != "" {
			t.Errorf("%+v", got)
		}
		if !slices.Equal(b.counted, []string{"judged ok"}) {
			t.Errorf("counted %v", b.counted)
		}
		b.assessor.Drop()
		b.service.Close()
	})
}

// failing fails with the errors in turn, then judges.
func failing(errs ...error) (judge assessment.Judge, times *[]time.Duration) {
	var mu sync.Mutex
	var n int
	began := time.Now()
	times = new([]time.Duration)
	return func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
		mu.Lock()
		defer mu.Unlock()
		*times = append(*times, time.Since(began))
		if n++; n <= len(errs) {
			return evaluate.Evaluation{}, errs[n-1]
		}
		return rated(it), nil
	}, times
}

// R002-43, R002-48, R003-84: what may help is tried again after 2, 4 and 8 s, beside the talk, as often as the attachment says; the rest is not, and
// says why it is missing.
func TestTries(t *testing.T) {
	of := func(k fault.Kind) error { return &fault.Error{Op: "chat", Provider: "p", Kind: k} }
	busy := &fault.Error{Op: "chat", Provider: "p", Kind: fault.RateLimited, RetryAfter: 7 * time.Second}
	for name, c := range map[string]struct {
		errs     []error
		attempts int
		missing  string
		times    []int // in seconds
	}{
		"at once":             {nil, 3, "", []int{0}},
		"third time lucky":    {[]error{of(fault.Server), of(fault.Connection)}, 3, "", []int{0, 2, 6}},
		"five tries":          {[]error{of(fault.Server), of(fault.Server), of(fault.Server), of(fault.Server)}, 5, "", []int{0, 2, 6, 14, 22}},
		"never":               {[]error{of(fault.Server), of(fault.Server), of(fault.Server)}, 3, report.ReasonFailed, []int{0, 2, 6}},
		"asked to wait":       {[]error{busy}, 3, "", []int{0, 7}},
		"key refused":         {[]error{of(fault.Auth)}, 3, report.ReasonFailed, []int{0}},
		"no use after repair": {[]error{of(fault.Malformed)}, 3, report.ReasonUnreadable, []int{0}},
		"too slow":            {[]error{of(fault.Timeout), of(fault.Timeout)}, 2, report.ReasonLate, []int{0, 2}},
		"unclassified":        {[]error{errors.New("odd")}, 3, report.ReasonFailed, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				judge, times := failing(c.errs...)
				b := open(t, judge, nil)
				e := sent(1)
				e.Attempts = c.attempts
				b.assessor.Judge(e, b.receive)
				time.Sleep(time.Minute)
				if got := b.answersTo(1); len(got) != 1 || got[0].Missing != c.missing || (got[0].Evaluation == nil) != (c.missing != "") {
					t.Errorf("%+v", got)
				}
				var seconds []int
				for _, at := range *times {
					seconds = append(seconds, int(at/time.Second))
				}
				if !slices.Equal(seconds, c.times) {
					t.Errorf("tried at %v s, want %v", seconds, c.times)
				}
				b.service.Close()
			})
		})
	}
}

// R002-48: a try has its time, and a judge that does not come back in it is late.
func TestTryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(time.Hour), nil)
		e := sent(1)
		e.Budget, e.Attempts = 10*time.Second, 2
		b.assessor.Judge(e, b.receive)
		time.Sleep(23 * time.Second)
		if got := b.answersTo(1); len(got) != 1 || got[0].Missing != report.ReasonLate {
			t.Errorf("%+v", got)
		}
		b.service.Close()
	})
}

// R002-43: a judge that panics has failed, and takes nothing else with it; what panicked is not in the log.
func TestPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
			if it.ID == item(1) {
				panic("I rebuilt: " + it.Turns[0].Content)
			}
			return rated(it), nil
		}, nil)
		b.judge(1)
		b.judge(2)
		synctest.Wait()
		if one, two := b.answersTo(1), b.answersTo(2); len(one) != 1 || one[0].Missing != report.ReasonFailed || len(two) != 1 || two[0].Evaluation == nil {
			t.Errorf("%+v, %+v", one, two)
		}
		for _, e := range b.logs.All() {
			if line, err := json.Marshal(e.ContextMap()); err != nil || strings.Contains(string(line), "latency") {
				t.Errorf("%v: %s", err, line)
			}
		}
		b.service.Close()
	})
}

// R002-44: an item that comes again while it is under way, or after, is judged once; everybody who sent it gets the result.
func TestJudgedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		judge, times := failing()
		b := open(t, func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
			time.Sleep(time.Second)
			return judge(ctx, by, it)
		}, nil)
		b.judge(1)
		b.judge(1)
		time.Sleep(2 * time.Second)
		b.judge(1)
		synctest.Wait()
		if got := b.answersTo(1); len(got) != 3 || got[2].Evaluation == nil || len(*times) != 1 {
			t.Errorf("%+v, judged %d times", got, len(*times))
		}
		b.service.Close()
	})
}

// Rules stand in where there is no model, or where it fails, and the judgement says so (RX-16); an evaluator that is a model's
// only is honestly missing.
func TestRulesStandIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := func(context.Context, string, evaluate.Item) (evaluate.Evaluation, error) {
			return evaluate.Evaluation{}, &fault.Error{Kind: fault.Auth}
		}
		for name, c := range map[string]struct {
			by, status, degraded, missing string
			model                         assessment.Judge
		}{
			"rules, no model":       {evaluate.Checklist, evaluate.StatusOK, "", "", nil},
			"rules, model broken":   {evaluate.Checklist, evaluate.StatusDegraded, "the key was refused", "", broken},
			"no rules, no model":    {evaluate.LLMRubric, "", "", report.ReasonNoJudge, nil},
			"no rules, model fails": {evaluate.LLMRubric, "", "", report.ReasonFailed, broken},
			"unknown":               {"astrology", "", "", report.ReasonNoJudge, broken},
		} {
			b := open(t, c.model, nil)
			e := sent(1)
			e.By = c.by
			e.Item.Turns[0].Content = "At first it was slow, then I rewrote the cache and in the end it fell by forty percent; that was my decision"
			b.assessor.Judge(e, b.receive)
			synctest.Wait()
			got := b.answersTo(1)
			switch {
			case len(got) != 1 || got[0].Missing != c.missing:
				t.Errorf("%s: %+v", name, got)
			case c.missing == "" && (got[0].Evaluation.Status != c.status || got[0].Evaluation.Degraded != c.degraded):
				t.Errorf("%s: %+v", name, got[0].Evaluation)
			}
			b.service.Close()
		}
	})
}

// Only so many judgements are made at the same time, by all interviews together; what finds no room is late, and nobody waits
// for room.
func TestJudgementsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		b := open(t, func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return rated(it), nil
		}, func(o *assessment.Options, _ *assessment.Case) { o.At, o.Queue = 2, 5 })
		for n := 1; n <= 10; n++ {
			b.judge(n)
		}
		time.Sleep(10 * time.Second)
		var judged, late int
		for n := 1; n <= 10; n++ {
			switch got := b.answersTo(n); {
			case len(got) != 1:
				t.Errorf("%d: %+v", n, got)
			case got[0].Missing == report.ReasonLate:
				late++
			default:
				judged++
			}
		}
		if most != 2 || judged != 7 || late != 3 {
			t.Errorf("%d at a time, %d judged, %d late", most, judged, late)
		}
		b.service.Close()
	})
}

// R002-43, RX-16: whoever judged, a level or score that rests on words that nobody said counts for nothing, and what is off
// its scale is clamped; both are flagged.
func TestJudgementsAreChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, nil, func(o *assessment.Options, _ *assessment.Case) {
			o.Judge = func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
				e := rated(it)
				e.Score = 99
				e.Marks[0].Level = 7
				e.Marks[1].Evidence = []evaluate.Quote{{Turn: 1, Text: "I am the best engineer alive"}}
				e.Marks[2].Evidence = append(e.Marks[2].Evidence, evaluate.Quote{Turn: 9, Text: "I rebuilt service"})
				return e, nil
			}
		})
		b.judge(1)
		synctest.Wait()
		e := b.answersTo(1)[0].Evaluation
		if e.Score != 10 || e.Marks[0].Level != 5 || e.Marks[1].Status != evaluate.StatusNotAssessed || len(e.Marks[2].Evidence) != 1 {
			t.Errorf("%+v", e)
		}
		for _, f := range []string{evaluate.FlagClamped, evaluate.FlagUnverified} {
			if !slices.Contains(e.Flags, f) {
				t.Errorf("%s is missing among %v", f, e.Flags)
			}
		}
		b.service.Close()
	})
}
