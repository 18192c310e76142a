package assessment_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state/store"
)

// An archive that is away as an interview ends gets its judgement, its report and the notice of it when it is back, half an hour later:
// each once. Meanwhile the candidate has the report, and a worker that drains waits.
func TestResultsWaitForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(0), nil)
		const away = 30 * time.Minute
		b.archive.leave(away)
		b.judge(1)
		began := time.Now()
		if done := <-b.ask(finished(1, "")); done.Status == "" || time.Since(began) > time.Second {
			t.Errorf("%+v after %v", done, time.Since(began))
		}
		b.assessor.Close(finished(1, "done"))
		drain, cancel := context.WithTimeout(t.Context(), away/2)
		defer cancel()
		if err := b.service.Wait(drain); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a drain waited to %v", err)
		}
		if err := b.service.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if late := time.Since(began) - away; late < 0 || late > 30*time.Second {
			t.Errorf("kept %v after the store was back", late)
		}
		items, raw, _ := b.archive.kept()
		var r report.Report
		if len(items) != 1 || json.Unmarshal(raw, &r) != nil || r.Coverage.Assessed != 1 {
			t.Errorf("kept %q and %s", items, raw)
		}
		if _, published, told, overs := b.counts(); published != 1 || told != 1 || overs != 1 {
			t.Errorf("published %d, told %d, over %d times", published, told, overs)
		}
		if lost := b.logs.FilterLevelExact(zap.ErrorLevel).All(); len(lost) > 0 {
			t.Errorf("%v", lost)
		}
		b.service.Close()
	})
}

// A worker that must end while the archive is away tries once more, at once, and says what is lost; so it does when that has been
// away for longer than an hour.
func TestResultsDoNotWaitForEver(t *testing.T) {
	for name, end := range map[string]func(b *bench){
		"the worker ends": func(b *bench) { b.service.Close() },
		"an hour": func(b *bench) {
			time.Sleep(time.Hour + 2*time.Minute)
			synctest.Wait()
			if err := b.service.Wait(b.t.Context()); err != nil {
				b.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := open(t, after(0), nil)
				b.archive.leave(24 * time.Hour)
				b.judge(1)
				<-b.ask(finished(1, ""))
				b.assessor.Close(finished(1, "done"))
				synctest.Wait()
				_, _, before := b.archive.kept()
				end(b)
				lost := b.logs.FilterLevelExact(zap.ErrorLevel)
				for _, name := range []string{"judgement.unsaved", "report.unsaved", "webhook.unqueued"} {
					if n := lost.FilterMessage(name).Len(); n != 1 {
						t.Errorf("%s is in the log %d times: %v", name, n, lost.All())
					}
				}
				if _, _, tries := b.archive.kept(); tries <= before {
					t.Error("there was no last try")
				}
				b.service.Close()
			})
		})
	}
}

// What waits is bounded in bytes, and what cannot be kept for good does not wait.
func TestSpoolIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(0), nil)
		tried := map[string]int{}
		keep := func(name string, size int, err error) {
			_ = b.service.Keep(t.Context(), zap.NewNop(), name, size, func(context.Context) error { tried[name]++; return err })
		}
		keep("deleted", 1, store.ErrNoSession)
		keep("huge", 1<<30, errAway)
		keep("first", 40<<20, errAway)
		keep("second", 40<<20, errAway)
		b.service.Close()
		if tried["deleted"] != 1 || tried["huge"] != 1 || tried["first"] != 2 || tried["second"] != 1 {
			t.Errorf("tried %v", tried)
		}
	})
}

// An archive that hangs keeps nobody for longer than two seconds.
func TestStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
			return rated(it), nil
		},
			func(o *assessment.Options, _ *assessment.Case) { o.Archive = hung{} })
		began := time.Now()
		done := make(chan engine.Judged, 1)
		b.assessor.Judge(sent(1), func(j engine.Judged) { done <- j })
		if j := <-done; j.Evaluation == nil || time.Since(began) > 7*time.Second { // two of them to write, five to look for an earlier one
			t.Errorf("%+v after %v", j, time.Since(began))
		}
		b.assessor.Drop()
		b.service.Close()
	})
}

type hung struct{ assessment.Archive }

func (hung) SaveEvaluation(ctx context.Context, _, _ string, _ json.RawMessage) (bool, error) {
	<-ctx.Done()
	return false, ctx.Err()
}

func (hung) Evaluations(ctx context.Context, _ string) ([]store.Evaluation, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
