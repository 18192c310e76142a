package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

// refusing is a model whose service takes nothing.
type refusing struct{}

func (refusing) Stream(context.Context, llm.Request) (llm.Stream, error) {
	return nil, &fault.Error{Op: "chat", Kind: fault.BadRequest, Form: true}
}

// Every model of an interviewer is watched in its role, also the one that stands in for evaluators.
func TestModelsAreWatched(t *testing.T) {
	registry := prometheus.NewRegistry()
	o := Options{Engines: Engines{LLM: refusing{}}, Logger: zap.NewNop(), Metrics: NewMetrics(registry)}
	o.watch()
	for _, m := range []llm.Model{o.Engines.LLM, o.Engines.Evaluators.Model} {
		if _, err := m.Stream(t.Context(), llm.Request{}); !fault.Form(err) {
			t.Errorf("got %v", err)
		}
	}
	for _, role := range []string{refusals.Interviewer, refusals.Evaluators} {
		if o.refused.Found()[role] == "" {
			t.Errorf("nobody knows what the %s was refused: %v", role, o.refused.Found())
		}
	}
	o = Options{Logger: zap.NewNop()}
	o.watch()
	if o.Engines.LLM != nil || o.Engines.Evaluators.Model != nil {
		t.Error("there are models where there were none")
	}
}

// R002-55: a page that missed the report gets it again when it asks or comes back, at most once a second, and nothing before
// there is one.
func TestReportIsHandedOutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		h := &handout{send: func(topic, text string) error {
			sent = append(sent, topic+" "+text)
			return errors.New("the room was left") // nobody breaks by it
		}}
		h.again()
		if len(sent) != 0 {
			t.Fatalf("sent %v", sent)
		}
		if err := h.publish(assessment.Topic, []byte("{}")); err == nil {
			t.Error("the report was not sent, and nobody knows")
		}
		time.Sleep(time.Second)
		for range 5 {
			h.again()
		}
		time.Sleep(time.Second)
		h.again()
		if len(sent) != 3 || sent[2] != "viva.report {}" {
			t.Errorf("sent %v", sent)
		}
	})
}
