package evaluator

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// metrics count what a service does.
type metrics struct {
	judgements *prometheus.HistogramVec
	refusals   *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer, underWay func() float64) metrics {
	m := metrics{
		judgements: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "viva_evaluator_duration_seconds", Help: "How long judgements took, by evaluator and outcome.",
			Buckets: []float64{0.001, 0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64},
		}, []string{"evaluator", "outcome"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_evaluator_refusals_total", Help: "Requests that came to no judgement, by kind.",
		}, []string{"kind"}),
	}
	r.MustRegister(m.judgements, m.refusals, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "viva_evaluator_under_way", Help: "Judgements under way.",
	}, underWay))
	return m
}

// judged counts one judgement. Names that callers made up do not become labels.
func (m *metrics) judged(by, status string, err error, took time.Duration) {
	if !slices.Contains(registry.Names(), by) {
		by = "unknown"
	}
	if err != nil {
		_, status = failure(err)
	}
	m.judgements.WithLabelValues(by, status).Observe(took.Seconds())
}

func (m *metrics) refused(kind string) { m.refusals.WithLabelValues(kind).Inc() }
