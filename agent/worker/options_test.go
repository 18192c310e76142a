package worker_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vivavoice/viva/agent/worker"
)

func validOptions() worker.Options {
	return worker.Options{URL: "ws://127.0.0.1:7880", APIKey: "devkey", APISecret: "secret"}
}

func TestOptionsProblemsAreReportedAtOnce(t *testing.T) {
	_, err := worker.New(worker.Options{
		MaxJobs: -1, JobCost: worker.Cost{CPU: -1}, LoadThreshold: math.NaN(), LoadFunc: func() float64 { return 0 }, SystemCPU: true,
		DrainTimeout: -1, StopTimeout: -1,
	}, nil)
	if err == nil {
		t.Fatal("New accepted what is wrong in every way")
	}
	for _, problem := range []string{
		"LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET", "max jobs", "job cost", "load threshold",
		"system CPU", "drain timeout", "stop timeout", "handler",
	} {
		if !strings.Contains(err.Error(), problem) {
			t.Errorf("error does not mention %q:\n%v", problem, err)
		}
	}
}

func TestURLs(t *testing.T) {
	tests := map[string]bool{
		"ws://127.0.0.1:7880":               true,
		"wss://livekit.example.com/base/":   true,
		"http://localhost":                  true,
		"https://livekit.example.com":       true,
		"livekit.example.com":               false,
		"127.0.0.1:7880":                    false,
		"ftp://livekit.example.com":         false,
		"ws://":                             false,
		"ws://name:password@127.0.0.1:7880": false,
		"ws://127.0.0.1:port":               false,
	}
	for url, valid := range tests {
		t.Run(url, func(t *testing.T) {
			opts := validOptions()
			opts.URL = url
			_, err := worker.New(opts, &interviewer{})
			if (err == nil) != valid {
				t.Fatalf("New = %v, want valid = %v", err, valid)
			}
			if err != nil && (!strings.Contains(err.Error(), "LIVEKIT_URL") || strings.Contains(err.Error(), "password")) {
				t.Errorf("error %q must name the setting and show no password", err)
			}
		})
	}
}

func TestMetricsRegisteredTwiceIsAnError(t *testing.T) {
	opts := validOptions()
	opts.Registerer = prometheus.NewRegistry()
	if _, err := worker.New(opts, &interviewer{}); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.New(opts, &interviewer{}); err == nil {
		t.Error("second worker with one registry: no error")
	}
}

func TestDefaultLoadIsMeasured(t *testing.T) {
	for _, system := range []bool{false, true} {
		opts := validOptions()
		opts.SystemCPU = system
		w, err := worker.New(opts, &interviewer{})
		if err != nil {
			t.Fatal(err)
		}
		if load := w.Load(); load < 0 || load > 1 {
			t.Errorf("system CPU %v: load = %v, want 0 to 1", system, load)
		}
	}
}

func TestDrainBeforeRun(t *testing.T) {
	w, err := worker.New(validOptions(), &interviewer{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Drain(context.Background()); err != nil {
		t.Errorf("Drain = %v, want nil", err)
	}
	if err := w.Run(context.Background()); err != nil {
		t.Errorf("Run of a drained worker = %v, want nil at once", err)
	}
}
