package agent

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/stages/engine"
)

// Metrics count what happens in interviews (acceptance R001-72), and measure what a candidate feels, from this side of the network.
type Metrics struct {
	stages, tasks, judged, reported                       *prometheus.HistogramVec
	transitions, sessions, speculation, wasted, watchdogs *prometheus.CounterVec
	deliveries, swept, over, panics, interruptions        *prometheus.CounterVec
	leases, rescues                                       *prometheus.CounterVec
	gap, own, decision, onset, handoff, join, greeting    prometheus.Histogram
	stale                                                 prometheus.Counter
	facts                                                 map[string]prometheus.Counter
	refused                                               func(role string)
}

// countedFacts are the facts of sessions that are counted by their names.
var countedFacts = map[string]string{ //nolint:gosec // names of facts, no credentials
	"prompt.issued": "Prompts issued.", "turn.received": "Candidate turns.", "bargein": "Interruptions by the candidate.",
	"cutin":      "Times the interviewer had answered a turn that went on, and took it back.",
	"turn.limit": "Answers that were stepped in on.", "model.degraded": "Utterances whose scripted words stood in for the model's.",
	"voice.failed": "Utterances that could not be voiced.", "handoff.noop": "Handoffs that came too late.", "timer.late": "Timers that came too late.",
	"secret.kept": "Scripted words that were replaced because they gave something away.", "secret.withheld": "Replies of a model that were cut for the same.",
	"budget.spent": "Interviews that used up their budget of tokens.", "expert.failed": "Experts whose rules failed.",
	"candidate.distress": "Turns in which a candidate spoke of harming themselves.", "candidate.human": "Wishes to talk to a person.",
	"turn.no_words":    "Times the candidate was heard and not understood.",
	"listening.signal": "Listening signals given in pauses of the candidate's.",
}

// delayBuckets are in seconds: fine where the goals lie (30 and 60 ms of our own, 250 and 350 ms to silence, some 850 ms to an
// answer), coarse up to 5 s.
func delayBuckets() []float64 {
	return []float64{.001, .0025, .005, .01, .02, .03, .04, .05, .06, .08, .1, .15, .2, .25, .3, .35, .5, .7, .85, 1, 1.25, 1.5, 2, 3, 5}
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	auto := promauto.With(r)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: "viva_" + name + "_total", Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return auto.NewHistogramVec(prometheus.HistogramOpts{Name: "viva_" + name + "_seconds", Help: help, Buckets: buckets}, labels)
	}
	delay := func(name, help string) prometheus.Histogram {
		return auto.NewHistogram(prometheus.HistogramOpts{Name: "viva_" + name + "_seconds", Help: help, Buckets: delayBuckets()})
	}
	m := &Metrics{
		stages: histogram("stage_duration", "How long stages took.", []float64{5, 15, 30, 60, 90, 120, 180, 300, 600, 1200}, "stage", "reason"),
		tasks: histogram("task_duration", "How long companies, experts and judges took to answer, by kind and outcome.",
			[]float64{0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16}, "kind", "outcome"),
		judged: histogram("judgement_duration", "How long answers took to be judged beside the talk, by how that ended.",
			[]float64{0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64, 128}, "status"),
		reported: histogram("report_wait", "How long reports waited for judgements, by the report's status, or failed.",
			[]float64{0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64}, "status"),
		transitions: counter("handoffs", "Handoffs by reason; forced ones were made by a deadline or by silence.", "reason", "forced"),
		sessions:    counter("sessions", "Interviews that ended, by reason.", "reason"),
		speculation: counter("speculations", "Replies prepared before a turn was decided: adopted, or discarded and why.", "outcome", "reason"),
		wasted:      counter("speculation_wasted", "What discarded replies cost: model tokens, prompts included, and characters synthesised.", "unit"),
		watchdogs:   counter("watchdogs", "Times a watchdog stepped in, by what had lasted too long.", "which"),
		deliveries:  counter("webhook_tries", "Tries to tell the webhook of a report: delivered, failed, or dead, which is given up.", "outcome"),
		swept: counter("sessions_swept",
			"Interviews that a dead worker left and nobody took up: ended and reported, failed to be read, or kept by another worker after all.", "outcome"),
		leases: counter("leases", "What befell leases of interviews: lost to another worker, not renewed or not given by the database, offered as the room was "+
			"lost, retaken.", "event"),
		rescues:       counter("rescues", "Interviewers called into rooms whose interviewer died: called, or the call failed.", "outcome"),
		over:          counter("quota_refused", "Messages of candidates' pages that were over a quota and not taken, by kind.", "kind"),
		panics:        counter("panics", "Panics that were kept to one interview, by where they were.", "where"),
		interruptions: counter("interruptions", "Times the voice was silenced by the candidate: confirmed, or false and resumed.", "outcome"),
		gap:           delay("turn_gap", "From the end of the candidate's last word to the first packet of the answer."),
		own:           delay("turn_own", "From the decision that a turn is over to the first packet, less the wait for model and voice."),
		decision:      delay("interruption_stop", "From the decision that the voice be silent to its last packet."),
		onset:         delay("interruption_silence", "From the onset of the candidate's sound to the voice's last packet."),
		handoff:       delay("handoff_silence", "From the decision for a handoff to the first packet of the bridge, less the wait for model and voice."),
		join:          delay("dispatch_joined", "From the offer of a job to the published voice."),
		greeting:      delay("dispatch_voice", "From the offer of a job to the first packet, where the candidate was waiting."),
		stale: auto.NewCounter(prometheus.CounterOpts{
			Name: "viva_stale_frames_dropped_total", Help: "Frames of 20 ms that were thrown away because their utterance had been cut.",
		}),
		facts: make(map[string]prometheus.Counter), refused: refusals.Counter(r),
	}
	for name, help := range countedFacts {
		m.facts[name] = auto.NewCounter(prometheus.CounterOpts{Name: "viva_" + strings.ReplaceAll(name, ".", "_") + "_total", Help: help})
	}
	m.beginAtZero()
	return m
}

