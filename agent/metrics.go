package agent

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vivavoice/viva/agent/debrief"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/stages/engine"
)

// Metrics count what happens in interviews (acceptance R001-72). A nil *Metrics counts nothing.
type Metrics struct {
	stages      *prometheus.HistogramVec
	transitions *prometheus.CounterVec
	facts       map[string]prometheus.Counter
	sessions    *prometheus.CounterVec
	speculation *prometheus.CounterVec
	wasted      *prometheus.CounterVec
	watchdogs   *prometheus.CounterVec
	tasks       *prometheus.HistogramVec
	delays      delays
	judged      *prometheus.HistogramVec
	reported    *prometheus.HistogramVec
	deliveries  *prometheus.CounterVec
	swept       *prometheus.CounterVec
	refused     func(role string)
	over        *prometheus.CounterVec
	panics      *prometheus.CounterVec
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "viva_stage_duration_seconds", Help: "How long stages took.", Buckets: []float64{5, 15, 30, 60, 90, 120, 180, 300, 600, 1200},
		}, []string{"stage", "reason"}),
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_handoffs_total", Help: "Handoffs by reason; forced ones were made by a deadline or by silence.",
		}, []string{"reason", "forced"}),
		sessions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_sessions_total", Help: "Interviews that ended, by reason.",
		}, []string{"reason"}),
		speculation: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_speculations_total", Help: "Replies prepared before a turn was decided: adopted, or discarded and why.",
		}, []string{"outcome", "reason"}),
		wasted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_speculation_wasted_total", Help: "What discarded replies cost: model tokens, prompts included, and characters synthesised.",
		}, []string{"unit"}),
		watchdogs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_watchdogs_total", Help: "Times a watchdog stepped in, by what had lasted too long.",
		}, []string{"which"}),
		tasks: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "viva_task_duration_seconds", Help: "How long companies, experts and judges took to answer, by kind and outcome.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16},
		}, []string{"kind", "outcome"}),
		delays: newDelays(),
		judged: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "viva_judgement_duration_seconds", Help: "How long answers took to be judged beside the talk, by how that ended.",
			Buckets: []float64{0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64, 128},
		}, []string{"status"}),
		reported: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "viva_report_wait_seconds", Help: "How long reports waited for judgements, by the report's status, or failed.",
			Buckets: []float64{0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64},
		}, []string{"status"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_webhook_tries_total", Help: "Tries to tell the webhook of a report: delivered, failed, or dead, which is given up.",
		}, []string{"outcome"}),
		swept: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_sessions_swept_total",
			Help: "Interviews that a dead worker left and nobody took up: ended and reported, failed to be read, or kept by another worker after all.",
		}, []string{"outcome"}),
		refused: refusals.Counter(r),
		over: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_quota_refused_total", Help: "Messages of candidates' pages that were over a quota and not taken, by kind.",
		}, []string{"kind"}),
		panics: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_panics_total", Help: "Panics that were kept to one interview, by where they were.",
		}, []string{"where"}),
		facts: make(map[string]prometheus.Counter),
	}
	r.MustRegister(m.stages, m.transitions, m.sessions, m.speculation, m.wasted, m.watchdogs, m.tasks, m.judged, m.reported, m.deliveries, m.swept, m.over, m.panics)
	m.panics.WithLabelValues("session")
	for kind := range quotas {
		m.over.WithLabelValues(kind)
	}
	for _, outcome := range []string{"delivered", "failed", "dead"} {
		m.deliveries.WithLabelValues(outcome) // so that the first one is an increase
	}
	for _, outcome := range []string{debrief.SweptEnded, debrief.SweptFailed, debrief.SweptKept} {
		m.swept.WithLabelValues(outcome)
	}
	m.delays.register(r)
	for name, help := range map[string]string{ //nolint:gosec // names of facts, no credentials
		"prompt.issued": "Prompts issued.", "turn.received": "Candidate turns.", "bargein": "Interruptions by the candidate.",
		"turn.limit": "Answers that were stepped in on.", "model.degraded": "Utterances whose scripted words stood in for the model's.",
		"voice.failed": "Utterances that could not be voiced.", "handoff.noop": "Handoffs that came too late.", "timer.late": "Timers that came too late.",
		"secret.kept": "Scripted words that were replaced because they gave something away.", "secret.withheld": "Replies of a model that were cut for the same.",
		"budget.spent": "Interviews that used up their budget of tokens.", "expert.failed": "Experts whose rules failed.",
		"candidate.distress": "Turns in which a candidate spoke of harming themselves.", "candidate.human": "Wishes to talk to a person.",
		"turn.no_words": "Times the candidate was heard and not understood.",
	} {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "viva_" + underscore(name) + "_total", Help: help})
		r.MustRegister(c)
		m.facts[name] = c
	}
	return m
}

