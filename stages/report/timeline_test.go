package report_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// told makes a journal of events at times.
func told(t *testing.T, events ...any) []state.Entry {
	t.Helper()
	var out []state.Entry
	for i := 0; i < len(events); i += 2 {
		e, err := engine.Encode(uint64(i/2+1), state.Millis(events[i].(int)), events[i+1].(engine.Event))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// heard is a short talk: a question, an answer with a pause, a barge-in, silence, a lost connection.
func heard(t *testing.T) report.Source {
	src := small(t)
	src.State.Now = 40_000
	src.State.Visits = []state.StageVisit{
		{Stage: "MENU", Visit: 1, Entered: 0, Left: 14_000, Reason: "turns"}, {Stage: "QUESTIONS", Visit: 2, Entered: 14_000},
	}
	src.State.Turns = []state.Turn{
		{ID: 1, Speaker: state.SpeakerAgent, At: 3000, Visit: 1, Text: "Who are you?"},
		{ID: 2, Speaker: state.SpeakerCandidate, At: 12_500, Visit: 1, Text: "Um, I am, you know, a baker. Um, since May."},
		{ID: 3, Speaker: state.SpeakerAgent, At: 16_000, Visit: 2, Text: "And", Interrupted: true},
		{ID: 4, Speaker: state.SpeakerCandidate, At: 19_000, Visit: 2, Text: "Wait, one more thing."},
		{ID: 5, Speaker: state.SpeakerCandidate, At: 39_000, Visit: 2, Text: "by hand", Typed: true},
	}
	src.Journal = told(t,
		0, engine.Started{}, 1000, engine.VoiceStarted{Utterance: 1}, 3000, engine.VoiceEnded{Utterance: 1, Heard: "Who are you?"},
		4500, engine.SpeechStarted{}, 7000, engine.SpeechStopped{}, 9000, engine.SpeechStarted{}, 12_000, engine.SpeechStopped{},
		12_500, engine.UserTurn{}, 14_800, engine.VoiceStarted{Utterance: 2}, 15_700, engine.SpeechStarted{}, 15_900, engine.BargeIn{Utterance: 2},
		16_000, engine.VoiceEnded{Utterance: 2, Heard: "And", Cut: true}, 18_700, engine.SpeechStopped{}, 19_000, engine.UserTurn{},
		29_000, engine.TimerFired{Name: engine.TimerNoInput}, 30_000, engine.TimerFired{Name: engine.TimerTask},
		31_000, engine.Away{}, 34_000, engine.Back{}, 36_000, engine.TimerFired{Name: engine.TimerSoft}, 39_000, engine.UserTurn{Typed: true})
	src.Journal = append(src.Journal, state.Entry{Seq: 99, Type: "from the future", Data: json.RawMessage(`{}`)})
	return src
}

func TestTimeline(t *testing.T) {
	tl := build(t, heard(t)).Timeline
	spans := []report.Span{
		{Speaker: "agent", From: 1000, To: 3000, Turn: 1}, {Speaker: "candidate", From: 4500, To: 7000, Turn: 2},
		{Speaker: "candidate", From: 9000, To: 12_000, Turn: 2}, {Speaker: "agent", From: 14_800, To: 16_000, Turn: 3, Cut: true},
		{Speaker: "candidate", From: 15_700, To: 18_700, Turn: 4},
	}
	if diff := cmp.Diff(spans, tl.Spans); diff != "" {
		t.Error(diff)
	}
	var marks []string
	for _, m := range tl.Marks {
		marks = append(marks, report.Clock(m.At)+" "+m.Kind)
	}
	want := []string{"0:14 handoff", "0:15 interruption", "0:29 silence", "0:31 away", "0:34 back", "0:36 timer"}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Error(diff)
	}
	if len(tl.Stages) != 2 || tl.Stages[1].To != 40_000 || tl.Stages[0].Left.Code != "turns" {
		t.Errorf("%+v", tl.Stages)
	}
}

// R002-45: pace, fillers and pauses are described; typed words are no speech, and no score comes of any of it.
func TestDelivery(t *testing.T) {
	r := build(t, heard(t))
	d := r.Delivery
	if len(d.Answers) != 2 || d.Speaking != 8500 || d.Pauses != 1 || d.LongestPause != 2000 || d.Response != 1500 {
		t.Fatalf("%+v", d)
	}
	first := d.Answers[0]
	if first.Words != 10 || first.Response != 1500 || first.Reply != 2800 || first.Fillers != 3 || d.Answers[1].Response != -1 {
		t.Errorf("%+v", d.Answers)
	}
	if want := []report.Count{{Word: "um", Count: 2}, {Word: "you know", Count: 1}}; !cmp.Equal(want, d.Fillers) {
		t.Errorf("%+v", d.Fillers)
	}
	if r.Overall != nil {
		t.Error("a score came of it")
	}
}

// Without a journal there is a report all the same.
func TestNoJournal(t *testing.T) {
	src := persona(t)
	src.Journal = nil
	r := build(t, src)
	if r.Delivery != nil || len(r.Timeline.Spans) != 0 || r.Overall == nil || r.Transcript[1].At != src.State.Turns[1].At {
		t.Errorf("%+v", r.Timeline)
	}
	if _, err := report.HTML(r, report.Page{}); err != nil {
		t.Error(err)
	}
}
