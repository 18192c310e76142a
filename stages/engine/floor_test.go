package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// R001-50, R001-58: a cough just before a silence reprompt is heard: the same reprompt follows, not another question.
func TestCoughBeforeTheReprompt(t *testing.T) {
	k := newTalk(t, false).heard(1).fire(11, engine.TimerNoInput)
	k.wants(2, "intro.open.reprompt")
	k.send(11.1, engine.SpeechStarted{})
	if k.u.Visits[0].Reprompts != 0 || k.u.Ledger.Reprompts["intro.open"] != 0 {
		t.Errorf("a reprompt that nobody heard is counted: %+v", k.u.Ledger)
	}
	k.send(11.5, engine.SpeechStopped{}).send(12, engine.NoWords{})
	k.wants(3, "intro.open.reprompt")
	if k.u.Visits[0].Reprompts != 1 || k.u.Visits[0].Turns != 0 {
		t.Errorf("%+v", k.u.Visits[0])
	}
}

// The recogniser may end a noise without a word to anybody; the reply that it held back still comes.
func TestHeldReplyComesWithoutAnyFurtherEvent(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher")
	k.wants(2, "intro.highlight")
	k.send(4.1, engine.SpeechStarted{}).send(4.5, engine.SpeechStopped{}).fire(14.5, engine.TimerNoInput)
	k.wants(3, "intro.highlight")
}

// R001-49, R001-54: words that go on before the next question is heard are no answer to it, and no turn of their own.
func TestUnheardQuestionTakesNoAnswer(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").send(4.1, engine.SpeechStarted{}).send(6, engine.SpeechStopped{})
	k.turn(7, "and we live by the sea these days")
	k.slot("highlight", state.SlotEmpty)
	k.wants(3, "intro.highlight_in")
	k.send(7.1, engine.SpeechStarted{}).send(8, engine.SpeechStopped{}).turn(9, "I'd rather not say")
	k.slot("highlight", state.SlotEmpty)
	if v := k.u.Visits[0]; v.Turns != 1 || v.FollowUp != 1 || k.u.Slots["highlight"].Asked != 1 {
		t.Errorf("%+v, asked %d times", v, k.u.Slots["highlight"].Asked)
	}
}

// R001-28: an answer that arrives while a reprompt is being prepared is a turn like any other.
func TestAnswerBeforeTheRepromptCounts(t *testing.T) {
	k := newTalk(t, false).heard(1).fire(11, engine.TimerNoInput).send(11.1, engine.SpeechStarted{}).turn(13, "hmm well, teaching")
	if got := k.u.Visits[0].Turns; got != 1 {
		t.Errorf("%d turns", got)
	}
}

// R001-8, R001-32: words begun before the handoff hold the bridge back; it is said when they are over.
func TestLateWordsDoNotSwallowTheBridge(t *testing.T) {
	k := newTalk(t, false).heard(1).fire(90, engine.TimerDeadline)
	k.wants(2, "exp.forced", "exp.open")
	k.send(90.1, engine.SpeechStarted{}).send(91, engine.SpeechStopped{}).send(92, engine.UserTurn{Text: "I am a teacher", Began: 89_800})
	k.wants(3, "exp.forced", "exp.open")
	k.slot("role", state.SlotFilled)
	if last := k.u.Turns[len(k.u.Turns)-1]; last.Stage != "SELF_INTRO" || last.Visit != 1 {
		t.Errorf("%+v", last)
	}
}

// R001-85: time to think is granted once for a question. Asked again, the interviewer only listens, with its usual patience.
func TestTimeToThinkOnceAQuestion(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "let me think")
	k.wants(2, "intro.think")
	k.heard(5)
	if got := k.left(engine.TimerNoInput); got != 30*time.Second {
		t.Errorf("the ladder goes on in %s", got)
	}
	for at := 14.0; at < 30; at += 5 {
		k.turn(at, "one moment please")
		k.wants(2, "intro.think")
		if got := k.left(engine.TimerNoInput); got != 10*time.Second {
			t.Errorf("the ladder goes on in %s", got)
		}
	}
	k.turn(32, "I am a teacher").heard(33).turn(36, "let me think")
	k.wants(4, "intro.think#2")
	if k.u.Visits[0].Turns != 1 {
		t.Errorf("%d turns", k.u.Visits[0].Turns)
	}
}

// An answer that begins with a request for time is an answer.
func TestThinkingAloudIsAnAnswer(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(5, "let me see, I am a teacher")
	k.slot("role", state.SlotFilled)
	k.wants(2, "intro.highlight")
}

