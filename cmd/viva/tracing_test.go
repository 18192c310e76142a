package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// TestSpansReachTheCollector: what was traced before the end is at the collector after it.
func TestSpansReachTheCollector(t *testing.T) {
	got := make(chan string, 4)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if len(body) > 0 {
			got <- r.URL.Path
		}
	}))
	defer collector.Close()
	s := &settings.Settings{AgentName: "viva", Trace: settings.Trace{Endpoint: collector.URL + "/", Sample: 1}}
	tracer, flush, err := tracing(t.Context(), s, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "session")
	span.End()
	flush()
	select {
	case path := <-got:
		if path != "/v1/traces" {
			t.Errorf("spans went to %s", path)
		}
	default:
		t.Error("no span arrived")
	}
}

// TestNoCollectorNoTracer: without an address nothing is traced; with one where nobody listens the end comes all the same.
func TestNoCollectorNoTracer(t *testing.T) {
	tracer, flush, err := tracing(t.Context(), &settings.Settings{}, zap.NewNop())
	if err != nil || tracer != nil {
		t.Fatalf("tracer %v, error %v", tracer, err)
	}
	flush()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	core, logs := observer.New(zap.WarnLevel)
	tracer, flush, err = tracing(t.Context(), &settings.Settings{Trace: settings.Trace{Endpoint: gone.URL, Sample: 1}}, zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "session")
	span.End()
	flush()
	if logs.FilterMessage("trace.export").Len() == 0 {
		t.Error("the loss was not logged")
	}
}
