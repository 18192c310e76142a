package assessment_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state/store"
)

var (
	_ assessment.Archive = (*store.Store)(nil)
	_ assessment.Webhook = (*webhook.Courier)(nil)
)

// R002-59: with the real store a worker that dies after one judgement loses nothing: the next worker takes that one, has the
// other judged, and makes one report of both.
func TestRestartWithTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "viva.db")
	judged := make(map[string]int)
	judge := func(ctx context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
		judged[it.ID]++ // one at a time: the test waits for each
		return rated(it), ctx.Err()
	}
	worker := func(work func(*bench, *store.Store)) {
		kept, err := store.Open(t.Context(), path, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := kept.Close(); err != nil {
				t.Error(err)
			}
		}()
		if err := kept.SaveSession(t.Context(), store.Session{ID: "s"}); err != nil {
			t.Fatal(err)
		}
		b := open(t, judge, func(o *assessment.Options, c *assessment.Case) {
			o.Archive = kept
			c.Interview.Def.Report.Questions = 2
		})
		work(b, kept)
		b.service.Close()
	}
	send := func(b *bench, n int) {
		done := make(chan engine.Judged, 1)
		b.assessor.Judge(sent(n), func(j engine.Judged) { done <- j })
		if j := <-done; j.Evaluation == nil {
			t.Fatalf("%+v", j)
		}
	}
	worker(func(b *bench, _ *store.Store) {
		send(b, 1)
		b.assessor.Drop() // it dies here
	})
	for range 2 { // the second time it dies after the report, and makes it again
		worker(func(b *bench, kept *store.Store) {
			send(b, 1)
			send(b, 2)
			if done := <-b.ask(finished(2, "")); done.Status != report.Complete {
				t.Errorf("%+v", done)
			}
			b.assessor.Close(finished(2, "done"))
			raw, err := kept.Report(t.Context(), "s")
			var r report.Report
			if err != nil || json.Unmarshal(raw, &r) != nil || r.Coverage.Assessed != 2 || string(b.told[0].Report) != string(raw) {
				t.Errorf("%v, %+v", err, r.Coverage)
			}
		})
	}
	if judged[item(1)] != 1 || judged[item(2)] != 1 {
		t.Errorf("judged %v", judged)
	}
}
