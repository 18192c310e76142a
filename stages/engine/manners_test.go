package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// R001-88: a candidate who never stops is stepped in on, once.
func TestSteppingInOnce(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	taken := 0
	s.takeTurn = func(s *sim) {
		taken++
		s.send(engine.UserTurn{Text: "my words go on and on " + strings.Repeat("word ", 200), Began: 6000})
	}
	s.start()
	s.do(6*time.Second, func() { s.send(engine.SpeechStarted{}) })
	for at := 30; at < 120; at++ {
		s.do(time.Duration(at)*time.Second, func() {
			s.send(engine.LongSpeech{Lasted: state.Millis(at-6) * 1000, Words: (at - 6) * 3})
		})
	}
	s.until(85 * time.Second)
	if taken != 1 || s.count("turn.limit") != 1 {
		t.Errorf("stepped in %d times (%d facts)", taken, s.count("turn.limit"))
	}
	if i := slices.IndexFunc(s.says, func(x engine.Say) bool { return slices.Contains(x.Prompts, "intro.step_in") }); i < 0 || !s.says[i].Uninterruptible {
		t.Errorf("said %v", s.prompts())
	}
	s.check()
}

// R001-35, R001-36, R001-87: two follow-ups, then goodbye.
func TestFollowUpsAreCapped(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = func(s *sim, said engine.Say) {
		if said.Stage == "SELF_INTRO" {
			goodAnswers(s, said)
			return
		}
		s.say(time.Second, "well um yes")
	}
	s.start().run(10 * time.Minute)
	s.check()
	if got := s.factsOf("handoff.done", "reason")[1]; got != engine.ReasonFollowUps {
		t.Errorf("left because of %v", got)
	}
	if got := s.u.Visits[1].FollowUp; got != 2 {
		t.Errorf("%d follow-ups", got)
	}
}

// R001-54: what the candidate will not say is not asked again.
func TestRefusedIsNeverAskedAgain(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = func(s *sim, said engine.Say) {
		switch last := said.Prompts[len(said.Prompts)-1]; {
		case last == "exp.open":
			s.say(time.Second, "It was an application for our customers that needed a new search")
		case strings.HasPrefix(last, "exp."):
			s.say(time.Second, "I'd rather not say")
		default:
			goodAnswers(s, said)
		}
	}
	s.start().run(10 * time.Minute)
	s.check()
	for _, id := range s.prompts() {
		if strings.HasPrefix(id, "exp.action#") {
			t.Errorf("asked again: %v", s.prompts())
		}
	}
	if s.u.Slots["action"].Status != state.SlotRefused {
		t.Errorf("action is %+v", s.u.Slots["action"])
	}
	if !slices.ContainsFunc(s.prompts(), func(id string) bool { return id == "exp.decline" }) {
		t.Errorf("the refusal was not acknowledged: %v", s.prompts())
	}
}

// R001-85: time to think is granted once, for 30 s.
func TestLetMeThink(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = func(s *sim, said engine.Say) {
		if len(s.says) == 1 {
			s.say(time.Second, "let me think for a moment")
		}
	}
	s.start().until(75 * time.Second)
	if got := s.says[1].Prompts; !slices.Equal(got, []string{"intro.think"}) {
		t.Fatalf("said %v", got)
	}
	if got := (s.plays[2].from - s.plays[1].to).Duration(); got != 30*time.Second+200*time.Millisecond {
		t.Errorf("the ladder went on after %s", got)
	}
	if s.u.Visits[0].Turns != 0 {
		t.Error("asking for time is no answer")
	}
	s.check()
}

// R001-51: asked to repeat, the interviewer uses other words.
func TestRepeatUsesOtherWords(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	n := 0
	s.answer = func(s *sim, said engine.Say) {
		if n++; n < 5 && said.Stage == "SELF_INTRO" {
			s.say(time.Second, "Sorry, could you repeat the question?")
		}
	}
	s.start().run(10 * time.Minute)
	s.check()
	texts := make(map[string]bool)
	for _, x := range s.says {
		if texts[x.Text] {
			t.Errorf("said twice: %q", x.Text)
		}
		texts[x.Text] = true
	}
}

// R001-47, R001-48, R001-76: barge-in stops the voice, and what was interrupted is not said again.
func TestBargeIn(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.start()
	s.do(1500*time.Millisecond, func() { s.send(engine.SpeechStarted{}) })
	s.do(1900*time.Millisecond, func() { s.send(engine.BargeIn{Utterance: s.u.Floor.Utterance}) })
	s.do(4*time.Second, func() {
		s.send(engine.SpeechStopped{})
		s.send(engine.UserTurn{Text: "I am a data analyst", Began: 1500})
	})
	s.until(8 * time.Second)
	s.check()
	if len(s.stops) == 0 || s.stops[0].Reason != "bargein" || s.u.Visits[0].BargeIns != 1 {
		t.Errorf("stops %v, barge-ins %d", s.stops, s.u.Visits[0].BargeIns)
	}
	if got := s.prompts(); !slices.Equal(got, []string{"intro.open", "intro.highlight"}) {
		t.Errorf("said %v", got)
	}
	if !s.u.Turns[0].Interrupted || s.u.Turns[0].Text != "cut" {
		t.Errorf("the agent's turn holds only what was heard: %+v", s.u.Turns[0])
	}
}
