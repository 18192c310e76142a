package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// told is what a candidate tells.
const told = "I am a baker, and last year we opened a second shop in Ghent."

// attentive is a rig whose voice can say that it listens.
type attentive struct {
	*rig
	signals []session.Utterance
	shown   []string
	entries []state.Entry
}

// Signal implements session.Signaller.
func (a *attentive) Signal(u session.Utterance) bool {
	a.signals = append(a.signals, u)
	return true
}

// Candidate implements session.Presence.
func (a *attentive) Candidate(_ uint64, text string, _ session.Certainty) {
	a.shown = append(a.shown, text)
}

// Said implements session.Presence.
func (a *attentive) Said(_ uint64, text string) { a.shown = append(a.shown, text) }

// plain is a voice that can do no more than hold a reply back.
func plain(v session.Voice) session.Voice {
	holder, _ := v.(session.Holder)
	return struct {
		session.Voice
		session.Holder
	}{v, holder}
}

// hears holds the beginning of an interview in which the candidate tells text after the opening. The ears find that a signal fits where
// fits says so: in the pause before the turn is decided, and again when the answer is on its way.
func hears(t *testing.T, iv *engine.Interview, text string, fits bool, change func(*session.Options), before ...session.Message) *attentive {
	t.Helper()
	asked := 0
	a := &attentive{}
	a.rig = newRig(t, iv, replied(&asked), func(o *session.Options) {
		o.Voice, o.Presence, o.Signals = a, a, true
		if change != nil {
			change(o)
		}
	})
	a.answer = func(_ *session.Session, n int, _ string) {
		if n > 1 {
			return
		}
		a.at(time.Second, before...)
		a.at(time.Second, session.Event{Event: engine.SpeechStarted{}})
		a.at(7*time.Second, session.Event{Event: engine.SpeechStopped{}}, session.Prospect{Text: text})
		a.at(7900*time.Millisecond, session.Turn{Text: text})
		if fits {
			a.at(7250*time.Millisecond, session.Signal{Text: text})
			a.at(7901*time.Millisecond, session.Signal{Text: text})
		}
	}
	a.runFor(25 * time.Second)
	entries, err := a.store.Read(t.Context(), "rig")
	if err != nil {
		t.Fatal(err)
	}
	a.entries = entries
	return a
}

// A listening signal is given once, in the voice of the interviewer, and is in neither journal, transcript nor state: all of them are as
// without it, the reply that was prepared and the times included.
func TestSignalIsNoTurn(t *testing.T) {
	var with, without *attentive
	for _, fits := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			a := hears(t, interview(t, "two_stage"), told, fits, nil)
			if fits {
				with = a
			} else {
				without = a
			}
		})
	}
	if len(with.signals) != 1 || with.count("listening.signal") != 1 || without.count("listening.signal") != 0 {
		t.Fatalf("%d signals, counted %d times", len(with.signals), with.count("listening.signal"))
	}
	if u := with.signals[0]; u.Listening != "Mm-hm." || u.Language != "en" || u.Generation != 0 || u.ID != 0 {
		t.Errorf("it is %+v", u)
	}
	if diff := cmp.Diff(without.entries, with.entries); diff != "" {
		t.Errorf("the journal differs:\n%s", diff)
	}
	for what, pair := range map[string][2][]string{
		"shown": {without.shown, with.shown}, "heard": {without.heard, with.heard}, "states": {without.states, with.states},
		"prepared": {without.prepared, with.prepared},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" || len(pair[1]) == 0 {
			t.Errorf("%s differs:\n%s", what, diff)
		}
	}
	if diff := cmp.Diff(without.began, with.began); diff != "" || len(with.began) < 2 {
		t.Errorf("what is said begins at other times:\n%s", diff)
	}
	if with.count("speculation.adopted") != 1 {
		t.Errorf("the prepared reply was discarded: %v", with.discards())
	}
	logged := with.logs.FilterMessage("listening.signal").All()
	if len(logged) != 1 || logged[0].Level != zap.DebugLevel || logged[0].ContextMap()["visit"] == nil {
		t.Errorf("logged %v", logged)
	}
}

func TestSignalIsNotGiven(t *testing.T) {
	no, yes := false, true
	for name, c := range map[string]struct {
		text   string
		alter  func(*definition.Definition)
		change func(*session.Options)
		before session.Message
		want   int
	}{
		"by setting":                            {change: func(o *session.Options) { o.Signals = false }},
		"in an interview that forbids it":       {alter: func(d *definition.Definition) { d.ListeningSignal = &no }},
		"in a stage that forbids it":            {alter: func(d *definition.Definition) { d.Stages[0].ListeningSignal = &no }},
		"but in a stage that allows it":         {alter: func(d *definition.Definition) { d.ListeningSignal, d.Stages[0].ListeningSignal = &no, &yes }, want: 1},
		"and where only another stage forbids":  {alter: func(d *definition.Definition) { d.Stages[1].ListeningSignal = &no }, want: 1},
		"with push to talk":                     {alter: func(d *definition.Definition) { d.Stages[0].Turn = "manual" }},
		"to words of distress":                  {text: "I opened a second shop last year and I want to kill myself."},
		"to nerves":                             {text: "Sorry, I am so nervous."},
		"to a wish":                             {text: "Could you please repeat the question."},
		"to a wish for time":                    {text: "Let me think for a moment."},
		"to a candidate who is away":            {before: session.Event{Event: engine.Away{}}},
		"by a voice that can say nothing aside": {change: func(o *session.Options) { o.Voice = plain(o.Voice) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				iv := altered(t, func(d *definition.Definition) {
					d.Stages = append([]definition.Stage(nil), d.Stages...)
					if c.alter != nil {
						c.alter(d)
					}
				}, nil)
				text, before := told, []session.Message(nil)
				if c.text != "" {
					text = c.text
				}
				if c.before != nil {
					before = append(before, c.before)
				}
				a := hears(t, iv, text, true, c.change, before...)
				if len(a.signals) != c.want || a.count("listening.signal") != c.want {
					t.Errorf("%d signals, counted %d times", len(a.signals), a.count("listening.signal"))
				}
			})
		})
	}
}

// Who spoke of distress is listened to without sounds that mean nothing, from then on.
func TestNoSignalAfterDistress(t *testing.T) {
	for first, want := range map[string]int{told: 1, "I want to kill myself.": 0} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			a := &attentive{}
			a.rig = newRig(t, interview(t, "two_stage"), replied(&asked), func(o *session.Options) { o.Voice, o.Signals = a, true })
			a.answer = func(_ *session.Session, n int, _ string) {
				switch n {
				case 1:
					a.at(time.Second, session.Turn{Text: first})
				case 2:
					a.at(time.Second, session.Event{Event: engine.SpeechStarted{}})
					a.at(7*time.Second, session.Event{Event: engine.SpeechStopped{}})
					a.at(7500*time.Millisecond, session.Signal{Text: told})
				}
			}
			a.runFor(time.Minute)
			if len(a.heard) < 2 || len(a.signals) != want || a.count("candidate.distress") != 1-want {
				t.Errorf("after %q: %d signals, heard %q", first, len(a.signals), a.heard)
			}
		})
	}
}
