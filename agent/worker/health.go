package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	healthReadTimeout = 5 * time.Second
	healthStopTimeout = 2 * time.Second
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

// ListenHealth opens the health endpoint's address, such as ":8081", so that a port that is taken is known before the
// worker starts. The caller passes the listener to ServeHealth or closes it.
func ListenHealth(ctx context.Context, addr string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("health endpoint: %s is taken by another process: choose another address with "+
			"--health-address or VIVA_HEALTH_ADDRESS: %w", addr, err)
	}
	if err != nil {
		return nil, fmt.Errorf("health endpoint: cannot listen on %q (--health-address, VIVA_HEALTH_ADDRESS): %w", addr, err)
	}
	return listener, nil
}

// ServeHealth serves the handler until ctx ends, and closes the listener. It returns nil if ctx ended it.
func ServeHealth(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: healthReadTimeout}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthStopTimeout)
		defer cancel()
		if server.Shutdown(limited) != nil {
			_ = server.Close() // what is left are clients that do not read
		}
	})
	err := server.Serve(listener)
	if !stop() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve health endpoint: %w", err)
}