// beginAtZero makes the counters that alerts look at, so that the first event is an increase.
func (m *Metrics) beginAtZero() {
	m.panics.WithLabelValues("session")
	for kind := range quotas {
		m.over.WithLabelValues(kind)
	}
	for _, event := range []string{leaseLost, leaseUnrenewed, leaseNone, leaseOffered, leaseRetaken} {
		m.leases.WithLabelValues(event)
	}
	for _, outcome := range []string{rescueCalled, rescueFailed} {
		m.rescues.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"delivered", "failed", "dead"} {
		m.deliveries.WithLabelValues(outcome)
	}
	for _, outcome := range []string{assessment.SweptEnded, assessment.SweptFailed, assessment.SweptKept} {
		m.swept.WithLabelValues(outcome)
	}
}

// Observe counts one fact of a session.
func (m *Metrics) Observe(f engine.Fact) {
	if c, ok := m.facts[f.Name]; ok {
		c.Inc()
	}
	switch f.Name {
	case "stage.exit":
		lasted, _ := value(f, "lasted").(time.Duration)
		m.stages.WithLabelValues(text(f, "stage"), text(f, "reason")).Observe(lasted.Seconds())
	case "handoff.done":
		forced, _ := value(f, "forced").(bool)
		m.transitions.WithLabelValues(text(f, "reason"), strconv.FormatBool(forced)).Inc()
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

// Judged implements assessment.Metrics.
func (m *Metrics) Judged(status string, took time.Duration) {
	m.judged.WithLabelValues(status).Observe(took.Seconds())
}

// Reported implements assessment.Metrics.
func (m *Metrics) Reported(status string, waited time.Duration) {
	m.reported.WithLabelValues(status).Observe(waited.Seconds())
}

// Delivery counts a try of a webhook.
func (m *Metrics) Delivery(outcome string) { m.deliveries.WithLabelValues(outcome).Inc() }

// Swept counts what became of an interview that a dead worker left.
func (m *Metrics) Swept(outcome string) { m.swept.WithLabelValues(outcome).Inc() }

// Refused counts a request that a model's service refused for its form.
func (m *Metrics) Refused(role string) { m.refused(role) }

// overQuota counts a message of a candidate's page that was over a quota.
func (m *Metrics) overQuota(kind string) { m.over.WithLabelValues(kind).Inc() }

// panicked counts a panic that was kept to its interview.
// What befalls leases, and the calls of other interviewers.
const (
	leaseLost      = "lost"
	leaseUnrenewed = "unrenewed"
	leaseNone      = "none"
	leaseOffered   = "offered"
	leaseRetaken   = "retaken"

	rescueCalled = "called"
	rescueFailed = "failed"
)

func (m *Metrics) leased(event string) { m.leases.WithLabelValues(event).Inc() }

func (m *Metrics) rescued(outcome string) { m.rescues.WithLabelValues(outcome).Inc() }

func (m *Metrics) panicked(where string) { m.panics.WithLabelValues(where).Inc() }

// Trace measures one utterance.
func (m *Metrics) Trace(t session.Trace) {
	observe(m.gap, t.Gap)
	observe(m.own, t.Own)
	observe(m.handoff, t.HandoffSilence)
	for i := range t.Stops {
		s := &t.Stops[i]
		observe(m.decision, s.Delay)
		observe(m.onset, s.Onward)
		outcome := "false"
		if s.Real {
			outcome = "confirmed"
		}
		m.interruptions.WithLabelValues(outcome).Inc()
	}
}

// observe measures a span of time, if it is known.
func observe(h prometheus.Histogram, span func() (d time.Duration, ok bool)) {
	if d, ok := span(); ok {
		h.Observe(d.Seconds())
	}
}

// joined measures how long it took to be in a room.
func (m *Metrics) joined(after time.Duration) { m.join.Observe(after.Seconds()) }

// greeted measures how long it took until a candidate who waited heard something.
func (m *Metrics) greeted(after time.Duration) { m.greeting.Observe(after.Seconds()) }

// discarded counts sound, in samples of the voice, that was thrown away.
func (m *Metrics) discarded(samples uint64) { m.stale.Add(float64(samples / audio.VoiceFrame)) }

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
