package evaluator_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds"
)

// R004-65b, R002-30: the worker's judging beside the talk asks the service, and judges in its own process, degraded, while the
// service is away: at once, once it is known to be.
func TestAssessmentAsksTheService(t *testing.T) {
	text, err := kinds.FS().ReadFile("evaluation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	def, err := definition.Parse("evaluation.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		judged := 0
		p, stop := serve(t, evaluator.Options{Judge: func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
			judged++
			return slow(2*time.Second)(ctx, by, it)
		}})
		c := client(t, p)
		defer c.Close()
		service, err := assessment.New(assessment.Options{Judge: c.Judge, Logger: zap.NewNop()})
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		assessor := service.Open(assessment.Case{Session: "s", Began: time.Now(), Interview: &engine.Interview{Def: def}})
		ask := func(id string) (*evaluate.Evaluation, time.Duration) {
			it := answer()
			it.ID = id
			done := make(chan engine.Judged, 1)
			begun := time.Now()
			assessor.Judge(engine.Judge{Attachment: "solution", By: "two_stage", Item: it, Budget: 20 * time.Second, Attempts: 2}, func(e engine.Judged) { done <- e })
			e := <-done
			if e.Item != id || e.Evaluation == nil {
				t.Fatalf("%+v", e)
			}
			return e.Evaluation, time.Since(begun)
		}
		if e, took := ask("solution/PROBLEM/1"); e.Status != evaluate.StatusOK || e.Score != 10 || judged != 1 || took != 2*time.Second {
			t.Errorf("by the service: %+v after %v, judged %d", e, took, judged)
		}
		p.kill()
		_ = stop() // its network is gone, which it tells
		if e, took := ask("solution/PROBLEM/2"); e.Status != evaluate.StatusDegraded || e.Score != 10 || e.Degraded == "" || took > 2*time.Second {
			t.Errorf("without the service: %+v after %v", e, took)
		}
		if e, took := ask("solution/PROBLEM/3"); e.Status != evaluate.StatusDegraded || took > 0 || judged != 1 {
			t.Errorf("without the service, known to be away: %+v after %v", e, took)
		}
		assessor.Drop()
	})
}
