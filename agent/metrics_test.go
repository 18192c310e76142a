package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/stages/engine"
)

// sums gathers what was observed: of histograms count and sum in ms, of counters the value, by name and labels.
func sums(t *testing.T, g prometheus.Gatherer) map[string][2]float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][2]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			if f.GetType().String() == "HISTOGRAM" {
				h := m.GetHistogram()
				out[name] = [2]float64{float64(h.GetSampleCount()), 1000 * h.GetSampleSum()}
				continue
			}
			out[name] = [2]float64{m.GetCounter().GetValue()}
		}
	}
	return out
}

// The worker is told of answers to turns, and of nothing else that is said.
func TestAnswersAreTold(t *testing.T) {
	var told []time.Duration
	a := &attendance{i: &Interviewer{o: Options{
		Metrics: NewMetrics(prometheus.NewRegistry()), Answered: func(lag time.Duration) { told = append(told, lag) },
	}}, voiced: true}
	began := time.Now()
	x := session.Trace{ReplyDecided: began, FirstPacket: began.Add(7 * time.Millisecond)}
	a.traced(t.Context(), x, nil)
	x.TurnDecided = began
	a.traced(t.Context(), x, nil)
	if len(told) != 1 || told[0] != 7*time.Millisecond {
		t.Errorf("told of %v, want of one answer of 7 ms", told)
	}
}

// Issue 3: one histogram for each bar of its first table, and the counters beside them.
func TestDelaysAreMeasured(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	m.Trace(session.Trace{
		Turn: 1, Handoff: "slots", SpeechEnded: at(0), TurnDecided: at(500), ReplyDecided: at(500), ModelAsked: at(500), FirstClause: at(700),
		VoiceAsked: at(701), FirstSound: at(821), FirstPacket: at(830),
		Stops: []session.Stop{
			{Onset: at(2000), Decided: at(2200), Silent: at(2210)},
			{Onset: at(3000), Decided: at(3200), Silent: at(3230), Real: true},
		},
	})
	m.Trace(session.Trace{ReplyDecided: at(9000), FirstPacket: at(9200)}) // silence was answered: no turn
	m.joined(90 * time.Millisecond)
	m.greeted(200 * time.Millisecond)
	m.discarded(7*audio.VoiceFrame + 1)
	m.Observe(engine.Fact{Name: "watchdog.fired", Fields: []engine.Field{{Key: "which", Value: "speaking"}}})
	got := sums(t, registry)
	for name, want := range map[string][2]float64{
		"viva_turn_gap_seconds":              {1, 830},
		"viva_turn_own_seconds":              {1, 10},
		"viva_handoff_silence_seconds":       {1, 10},
		"viva_interruption_stop_seconds":     {2, 40},
		"viva_interruption_silence_seconds":  {2, 440},
		"viva_dispatch_joined_seconds":       {1, 90},
		"viva_dispatch_voice_seconds":        {1, 200},
		"viva_interruptions_total confirmed": {1},
		"viva_interruptions_total false":     {1},
		"viva_stale_frames_dropped_total":    {7},
		"viva_watchdogs_total speaking":      {1},
	} {
		if g := got[name]; g[0] != want[0] || g[1]-want[1] > 0.01 || want[1]-g[1] > 0.01 {
			t.Errorf("%s is %v, want %v", name, g, want)
		}
	}
}

// The buckets can tell whether a bar is kept: each is a border.
func TestBucketsHaveTheBars(t *testing.T) {
	has := make(map[float64]bool)
	for _, b := range delayBuckets() {
		has[b] = true
	}
	for _, bar := range []float64{.03, .06, .04, .05, .15, .25, .35, .85} {
		if !has[bar] {
			t.Errorf("no border at %v s", bar)
		}
	}
}

func TestPushOfThePage(t *testing.T) {
	for payload, want := range map[string]string{
		`{"type":"press"}`: "down", `{"type":"release"}`: "up", `{"type":"press","at":3}`: "down",
		`{"type":"Press"}`: "", `{}`: "", ``: "", `[]`: "", `{"type":1}`: "", strings.Repeat("[", 1000): "",
	} {
		push, ok := parsePush([]byte(payload))
		got := ""
		if ok {
			got = map[bool]string{true: "down", false: "up"}[push.Down]
		}
		if got != want {
			t.Errorf("%.40q: %q, want %q", payload, got, want)
		}
	}
}

// The page learns from the attributes where the interview stands, and whether to show its button.
func TestStageAttributes(t *testing.T) {
	for turn, want := range map[string]string{"": "auto", "patient": "auto", "brisk": "auto", "manual": "manual"} {
		a := stageAttributes(engine.Publish{Stage: "INTRO", Title: "Introduction", Index: 1, Total: 2, Left: 90 * time.Second, Turn: turn}, false)
		if a["viva.turn"] != want || a["viva.progress"] != "1/2" || a["viva.deadline"] != "90" || a["viva.stage"] != "INTRO" {
			t.Errorf("turn %q: %v", turn, a)
		}
	}
	if a := stageAttributes(engine.Publish{Stage: "DONE"}, false); a["viva.progress"] != "" || a["viva.deadline"] != "" {
		t.Errorf("the goodbye: %v", a)
	}
}
