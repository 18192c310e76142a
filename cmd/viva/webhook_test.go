package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/state/store"
)

// R002-55: the settings of the webhook reach its receiver, by a private address too where the operator names one; tries are counted.
func TestWebhookBySettings(t *testing.T) {
	arrived := make(chan http.Header, 1)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- r.Header }))
	defer site.Close()
	registry := prometheus.NewRegistry()
	metrics := agent.NewMetrics(registry)
	none, closeNone, err := startWebhook(t.Context(), &settings.Settings{}, keeping{}, metrics, zap.NewNop())
	if err != nil || none != nil {
		t.Fatalf("without an address: %v, %v", none, err)
	}
	closeNone()
	s := &settings.Settings{Report: settings.Report{WebhookURL: settings.Secret(site.URL), WebhookSecret: "0123456789abcdef"}}
	database, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := database.SaveSession(t.Context(), store.Session{ID: "x"}); err != nil {
		t.Fatal(err)
	}
	c, closeWebhook, err := startWebhook(t.Context(), s, keeping{database: database}, metrics, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Tell(t.Context(), webhook.Notice{ID: "report/x", Type: webhook.ReportReady, Session: "x"}); err != nil {
		t.Fatal(err)
	}
	head := <-arrived
	closeWebhook()
	if head.Get(webhook.HeaderSignature) == "" || head.Get("User-Agent") != "viva/"+version {
		t.Errorf("%v", head)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "viva_webhook_tries_total" {
			for _, tries := range f.GetMetric() { // all outcomes are there from the start, so that the first dead one is an increase
				outcome, n := tries.GetLabel()[0].GetValue(), tries.GetCounter().GetValue()
				if want := (map[string]float64{"delivered": 1, "failed": 0, "dead": 0}); len(f.GetMetric()) != len(want) || n != want[outcome] {
					t.Errorf("%s: %v", outcome, n)
				}
			}
			return
		}
	}
	t.Error("tries are not counted")
}
