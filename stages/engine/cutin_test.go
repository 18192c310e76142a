package engine_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

// cutsIn has the candidate go on so many seconds after the reply's first frame, at begins.
func (k *talk) cutsIn(begins, after float64) *talk {
	say := k.last()
	onset := begins + after
	k.begins(begins).send(onset+0.1, engine.SpeechStarted{})
	k.send(onset+0.9, engine.BargeIn{Utterance: say.Utterance, Onset: state.Millis(onset * 1000)})
	return k.send(onset+0.91, engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: "What is one", Cut: true})
}

// What cut in on the candidate was not asked, and the two parts are one turn.
func TestCutInCountsForNothing(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher")
	k.wants(2, "intro.highlight")
	k.cutsIn(4.8, 0.6).send(7, engine.SpeechStopped{}).turn(7.5, "and we live by the sea these days")
	k.slot("highlight", state.SlotEmpty)
	k.wants(3, "intro.highlight_in")
	if !k.stops[0].Withdrawn {
		t.Errorf("%+v", k.stops)
	}
	v := k.u.Visits[0]
	if v.Turns != 1 || v.FollowUp != 1 || v.BargeIns != 0 || k.u.Slots["highlight"].Asked != 1 || k.count("cutin") != 1 || k.count("bargein") != 0 {
		t.Errorf("%+v, asked %d times", v, k.u.Slots["highlight"].Asked)
	}
	if v.Input != "I am a teacher and we live by the sea these days" || len(v.InputTurns) != 2 {
		t.Errorf("%q of turns %v", v.Input, v.InputTurns)
	}
	if slices.Contains(k.u.Ledger.Asked["SELF_INTRO"], "intro.highlight") {
		t.Errorf("it counts as asked: %v", k.u.Ledger.Asked)
	}
}

// R001-48: whoever interrupts later than a second, or a voice that answers none of their words, is an interrupter.
func TestLaterInterruptionsAreNone(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").cutsIn(4.8, 1.2)
	k.turn(8, "sorry, I meant a music teacher")
	if v := k.u.Visits[0]; v.Turns != 2 || v.BargeIns != 1 || k.u.Slots["highlight"].Asked != 1 || !slices.Contains(k.u.Ledger.Asked["SELF_INTRO"], "intro.highlight") {
		t.Errorf("%+v, asked %v", v, k.u.Ledger.Asked)
	}
	k = newTalk(t, false).cutsIn(1, 0.5)
	if v := k.u.Visits[0]; v.BargeIns != 1 || !v.Opened || k.count("cutin") != 0 {
		t.Errorf("the greeting: %+v", v)
	}
	k = newTalk(t, false).heard(1).turn(4, "I am a teacher").begins(5).send(5.2, engine.SpeechStarted{})
	k.send(5.5, engine.BargeIn{Utterance: k.last().Utterance}) // of a journal that does not say when
	if v := k.u.Visits[0]; v.BargeIns != 1 || k.count("cutin") != 0 {
		t.Errorf("an old journal: %+v", v)
	}
}

// If no words follow after all, what was withdrawn is said, once more, and counts then.
func TestWithdrawnWordsComeAgain(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").cutsIn(4.8, 0.3).send(7, engine.SpeechStopped{}).send(7.5, engine.NoWords{})
	k.wants(3, "intro.highlight")
	k.cutsIn(8, 0.3).turn(11, "I sing well and I paint a lot")
	if v := k.u.Visits[0]; v.Turns != 2 || v.BargeIns != 1 || k.count("cutin") != 1 {
		t.Errorf("cut in on it a second time: %+v", v)
	}
}

// Words that go on under the first words of the next part belong to the part before; the bridge is said when they are over.
func TestCutInByABridge(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").heard(5).turn(9, "I am really good at finding bugs that nobody else can find")
	k.wants(3, "exp.bridge", "exp.open")
	k.cutsIn(9.7, 0.5).turn(13, "and at fixing them in the same hour")
	k.wants(4, "exp.bridge", "exp.open")
	last := k.u.Turns[len(k.u.Turns)-1]
	if last.Stage != "SELF_INTRO" || last.Visit != 1 || k.u.Current().Turns != 0 {
		t.Errorf("%+v, %d turns", last, k.u.Current().Turns)
	}
	k.heard(14).turn(20, "we rebuilt the school garden")
	if last = k.u.Turns[len(k.u.Turns)-1]; last.Stage != "PAST_EXPERIENCE" || k.u.Current().Turns != 1 {
		t.Errorf("%+v, %d turns", last, k.u.Current().Turns)
	}
}

// A model is asked again about all of the turn. What its first reading took half of it for is not counted, whether it came before
// the candidate went on or after.
func TestCutInByAModel(t *testing.T) {
	for name, early := range map[string]bool{"the reading comes before": true, "the reading comes after": false} {
		t.Run(name, func(t *testing.T) {
			l := lead(t, "two_stage")
			say := l.turn("I'm a nurse.")
			raw, _ := json.Marshal(answer("I'm a nurse", "finish"))
			read := engine.Read{Utterance: say.Utterance, Visit: say.Visit, Reading: raw}
			l.send(engine.VoiceStarted{Utterance: say.Utterance})
			if early {
				l.send(read)
			}
			l.now += 500
			l.send(engine.SpeechStarted{})
			l.send(engine.BargeIn{Utterance: say.Utterance, Onset: l.now})
			l.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: "And your", Cut: true})
			if !early {
				l.send(read)
			}
			l.now += 2000
			l.send(engine.SpeechStopped{})
			l.send(engine.UserTurn{Text: "On a ward for children.", Began: l.now - 2000})
			again := l.last()
			if again.Utterance == say.Utterance || again.Lead == nil || l.u.Current().Turns != 0 || !l.u.Current().Unread {
				t.Fatalf("%+v in %+v", again, l.u.Current())
			}
			l.replies(again, "And your project?", respond.Reading{Acts: []respond.Act{{Kind: "answer", Quote: "On a ward for children"}}, Did: "ask"})
			if v := l.u.Current(); v.Stage != "SELF_INTRO" || v.Turns != 1 || v.Input != "I'm a nurse. On a ward for children." {
				t.Errorf("%+v", v)
			}
			l.replays()
		})
	}
}

// R002-34: an answer is judged when it is over, as one, although we cut in on it.
func TestCutInOnAnAnswerThatIsJudged(t *testing.T) {
	c := silent(t)
	c.tell("I sell boats to people who love the sea.")
	c.wantSent("answers/FIRST/1")
	c.now += 1000
	c.send(engine.UserTurn{Text: "Because boats are slow.", Began: c.now - 500})
	say := c.last()
	c.now += 700
	c.send(engine.VoiceStarted{Utterance: say.Utterance})
	c.now += 400
	c.send(engine.SpeechStarted{})
	c.send(engine.BargeIn{Utterance: say.Utterance, Onset: c.now})
	c.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: "How", Cut: true})
	c.now += 1500
	c.send(engine.SpeechStopped{})
	c.send(engine.UserTurn{Text: "And people in boats are quiet.", Began: c.now - 1500})
	c.wantSent("answers/FIRST/1")
	c.hear()
	c.wantSent("answers/FIRST/1", "answers/FIRST/2")
	if item := c.judges[1].Item; len(item.Turns) != 2 || item.Question != "Why that?" {
		t.Errorf("%+v", item)
	}
	c.replays()
}
