package agent

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
)

// delays measure what a candidate feels, from this side of the network.
type delays struct {
	gap, own, decision, onset, handoff, join, greeting prometheus.Histogram
	interruptions                                      *prometheus.CounterVec
	stale                                              prometheus.Counter
}

// delayBuckets are in seconds: fine where the goals lie (30 and 60 ms of our own, 250 and 350 ms to silence, some 850 ms to an
// answer), coarse up to 5 s.
func delayBuckets() []float64 {
	return []float64{.001, .0025, .005, .01, .02, .03, .04, .05, .06, .08, .1, .15, .2, .25, .3, .35, .5, .7, .85, 1, 1.25, 1.5, 2, 3, 5}
}

func newDelays() delays {
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: "viva_" + name + "_seconds", Help: help, Buckets: delayBuckets()})
	}
	return delays{
		gap:      histogram("turn_gap", "From the end of the candidate's last word to the first packet of the answer."),
		own:      histogram("turn_own", "From the decision that a turn is over to the first packet, less the wait for model and voice."),
		decision: histogram("interruption_stop", "From the decision that the voice be silent to its last packet."),
		onset:    histogram("interruption_silence", "From the onset of the candidate's sound to the voice's last packet."),
		handoff:  histogram("handoff_silence", "From the decision for a handoff to the first packet of the bridge, less the wait for model and voice."),
		join:     histogram("dispatch_joined", "From the offer of a job to the published voice."),
		greeting: histogram("dispatch_voice", "From the offer of a job to the first packet, where the candidate was waiting."),
		interruptions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "viva_interruptions_total", Help: "Times the voice was silenced by the candidate: confirmed, or false and resumed.",
		}, []string{"outcome"}),
		stale: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "viva_stale_frames_dropped_total", Help: "Frames of 20 ms that were thrown away because their utterance had been cut.",
		}),
	}
}

func (d *delays) register(r prometheus.Registerer) {
	r.MustRegister(d.gap, d.own, d.decision, d.onset, d.handoff, d.join, d.greeting, d.interruptions, d.stale)
}

// observe counts a span of time, if it is known.
func observe(h prometheus.Histogram, d time.Duration, ok bool) {
	if ok {
		h.Observe(d.Seconds())
	}
}

// Trace measures one utterance.
func (m *Metrics) Trace(t session.Trace) {
	if m == nil {
		return
	}
	d := &m.delays
	gap, known := t.Gap()
	observe(d.gap, gap, known)
	own, known := t.Own()
	observe(d.own, own, known)
	silence, known := t.HandoffSilence()
	observe(d.handoff, silence, known)
	for i := range t.Stops {
		s := &t.Stops[i]
		delay, known := s.Delay()
		observe(d.decision, delay, known)
		onward, known := s.Onward()
		observe(d.onset, onward, known)
		outcome := "false"
		if s.Real {
			outcome = "confirmed"
		}
		d.interruptions.WithLabelValues(outcome).Inc()
	}
}

// joined measures how long it took to be in a room.
func (m *Metrics) joined(after time.Duration) {
	if m != nil {
		m.delays.join.Observe(after.Seconds())
	}
}

// greeted measures how long it took until a candidate who waited heard something.
func (m *Metrics) greeted(after time.Duration) {
	if m != nil {
		m.delays.greeting.Observe(after.Seconds())
	}
}

// discarded counts sound, in samples of the voice, that was thrown away.
func (m *Metrics) discarded(samples uint64) {
	if m != nil {
		m.delays.stale.Add(float64(samples / audio.VoiceFrame))
	}
}
