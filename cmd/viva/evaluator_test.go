package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/evaluate"
)

const evaluatorKey = "a-key-that-nobody-guesses"

// launchEvaluator starts the service in a process of its own and returns a client of it.
func launchEvaluator(t *testing.T, env ...string) (*process, *evaluator.Client) {
	t.Helper()
	p := launch(t, append(env, "VIVA_EVALUATOR_KEY="+evaluatorKey, "VIVA_LOG_FORMAT=json"), "evaluator", "--evaluator-address", "127.0.0.1:0")
	p.await("evaluator.started")
	lines, _ := p.errors()
	var started struct{ Address string }
	for _, line := range lines {
		if strings.Contains(line, "evaluator.started") {
			if err := json.Unmarshal([]byte(line), &started); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := evaluator.NewClient(evaluator.ClientOptions{URL: "http://" + started.Address, Key: evaluatorKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return p, c
}

var toBeJudged = evaluate.Item{ID: "cost/COMPLEXITY/1", Reference: "O(n)", Turns: []evaluate.Turn{{ID: 4, Role: evaluate.RoleUser, Content: "I keep a counter, so it is linear."}}}

// RX-8: judging can be a process of its own: it judges, logs no words of the candidate, and ends in peace.
func TestEvaluatorProcess(t *testing.T) {
	p, c := launchEvaluator(t)
	e, err := c.Judge(t.Context(), "two_stage", toBeJudged)
	if err != nil || e.By != "two_stage" || e.Score != 6.25 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := c.Judge(t.Context(), "llm_rubric", toBeJudged); fault.KindOf(err) != fault.Unknown {
		t.Errorf("without a model: %v", err)
	}
	p.signal(syscall.SIGTERM)
	o := p.wait()
	o.wants(t, 0, "evaluator.stopped", "cost/COMPLEXITY/1")
	if strings.Contains(o.errs, "counter") || strings.Contains(o.errs, evaluatorKey) {
		t.Errorf("logged:\n%s", o.errs)
	}
}

// R004-61: a service whose process is killed in the middle of a judgement is a broken connection, which can be tried again.
func TestEvaluatorProcessIsKilled(t *testing.T) {
	asked := make(chan struct{}, 1)
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a caller that hangs up is noticed only then
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer model.Close()
	p, c := launchEvaluator(t, "OPENAI_BASE_URL="+model.URL+"/v1", "VIVA_LLM=openai")
	failed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(t.Context(), processLimit)
		defer cancel()
		_, err := c.Judge(ctx, "two_stage", toBeJudged)
		failed <- err
	}()
	select {
	case <-asked:
	case <-time.After(processLimit):
		t.Fatal("the model was not asked")
	}
	p.signal(syscall.SIGKILL)
	var away *evaluator.Away
	if err := <-failed; fault.KindOf(err) != fault.Connection || errors.As(err, &away) {
		t.Errorf("killed: %v", err)
	}
	if _, err := c.Judge(t.Context(), "two_stage", toBeJudged); !errors.As(err, &away) {
		t.Errorf("asked again at once: %v", err)
	}
}

// A service without its key does not start, and one without a free address says what helps.
func TestEvaluatorBadCommandLines(t *testing.T) {
	setting(t)
	viva(t, nobody(), "evaluator").wants(t, exitUsage, "evaluator.key", "VIVA_EVALUATOR_KEY")
	t.Setenv("VIVA_EVALUATOR_KEY", evaluatorKey)
	viva(t, nobody(), "evaluator", "--evaluator-address", "192.0.2.1:1").wants(t, exitFailure, "--evaluator-address")
}
