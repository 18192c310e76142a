package worker_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

func get(handler http.Handler, path string) (status int, body string) {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return recorder.Code, strings.TrimSpace(recorder.Body.String())
}

func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, func(o *worker.Options) { o.MaxRetries = 1 })
		health := r.worker.HealthHandler(nil)
		synctest.Wait() // the server has registered it; it has to hear of that
		if status, body := get(health, "/"); status != http.StatusOK || body != "OK" {
			t.Errorf("registered: GET / = %d %q, want 200 OK", status, body)
		}
		r.server.Behave(workertest.Behaviour{DialError: errors.New("down")})
		r.server.Drop()
		synctest.Wait()
		if status, body := get(health, "/"); status != http.StatusServiceUnavailable || !strings.Contains(body, "not registered") {
			t.Errorf("disconnected: GET / = %d %q, want 503 not registered", status, body)
		}
		<-r.done
		if status, body := get(health, "/"); status != http.StatusServiceUnavailable || !strings.Contains(body, "LIVEKIT_URL") {
			t.Errorf("failed: GET / = %d %q, want 503 with the reason", status, body)
		}
		if status, _ := get(health, "/elsewhere"); status != http.StatusNotFound {
			t.Errorf("GET /elsewhere = %d, want 404", status)
		}
	})
}

func TestWorkerInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, func(o *worker.Options) { o.LoadFunc = func() float64 { return 0.5 } })
		r.mustDispatch()
		time.Sleep(time.Minute) // what a job costs is in the load by then
		_, body := get(r.worker.HealthHandler(nil), "/worker")
		var got map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("GET /worker = %q: %v", body, err)
		}
		want := map[string]any{
			"worker_type": "JT_ROOM", "agent_name": "viva", "active_jobs": 1.0,
			"sdk_version": "1.2.3", "worker_load": 0.5, "protocol_version": 1.0,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("GET /worker (-want +got):\n%s", diff)
		}
	})
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		handler := &interviewer{}
		r := newRig(t, handler, func(o *worker.Options) {
			o.Registerer = registry
			o.LoadFunc = func() float64 { return 0.5 }
		})
		id := r.mustDispatch()
		synctest.Wait()
		if err := r.server.Terminate(id); err != nil {
			t.Fatal(err)
		}
		r.mustDispatch()
		synctest.Wait()
		_, body := get(r.worker.HealthHandler(registry), "/metrics")
		for _, line := range []string{
			"viva_jobs_active 1",
			`viva_jobs_total{result="failed"} 0`,
			`viva_jobs_total{result="refused"} 0`,
			`viva_jobs_total{result="success"} 0`,
			`viva_jobs_total{result="terminated"} 1`,
			`viva_jobs_total{result="unassigned"} 0`,
			"viva_worker_load 0.5",
			"viva_worker_registered 1",
			"lk_agents_active_job_count{nodename=",
			"lk_agents_worker_load{nodename=",
		} {
			if !strings.Contains(body, "\n"+line) {
				t.Errorf("GET /metrics lacks %s", line)
			}
		}
	})
}

// Tools wait for "registered worker" in the log and then ask: the worker is healthy when it says so, not a moment later.
func TestHealthyOnceItSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made, status := make(chan http.Handler, 1), make(chan int, 1)
		r := newRig(t, &interviewer{}, func(o *worker.Options) {
			o.Logger = o.Logger.WithOptions(zap.Hooks(func(e zapcore.Entry) error {
				if e.Message == "registered worker" {
					code, _ := get(<-made, "/")
					status <- code
				}
				return nil
			}))
		})
		made <- r.worker.HealthHandler(nil)
		if code := <-status; code != http.StatusOK {
			t.Errorf("just after it said that it is registered, GET / = %d", code)
		}
	})
}