// What the candidate asks for, and that the answer is over, is not taken for the answer.
func TestRequestsAreNoAnswers(t *testing.T) {
	for _, text := range []string{"that's all", "could you repeat the question please", "just give me one second"} {
		k := newTalk(t, false).heard(1).turn(4, "well, happy to be here").heard(6)
		k.wants(2, "intro.role")
		for at := 9.0; at < 30 && k.u.Visit == 1; at += 3 {
			k.turn(at, text)
			if k.u.Floor.Utterance != 0 && k.u.Visit == 1 {
				k.heard(at + 1)
			}
		}
		for _, id := range []string{"role", "highlight"} {
			if got := k.u.Slots[id]; got.Status == state.SlotFilled {
				t.Errorf("%q became the %s: %+v", text, id, got)
			}
		}
	}
}

// R001-2: an operator who ends the stage while the candidate speaks does not make the interviewer talk over them.
func TestOperatorDoesNotTalkOverTheCandidate(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I garden").send(4.2, engine.SpeechStarted{})
	k.send(4.3, engine.Operator{Command: "skip"})
	if k.u.Visit != 2 || k.u.Floor.Utterance != 0 {
		t.Fatalf("visit %d, floor %+v", k.u.Visit, k.u.Floor)
	}
	said := len(k.says)
	k.send(6, engine.SpeechStopped{}).send(7, engine.UserTurn{Text: "mostly roses", Began: 4200})
	k.wants(said+1, "exp.bridge", "exp.open")
}

// R001-47: what is typed while the interviewer speaks takes the floor like spoken words.
func TestTypedWhileTheAgentSpeaks(t *testing.T) {
	k := newTalk(t, false).begins(0.2).send(1, engine.UserTurn{Text: "I am a teacher", Typed: true})
	if len(k.stops) != 1 || k.stops[0].Utterance != k.says[0].Utterance {
		t.Errorf("stops %v", k.stops)
	}
	k.wants(2, "intro.highlight")
	k.send(1.1, engine.VoiceEnded{Utterance: k.says[0].Utterance, Visit: 1, Heard: "Hello, and", Cut: true})
	k.wants(2, "intro.highlight")
	if first := k.u.Turns[len(k.u.Turns)-1]; first.Text != "Hello, and" || !first.Interrupted {
		t.Errorf("%+v", first)
	}
}

// Who types while speaking is answered after speaking.
func TestTypedWhileTheCandidateSpeaks(t *testing.T) {
	k := newTalk(t, false).heard(1).send(2, engine.SpeechStarted{}, engine.UserTurn{Text: "I am a teacher", Typed: true})
	k.wants(1, "intro.open")
	k.send(4, engine.SpeechStopped{}).send(5, engine.NoWords{})
	k.wants(2, "intro.highlight")
}

// An empty turn is no turn.
func TestEmptyTurn(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "  \n")
	k.wants(1, "intro.open")
	if k.u.Visits[0].Turns != 0 || len(k.u.Turns) != 1 {
		t.Errorf("%+v", k.u.Turns)
	}
}

// R001-62, R001-88: a voice that must be heard is cut neither by a barge-in nor by a turn that ends under it.
func TestFirmVoiceIsNotCut(t *testing.T) {
	k := newTalk(t, false).heard(1).send(80, engine.SpeechStarted{}).fire(90, engine.TimerDeadline).fire(100, engine.TimerGrace)
	k.wants(2, "exp.forced", "exp.open")
	if k.takes != 1 || !k.last().Uninterruptible {
		t.Errorf("%d turns taken, %+v", k.takes, k.last())
	}
	k.begins(100.2).send(101, engine.BargeIn{Utterance: k.last().Utterance}).turn(104, "as I said, we had nine cows")
	k.wants(2, "exp.forced", "exp.open")
	if len(k.stops) != 0 || k.u.Visits[1].BargeIns != 0 {
		t.Errorf("stops %v", k.stops)
	}
	k.send(108, engine.VoiceEnded{Utterance: k.last().Utterance, Visit: 2, Heard: k.last().Text})
	if got := k.left(engine.TimerNoInput); got != 10*time.Second {
		t.Errorf("then it listens: %s", got)
	}
}

// R001-61: noises do not set the silence clock back.
func TestNoisesDoNotRestartTheSilence(t *testing.T) {
	k := newTalk(t, false).heard(1).send(4, engine.SpeechStarted{}).send(5, engine.SpeechStopped{}).send(6, engine.NoWords{})
	if got := k.left(engine.TimerNoInput); got != 6*time.Second {
		t.Errorf("%s to the reprompt, want 6s: three seconds passed before the noise, one after it", got)
	}
}

