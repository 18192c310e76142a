package worker

import (
	"fmt"
	"os"

	"github.com/prometheus/client_golang/prometheus"
)

// Results of jobs and offers, the values of the label of viva_jobs_total.
const (
	resultSuccess    = "success"
	resultFailed     = "failed"
	resultTerminated = "terminated"
	resultRefused    = "refused"
	resultUnassigned = "unassigned"
)

// registerMetrics makes and registers the worker's metrics. The gauges read the worker when they are collected. Those
// named lk_agents_… are what LiveKit's own agents export, so that existing dashboards work.
func registerMetrics(registerer prometheus.Registerer, w *Worker) (*prometheus.CounterVec, error) {
	results := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "viva_jobs_total", Help: "Jobs and offers by how they ended.",
	}, []string{"result"})
	for _, result := range []string{resultSuccess, resultFailed, resultTerminated, resultRefused, resultUnassigned} {
		results.WithLabelValues(result)
	}
	if registerer == nil {
		return results, nil
	}
	registered := func() float64 {
		if w.Registered() {
			return 1
		}
		return 0
	}
	jobs := func() float64 { return float64(w.ActiveJobs()) }
	for _, c := range []prometheus.Collector{
		results,
		gauge("viva_worker_registered", "Whether the worker is registered with the server.", nil, registered),
		gauge("viva_worker_load", "Load reported to the server, 0 to 1.", nil, w.Load),
		gauge("viva_jobs_active", "Jobs running now.", nil, jobs),
		gauge("lk_agents_active_job_count", "Jobs running now.", nodeLabel(), jobs),
		gauge("lk_agents_worker_load", "Load reported to the server, 0 to 1.", nodeLabel(), w.Load),
	} {
		if err := registerer.Register(c); err != nil {
			return nil, fmt.Errorf("register metric: %w", err)
		}
	}
	return results, nil
}

func gauge(name, help string, labels prometheus.Labels, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read)
}

func nodeLabel() prometheus.Labels {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return prometheus.Labels{"nodename": host}
}
