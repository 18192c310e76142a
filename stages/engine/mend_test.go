package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

// mends has the candidate write what they said, when the recogniser misheard their latest turn.
func (k *talk) mends(at float64, text string) *talk {
	return k.send(at, engine.UserTurn{Text: text, Typed: true, Mends: true, Began: state.Millis(at * 1000)})
}

// What the recogniser misheard was never said: the question that it was taken for an answer to waits again, and the words that the
// candidate writes answer it.
func TestMendedTurnStandsInPlaceOfTheMisheard(t *testing.T) {
	for name, answered := range map[string]func(*talk){
		"while the reply is on its way": func(*talk) {},
		"under the reply":               func(k *talk) { k.begins(5) },
		"after the reply":               func(k *talk) { k.heard(5) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, false).heard(1)
			k.turn(4, "I am a teacher")
			k.wants(2, "intro.highlight")
			answered(k)
			k.mends(9, "I am a nurse")
			if say := k.last(); len(k.says) != 3 || say.Prompts[0] != "intro.highlight" {
				t.Fatalf("%d utterances, the last %+v", len(k.says), say)
			}
			v := k.u.Visits[0]
			if v.Turns != 1 || v.FollowUp != 1 || k.u.Slots["highlight"].Asked != 1 || k.count("turn.mended") != 1 {
				t.Errorf("%+v, asked %d times", v, k.u.Slots["highlight"].Asked)
			}
			if v.Input != "I am a nurse" || len(v.InputTurns) != 1 {
				t.Errorf("%q of turns %v", v.Input, v.InputTurns)
			}
			misheard := slices.IndexFunc(k.u.Turns, func(t state.Turn) bool { return t.Text == "I am a teacher" })
			if got := k.u.Turns[misheard]; !got.Misheard || !got.Private {
				t.Errorf("%+v", got)
			}
			if got := k.u.Slots["role"]; got.Value != "nurse" {
				t.Errorf("it knows of %+v", got)
			}
		})
	}
}

// Only the latest turn is mended, if it was spoken: an empty mending, or one of what was typed, changes nothing.
func TestNothingToMend(t *testing.T) {
	k := newTalk(t, false).heard(1)
	before := len(k.says)
	k.mends(3, "I am a nurse")
	k.send(4, engine.UserTurn{Text: "I am a teacher", Typed: true, Began: 4000})
	typed := k.u.Clone()
	k.mends(5, "I am a nurse").mends(6, "  ")
	if len(k.says) != before+1 || len(k.u.Turns) != len(typed.Turns) || k.count("turn.mended") != 0 {
		t.Errorf("%d utterances, turns %+v", len(k.says), k.u.Turns)
	}
}

// A turn that led to the next part is mended where it was said; the next part goes on.
func TestMendedTurnOfThePartBefore(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").heard(5).turn(9, "I am really good at finding rugs that nobody else can find")
	k.wants(3, "exp.bridge", "exp.open")
	k.heard(10).mends(14, "I am really good at finding bugs that nobody else can find")
	last := k.u.Turns[len(k.u.Turns)-1]
	if last.Stage != "SELF_INTRO" || last.Visit != 1 || k.u.Current().Stage != "PAST_EXPERIENCE" || len(k.says) != 3 {
		t.Errorf("%+v, now in %s, %d utterances", last, k.u.Current().Stage, len(k.says))
	}
}

// What goes on with an earlier half of the answer is mended alone.
func TestMendedHalfOfATurn(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").cutsIn(4.8, 0.6).send(7, engine.SpeechStopped{}).turn(7.5, "and we live by the tea these days")
	k.heard(8).mends(14, "and we live by the sea these days")
	if v := k.u.Visits[0]; v.Input != "I am a teacher and we live by the sea these days" || v.Turns != 1 {
		t.Errorf("%q after %d turns", v.Input, v.Turns)
	}
}

// A model is shown what was meant, not what was misheard, and what it noted of that is forgotten.
func TestMendedTurnWithAModel(t *testing.T) {
	l := lead(t, "two_stage")
	say := l.turn("I'm a purse.")
	raw, _ := json.Marshal(respond.Reading{
		Acts:  []respond.Act{{Kind: "answer", Quote: "I'm a purse"}},
		Notes: []respond.Note{{ID: "job", Value: "purse", Quote: "a purse"}}, Did: "ask",
	})
	l.send(engine.VoiceStarted{Utterance: say.Utterance})
	l.send(engine.Read{Utterance: say.Utterance, Visit: say.Visit, Reading: raw})
	l.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: "A purse? What is in it?"})
	if len(l.u.Notebook) != 1 {
		t.Fatalf("noted %+v", l.u.Notebook)
	}
	l.now += 6000
	l.send(engine.UserTurn{Text: "I'm a nurse.", Typed: true, Mends: true, Began: l.now})
	again := l.last()
	if again.Utterance == say.Utterance || again.Lead == nil || len(l.u.Notebook) != 0 || l.u.Current().Input != "I'm a nurse." {
		t.Fatalf("%+v in %+v", again, l.u.Current())
	}
	lines, err := again.Lead.Request(false)
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, line := range lines[1:] {
		said += line.Text + "\n"
	}
	if !strings.Contains(said, "I'm a nurse.") || strings.Contains(said, "I'm a purse.") {
		t.Errorf("it is told %s", said)
	}
	l.replays()
}