// R001-61: an answer whose transcript is on its way is not met with "take your time".
func TestNoRepromptIntoATurnThatEnds(t *testing.T) {
	k := newTalk(t, false).heard(1).send(10.8, engine.SpeechStarted{}).send(13, engine.SpeechStopped{})
	if got := k.left(engine.TimerNoInput); got != 5*time.Second {
		t.Errorf("the ladder goes on %s after the last word", got)
	}
}

// R001-62: the deadline lets a turn that has just been spoken arrive.
func TestDeadlineWaitsForTheTranscript(t *testing.T) {
	k := newTalk(t, false).heard(1).send(85, engine.SpeechStarted{}).send(89, engine.SpeechStopped{}).fire(90, engine.TimerDeadline)
	k.wants(1, "intro.open")
	k.send(91, engine.UserTurn{Text: "I am a teacher", Began: 85_000})
	k.wants(2, "exp.forced", "exp.open")
	if !strings.Contains(k.last().Text, "you work as teacher") {
		t.Errorf("%q", k.last().Text)
	}
}

// R001-62: past the limit the next turn end is the end of the stage, whatever the turn asks for.
func TestNoFavoursInOvertime(t *testing.T) {
	for _, text := range []string{"could you repeat that", "let me think", "hmm"} {
		k := newTalk(t, false).heard(1).send(88, engine.SpeechStarted{}).fire(90, engine.TimerDeadline).turn(93, text)
		if k.u.Visit != 2 || k.u.Visits[0].Reason != engine.ReasonDeadline {
			t.Errorf("%q: %+v", text, k.u.Visits)
		}
	}
}

// R001-62: a noise under the interviewer's own words does not cut them off at the limit.
func TestNoiseInOvertimeDoesNotCutTheAgent(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(89, "I am a teacher").begins(89.5).fire(90, engine.TimerDeadline)
	k.send(90.5, engine.SpeechStarted{}).send(91, engine.SpeechStopped{}, engine.NoWords{})
	if k.u.Visit != 1 || len(k.stops) != 0 {
		t.Errorf("visit %d, stops %v", k.u.Visit, k.stops)
	}
}

// R001-26: who refuses everything has completed nothing; the stage ends all the same, for another reason.
func TestAllRefusedIsNotComplete(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I'd rather not say").heard(6).turn(9, "I'd rather not say")
	if v := k.u.Visits[0]; v.Reason != engine.ReasonExhausted {
		t.Errorf("left because of %q", v.Reason)
	}
}

// The wish to stop is heard in late words, too.
func TestStopAskedDuringTheHandoff(t *testing.T) {
	k := newTalk(t, false).heard(1).fire(90, engine.TimerDeadline).send(91, engine.UserTurn{Text: "please stop the interview", Began: 89_000})
	if k.u.Stage != "DONE" {
		t.Errorf("in %s", k.u.Stage)
	}
}

// R001-88: stepping in on a candidate who began to talk before the opening: the opening is heard to its end.
func TestSteppingInBeforeTheOpening(t *testing.T) {
	k := newTalk(t, false).send(0.1, engine.SpeechStarted{}).send(91, engine.LongSpeech{Lasted: 91_000, Words: 150})
	if k.takes != 1 {
		t.Fatalf("%d turns taken", k.takes)
	}
	k.send(91.2, engine.SpeechStopped{}).send(91.3, engine.UserTurn{Text: strings.Repeat("so then ", 75), Began: 100})
	k.wants(2, "intro.open")
	if !k.last().Uninterruptible {
		t.Error("it can be talked over")
	}
	k.send(91.4, engine.SpeechStarted{}).heard(95).turn(99, "I am a teacher")
	k.wants(3, "intro.highlight")
}

// R001-63: what is armed is cancelled when its stage is left and when the interview ends; what fires late changes nothing.
func TestTimersEndWithTheirStage(t *testing.T) {
	k := newTalk(t, false).heard(1)
	old := slices.Collect(maps.Values(k.armed))
	if len(old) != 2 {
		t.Fatalf("armed %v", old)
	}
	k.turn(4, "that's all")
	for _, a := range k.armed {
		if a.Visit != 2 {
			t.Errorf("%+v outlived its stage", a)
		}
	}
	before := k.u
	for _, a := range old {
		k.send(5, engine.TimerFired{Name: a.Name, ID: a.ID, Visit: a.Visit})
	}
	before.Now = k.u.Now
	if asJSON(t, before) != asJSON(t, k.u) || k.count("timer.late") != 2 {
		t.Errorf("%d late timers were logged", k.count("timer.late"))
	}
	k.send(6, engine.Stop{Reason: "shutdown"})
	if len(k.armed) != 0 || k.ended != "shutdown" {
		t.Errorf("ended %q with %v armed", k.ended, k.armed)
	}
}
