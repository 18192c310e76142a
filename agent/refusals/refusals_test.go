package refusals_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// model is a model behind a stub of its service, which does not try again.
func model(t *testing.T, stub *openaitest.Server) llm.Model {
	t.Helper()
	server := httptest.NewServer(stub)
	t.Cleanup(server.Close)
	c, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", ChatLimits: fault.Limits{Retry: &fault.Retry{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c.Model()
}

func ask(ctx context.Context, m llm.Model, schema string) error {
	r := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Hello"}}}
	if schema != "" {
		r.Schema = []byte(schema)
	}
	s, err := m.Stream(ctx, r)
	if err != nil {
		return err
	}
	return s.Close()
}

// The first refusal of a role is logged once; each is counted; other failures are no refusals of the form.
func TestTheFirstRefusalIsTold(t *testing.T) {
	const open = `{"type":"object","properties":{}}`
	stub := openaitest.New(openaitest.Options{})
	core, logs := observer.New(zap.InfoLevel)
	registry := prometheus.NewRegistry()
	book := refusals.NewBook(zap.New(core), refusals.Counter(registry))
	judges, words := book.Watch(refusals.Evaluators, model(t, stub)), book.Watch(refusals.Interviewer, model(t, stub))
	if err := ask(t.Context(), words, ""); err != nil || book.Found() != nil {
		t.Fatalf("%v, %v", err, book.Found())
	}
	for range 3 {
		if err := ask(t.Context(), judges, open); !fault.Form(err) {
			t.Fatalf("not refused: %v", err)
		}
	}
	stub.Fail(openaitest.Chat, openaitest.Fault{Status: 500})
	if err := ask(t.Context(), words, ""); err == nil {
		t.Fatal("no failure")
	}
	found := book.Found()
	if diff := cmp.Diff([]string{refusals.Evaluators}, book.Roles()); diff != "" || !strings.Contains(found[refusals.Evaluators], "additionalProperties") {
		t.Errorf("%s%v", diff, found)
	}
	if all := logs.All(); len(all) != 1 || all[0].Level != zap.ErrorLevel || !strings.Contains(all[0].ContextMap()["reason"].(string), "additionalProperties") {
		t.Errorf("logged %+v", all)
	}
	counted := make(map[string]float64)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "viva_model_refusals_total" {
		t.Fatalf("%v, %v", err, families)
	}
	for _, m := range families[0].GetMetric() {
		counted[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
	}
	if diff := cmp.Diff(map[string]float64{"interviewer": 0, "evaluators": 3}, counted); diff != "" {
		t.Error(diff)
	}
}

// late refuses in the middle of a reply.
type late struct{}

func (late) Stream(context.Context, llm.Request) (llm.Stream, error) { return late{}, nil }
func (late) Close() error                                            { return nil }
func (late) Next() (llm.Delta, error) {
	return llm.Delta{}, &fault.Error{Op: "chat", Provider: "x", Kind: fault.BadRequest, Form: true, Err: errors.New(strings.Repeat("é", 400))}
}

func TestARefusalInsideAReplyIsNotedOnce(t *testing.T) {
	count := 0
	book := refusals.NewBook(zap.NewNop(), func(string) { count++ })
	s, err := book.Watch(refusals.Evaluators, late{}).Stream(t.Context(), llm.Request{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Next(); err == nil {
			t.Fatal("no error")
		}
	}
	if n := len([]rune(book.Found()[refusals.Evaluators])); count != 1 || n > 301 {
		t.Errorf("%d refusals, %d characters", count, n)
	}
	if book.Watch(refusals.Evaluators, nil) != nil {
		t.Error("there is a model where there was none")
	}
}