func underscore(name string) string {
	b := []byte(name)
	for i := range b {
		if b[i] == '.' {
			b[i] = '_'
		}
	}
	return string(b)
}

// Observe counts one fact of a session.
func (m *Metrics) Observe(f engine.Fact) {
	if m == nil {
		return
	}
	if c, ok := m.facts[f.Name]; ok {
		c.Inc()
	}
	switch f.Name {
	case "stage.exit":
		lasted, _ := value(f, "lasted").(time.Duration)
		m.stages.WithLabelValues(text(f, "stage"), text(f, "reason")).Observe(lasted.Seconds())
	case "handoff.done":
		forced := "false"
		if is, _ := value(f, "forced").(bool); is {
			forced = "true"
		}
		m.transitions.WithLabelValues(text(f, "reason"), forced).Inc()
	case "session.end":
		m.sessions.WithLabelValues(text(f, "reason")).Inc()
	case "watchdog.fired":
		m.watchdogs.WithLabelValues(text(f, "which")).Inc()
	case "task.done":
		lasted, _ := value(f, "lasted").(time.Duration)
		m.tasks.WithLabelValues(text(f, "kind"), outcome(f)).Observe(lasted.Seconds())
	case "speculation.adopted":
		m.speculation.WithLabelValues("adopted", "").Inc()
	case "speculation.discarded":
		m.speculation.WithLabelValues("discarded", text(f, "reason")).Inc()
	case "speculation.wasted":
		m.wasted.WithLabelValues("tokens").Add(number(f, "tokens"))
		m.wasted.WithLabelValues("characters").Add(number(f, "characters"))
	}
}

// Judged implements debrief.Metrics.
func (m *Metrics) Judged(status string, took time.Duration) {
	m.judged.WithLabelValues(status).Observe(took.Seconds())
}

// Reported implements debrief.Metrics.
func (m *Metrics) Reported(status string, waited time.Duration) {
	m.reported.WithLabelValues(status).Observe(waited.Seconds())
}

// Delivery counts a try of a webhook.
func (m *Metrics) Delivery(outcome string) { m.deliveries.WithLabelValues(outcome).Inc() }

// Swept counts what became of an interview that a dead worker left.
func (m *Metrics) Swept(outcome string) { m.swept.WithLabelValues(outcome).Inc() }

// Refused counts a request that a model's service refused for its form.
func (m *Metrics) Refused(role string) {
	if m != nil {
		m.refused(role)
	}
}

// overQuota counts a message of a candidate's page that was over a quota.
func (m *Metrics) overQuota(kind string) {
	if m != nil {
		m.over.WithLabelValues(kind).Inc()
	}
}

// panicked counts a panic that was kept to its interview.
func (m *Metrics) panicked(where string) {
	if m != nil {
		m.panics.WithLabelValues(where).Inc()
	}
}

// outcome is how a task ended: done, degraded (somebody else's answer) or failed.
func outcome(f engine.Fact) string {
	switch {
	case text(f, "failed") != "":
		return "failed"
	case text(f, "degraded") != "":
		return "degraded"
	}
	return "done"
}

func value(f engine.Fact, key string) any {
	for _, x := range f.Fields {
		if x.Key == key {
			return x.Value
		}
	}
	return nil
}

func number(f engine.Fact, key string) float64 {
	n, _ := value(f, key).(int)
	return float64(n)
}

func text(f engine.Fact, key string) string {
	s, _ := value(f, key).(string)
	return s
}
