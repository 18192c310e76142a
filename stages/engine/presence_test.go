package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// R001-64: the connection is lost and comes back: the limit goes on where it stood, the silence did not count.
func TestReconnect(t *testing.T) {
	s := newSim(t, interview(t, "two_stage")).start()
	s.until(15 * time.Second)
	s.send(engine.Away{})
	s.until(60 * time.Second)
	if s.u.Visit != 1 || len(s.u.Timers) != 0 {
		t.Fatalf("visit %d with timers %v while nobody is there", s.u.Visit, s.u.Timers)
	}
	s.send(engine.Back{})
	if left := s.u.Timers[engine.TimerDeadline].After.Duration(); left != 75*time.Second {
		t.Errorf("%s left of the deadline, want 75s", left)
	}
	if last := s.says[len(s.says)-1]; last.Prompts[0] != "intro.welcome_back" || slices.Contains(last.Prompts, "intro.open") {
		t.Errorf("said %v", last.Prompts)
	}
	s.run(10 * time.Minute)
	s.check()
}

// R001-64: a transcript that comes after the connection was lost is kept; the answer to it waits for the candidate.
func TestReplyWaitsForTheReturn(t *testing.T) {
	k := newTalk(t, false).heard(1).send(3, engine.SpeechStarted{}).send(5, engine.Away{}).turn(6, "I am a teacher")
	k.wants(1, "intro.open")
	if len(k.armed) != 0 {
		t.Errorf("timers run for nobody: %v", k.armed)
	}
	k.send(20, engine.Back{})
	k.wants(2, "intro.highlight")
	if got := k.left(engine.TimerDeadline); got != 85*time.Second {
		t.Errorf("%s left of the limit, want 85s", got)
	}
}

// R001-43, R001-64: a stage that is entered while the candidate is away has all of its time when they are back.
func TestStageEnteredWhileAway(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(3, "I am a teacher").heard(4).send(70, engine.Away{}).turn(71, "that's all")
	if k.u.Visit != 2 || len(k.says) != 2 || len(k.armed) != 0 {
		t.Fatalf("visit %d, %d utterances, timers %v", k.u.Visit, len(k.says), k.armed)
	}
	k.send(80, engine.Back{})
	k.wants(3, "exp.bridge", "exp.open")
	if got := k.left(engine.TimerDeadline); got != 300*time.Second {
		t.Errorf("%s left of stage 2", got)
	}
}

// R001-64: what was prepared and not heard when the connection broke is said on return; what was being said is asked anew.
func TestReplyInPreparationSurvivesTheLoss(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(3, "I am a teacher").send(3.1, engine.Away{}).send(9, engine.Back{})
	k.wants(3, "intro.highlight")
	k.begins(10).send(10.5, engine.Away{}).send(12, engine.Back{})
	k.wants(4, "intro.welcome_back", "intro.highlight.reprompt")
	k.heard(15).turn(18, "my patience with all sorts of children")
	k.slot("highlight", state.SlotFilled)
}

// R001-62, R001-64: the grace stands still while the candidate is away, and a handoff is still due afterwards.
func TestAwayDuringGrace(t *testing.T) {
	k := newTalk(t, false).heard(1).send(88, engine.SpeechStarted{}).fire(90, engine.TimerDeadline).send(94, engine.Away{})
	if len(k.armed) != 0 {
		t.Errorf("timers %v", k.armed)
	}
	k.send(120, engine.Back{})
	if got := k.left(engine.TimerGrace); got != 6*time.Second {
		t.Errorf("%s of the grace left, want 6s", got)
	}
	k.begins(121).fire(126, engine.TimerGrace)
	if k.u.Visit != 2 || k.u.Visits[0].Reason != engine.ReasonDeadline {
		t.Errorf("%+v", k.u.Visits)
	}
}

// Asked to stop, and gone before the goodbye: it is over.
func TestGoodbyeToNobody(t *testing.T) {
	k := newTalk(t, false).heard(1).send(3, engine.Away{}).turn(4, "please stop the interview")
	if k.ended != "done" || k.u.Stage != "DONE" || len(k.armed) != 0 {
		t.Errorf("ended %q in %s, timers %v", k.ended, k.u.Stage, k.armed)
	}
	k = newTalk(t, false).heard(1).turn(4, "please stop the interview").send(5, engine.Away{})
	if k.ended != "done" {
		t.Errorf("ended %q", k.ended)
	}
}

// The connection blinks while the candidate speaks: they are not talked over when it is back.
func TestTheConnectionBlinksMidSentence(t *testing.T) {
	k := newTalk(t, false).heard(1).send(3, engine.SpeechStarted{}).send(5, engine.Away{}).send(5, engine.Back{})
	k.wants(1, "intro.open")
	k.send(7, engine.SpeechStopped{}).turn(8, "I am a teacher")
	k.wants(2, "intro.highlight")
}
