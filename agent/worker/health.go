package worker

import (
	"encoding/json"
	"net/http"

	"github.com/livekit/protocol/livekit"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// info is the answer to GET /worker, with the names of LiveKit's WorkerInfo message. Zeros are not left out: LiveKit
// Cloud takes a missing protocol_version for an old worker.
type info struct {
	WorkerType      string  `json:"worker_type"`
	AgentName       string  `json:"agent_name"`
	ActiveJobs      int     `json:"active_jobs"`
	SDKVersion      string  `json:"sdk_version"`
	WorkerLoad      float64 `json:"worker_load"`
	ProtocolVersion int     `json:"protocol_version"`
}

// HealthHandler answers GET / (200 when registered, else 503 with the reason), GET /worker (JSON) and, if metrics is not
// nil, GET /metrics.
func (w *Worker) HealthHandler(metrics prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", w.serveHealth)
	mux.HandleFunc("GET /worker", w.serveInfo)
	if metrics != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	}
	return mux
}

func (w *Worker) serveHealth(rw http.ResponseWriter, _ *http.Request) {
	switch failure := w.failure.Load(); {
	case failure != nil:
		http.Error(rw, (*failure).Error(), http.StatusServiceUnavailable)
	case !w.Registered():
		http.Error(rw, "not registered with the LiveKit server", http.StatusServiceUnavailable)
	default:
		_, _ = rw.Write([]byte("OK")) // the client's loss
	}
}

func (w *Worker) serveInfo(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(info{ // the client's loss
		WorkerType:      livekit.JobType_JT_ROOM.String(),
		AgentName:       w.opts.AgentName,
		ActiveJobs:      w.ActiveJobs(),
		SDKVersion:      w.opts.Version,
		WorkerLoad:      w.Load(),
		ProtocolVersion: livekit.CurrentWorkerProtocol,
	})
}
