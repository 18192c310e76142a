package session_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
)

// pushed is an interview whose first stage is in manual mode.
func pushed(t testing.TB) *engine.Interview {
	return altered(t, func(d *definition.Definition) { d.Stages[0].Turn = "manual" }, nil)
}

// Push to talk: the turn begins with the button and ends with it; sound and silence in between end nothing, and the ears hear
// only while it is down.
func TestButtonMakesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := newRig(t, pushed(t), nil, nil)
		r.taken = func(s *session.Session) {
			s.Post(session.Turn{Text: "that's all", Ended: time.Now(), Decided: time.Now()})
		}
		r.at(9*time.Second, session.Push{Down: true})
		for i := range 3 { // long pauses while the button is down
			at := time.Duration(10+10*i) * time.Second
			r.at(at, session.Event{Event: engine.SpeechStarted{}})
			r.at(at+time.Second, session.Event{Event: engine.SpeechStopped{}})
		}
		r.at(40*time.Second, session.Push{Down: true}) // again: nothing
		r.at(45*time.Second, session.Push{}, session.Push{})
		r.runFor(46 * time.Second)
		if len(r.takes) != 1 || r.takes[0].Sub(began) != 45*time.Second {
			t.Errorf("turns were ended at %v", r.takes)
		}
		if got := len(r.values("fallback", "kind")); got > 0 {
			t.Errorf("silence was counted %d times while the button was down", got)
		}
		if got := r.values("handoff.done", "reason"); len(got) != 1 || got[0] != engine.ReasonIntent {
			t.Errorf("handoffs %v", got)
		}
		// deaf at first, open while pressed, and open for good in the next stage
		if diff := cmp.Diff([]bool{false, true, false, true}, r.hearing); diff != "" {
			t.Error(diff)
		}
	})
}

// While the button is up, sound is no turn, holds nothing back, and keeps the silence ladder from nothing.
func TestSoundWithoutTheButtonIsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pushed(t), nil, nil)
		r.at(9*time.Second, session.Event{Event: engine.SpeechStarted{}})
		r.runFor(25 * time.Second)
		if got := r.values("fallback", "do"); len(got) != 1 || got[0] != "reprompt" {
			t.Errorf("the silence was answered with %v", got)
		}
		if len(r.started) != 2 {
			t.Errorf("%d utterances began", len(r.started))
		}
	})
}

// Pressing the button while the interviewer speaks interrupts, at once.
func TestButtonInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pushed(t), nil, nil)
		r.at(2*time.Second, session.Push{Down: true})
		r.runFor(4 * time.Second)
		if r.count("bargein") != 1 || len(r.traces) != 1 || len(r.traces[0].Stops) != 1 {
			t.Fatalf("%d interruptions, records %+v", r.count("bargein"), r.traces)
		}
		if delay, _ := r.traces[0].Stops[0].Delay(); delay != fade {
			t.Errorf("silent after %v", delay)
		}
		if got := why(r.traces[0], "floor.interrupt"); !slices.Equal(got, []string{"button"}) {
			t.Errorf("because of %q", got)
		}
	})
}

// What may not be interrupted is not, by the button either; what the candidate says meanwhile is heard.
func TestButtonDoesNotInterruptEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		words := consent(t).Words
		r := newRig(t, altered(t, func(d *definition.Definition) { d.Stages[0].Turn = "manual" }, words), nil, nil)
		r.at(2*time.Second, session.Push{Down: true})
		r.runFor(12 * time.Second)
		if len(r.traces) != 1 || !r.traces[0].Complete || len(r.traces[0].Stops) > 0 {
			t.Errorf("records %+v", r.traces)
		}
		if !r.hearing[len(r.hearing)-1] {
			t.Error("the ears were deaf")
		}
	})
}

// A candidate who drops out has let go of the button.
func TestButtonOfWhoIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pushed(t), nil, nil)
		r.at(9*time.Second, session.Push{Down: true})
		r.at(10*time.Second, session.Event{Event: engine.Away{}})
		r.runFor(12 * time.Second)
		if len(r.takes) != 1 || r.hearing[len(r.hearing)-1] {
			t.Errorf("ended %d times, hearing %v", len(r.takes), r.hearing)
		}
	})
}

// In other stages the button does nothing.
func TestButtonElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.at(2*time.Second, session.Push{Down: true}, session.Push{})
		r.runFor(4 * time.Second)
		if r.count("bargein")+len(r.takes)+len(r.hearing) > 0 {
			t.Errorf("%d interruptions, %d turns", r.count("bargein"), len(r.takes))
		}
	})
}

// consent is the shipped words with an opening that has to be heard to its end.
func consent(t testing.TB) *engine.Interview {
	t.Helper()
	file := "two_stage/en.yaml"
	f, err := prompts.Shipped().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, info.Size())
	if _, err := f.Read(text); err != nil {
		t.Fatal(err)
	}
	marked := strings.Replace(string(text), "\nintro.open:\n", "\nintro.open:\n  uninterruptible: true\n", 1)
	words, err := prompts.Load(fstest.MapFS{file: {Data: []byte(marked)}}, "two_stage", "en")
	if err != nil {
		t.Fatal(err)
	}
	if !words.Uninterruptible("intro.open") {
		t.Fatal("the words were not marked")
	}
	return altered(t, nil, words)
}

// An uninterruptible utterance is heard to its end whatever the candidate does, and what they said is answered after it.
func TestUninterruptibleWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, consent(t), nil, nil)
		r.at(2*time.Second, session.Event{Event: engine.SpeechStarted{}}, session.Interruption{Utterance: 2, Action: session.Interrupt})
		r.at(3*time.Second, session.Event{Event: engine.SpeechStopped{}})
		r.at(12*time.Second, session.Turn{Text: "I am a baker"}) // as a listener tells it, after the utterance
		r.runFor(14 * time.Second)
		if len(r.traces) == 0 || !r.traces[0].Complete || r.count("bargein") > 0 {
			t.Fatalf("records %+v", r.traces)
		}
		if len(r.started) != 2 || r.s.UserData().Slots["role"].Value == "" {
			t.Errorf("%d utterances; slots %+v", len(r.started), r.s.UserData().Slots)
		}
	})
}
