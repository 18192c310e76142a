package listen

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/pipeline/turn"
)

// R001-47: speech during the agent's voice stops it, and the words are the next turn.
func TestBargeInIsConfirmed(t *testing.T) {
	var onset time.Time
	s := play(t, []answer{{text: "Wait, I have a question.", after: soon}}, func(s *scene) {
		s.AgentAudible(true, 7, false)
		s.quiet(2 * time.Second)
		onset = time.Now()
		s.speak(1500 * time.Millisecond)
		s.AgentAudible(false, 7, false)
		s.quiet(2 * time.Second)
	})
	s.want("duck: sound like speech", "pause: speech", "interrupt: speech goes on", "turn 1: Wait, I have a question.")
	limits := map[turn.Move]time.Duration{
		turn.Duck: 130 * time.Millisecond, turn.Pause: 250 * time.Millisecond, turn.Interrupt: 1450 * time.Millisecond,
	}
	for _, e := range s.events {
		f, ok := e.(Floor)
		limit := limits[f.Move]
		if ok && (f.At.Sub(onset) > limit || f.Generation != 7) {
			t.Errorf("%v after %v, want within %v: %+v", f.Move, f.At.Sub(onset), limit, f)
		}
	}
}

func TestWordsConfirmABargeInEarly(t *testing.T) {
	s := play(t, []answer{{partials: map[time.Duration]string{soon: "no stop"}, text: "No, stop.", after: soon}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(400 * time.Millisecond)
		s.AgentAudible(false, 1, false)
		s.quiet(2 * time.Second)
	})
	s.want("duck: sound like speech", "interrupt: words", "turn 1: No, stop.")
}

func TestCoughIsResumed(t *testing.T) {
	s := play(t, []answer{{after: soon}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(400 * time.Millisecond)
		s.quiet(4 * time.Second)
		s.AgentAudible(false, 1, false)
		s.quiet(3 * time.Second)
	})
	s.want("duck: sound like speech", "pause: speech", "resume: nothing understood")
}

func TestClickOnlyDucks(t *testing.T) {
	s := play(t, []answer{{after: -1}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(140 * time.Millisecond)
		s.quiet(4 * time.Second)
		s.AgentAudible(false, 1, false)
		s.quiet(3 * time.Second)
	})
	s.want("duck: sound like speech", "unduck: short sound")
}

func TestBackchannelsAreResumedAndForgotten(t *testing.T) {
	mhm := answer{partials: map[time.Duration]string{soon: "mhm"}, text: "Mhm.", after: soon}
	s := play(t, []answer{mhm, mhm, {text: "My answer.", after: soon}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		for range 2 {
			s.speak(400 * time.Millisecond)
			s.quiet(3 * time.Second)
		}
		s.AgentAudible(false, 1, false)
		s.quiet(time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	once := []string{"duck: sound like speech", "pause: speech", "resume: backchannel"}
	s.want(append(append(slices.Clone(once), once...), "turn 1: My answer.")...)
}

func TestYesAtTheEndOfAQuestionIsItsAnswer(t *testing.T) {
	s := play(t, []answer{{text: "Yes.", after: soon}}, func(s *scene) {
		s.Expect(turn.Expectation{Kind: turn.YesNo, Mode: turn.Brisk})
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(400 * time.Millisecond)
		s.quiet(400 * time.Millisecond)
		s.AgentAudible(false, 1, false)
		s.quiet(2 * time.Second)
	})
	s.want("duck: sound like speech", "pause: speech", "resume: backchannel", "turn 1: Yes.")
}

// What is said meanwhile does not stop it, and is not lost either, however early it was; only backchannels and noises are.
func TestUninterruptibleSpeechIsSpokenToTheEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		said []answer
		want []string
	}{
		"words":         {[]answer{{text: "Hello can you hear me?", after: soon}}, []string{"turn 1: Hello can you hear me?"}},
		"late words":    {[]answer{{text: "Hello can you hear me?", after: 2500 * time.Millisecond}}, []string{"turn 1: Hello can you hear me?"}},
		"a backchannel": {[]answer{{text: "Mhm.", after: soon}}, nil},
		"nothing":       {[]answer{{after: soon}}, nil},
		"several": {
			[]answer{{text: "Wait.", after: soon}, {text: "Okay.", after: soon}, {after: soon}, {text: "I have a question.", after: soon}},
			[]string{"turn 1: Wait. I have a question."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, tt.said, func(s *scene) {
				s.AgentAudible(true, 1, true)
				for range tt.said {
					s.quiet(time.Second)
					s.speak(time.Second)
					s.quiet(3 * time.Second)
				}
				s.AgentAudible(false, 1, true)
				s.quiet(3 * time.Second)
			})
			s.want(tt.want...)
		})
	}
}

func TestAgentStartingOverTheCandidateYieldsAtOnce(t *testing.T) {
	s := play(t, []answer{{text: "And one more thing.", after: soon}}, func(s *scene) {
		s.speak(2 * time.Second)
		s.AgentAudible(true, 1, false)
		s.speak(200 * time.Millisecond)
		s.AgentAudible(false, 1, false)
		s.quiet(2 * time.Second)
	})
	s.want("interrupt: speech goes on", "turn 1: And one more thing.")
}

// Voice-pipeline invariant 8, with the real chain of decisions: whatever is heard and understood, the agent's voice is left
// neither paused nor ducked.
func TestVoiceIsNeverLeftPaused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sounds := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 6).Draw(rt, "frames of sound and silence in turn")
		script := make([]answer, 4)
		for i := range script {
			text := rapid.SampledFrom([]string{"", "mhm", "no wait"}).Draw(rt, "text")
			after := time.Duration(rapid.IntRange(-1, 30).Draw(rt, "after")) * 100 * time.Millisecond
			script[i] = answer{text: text, after: after}
		}
		s := play(t, script, func(s *scene) {
			s.AgentAudible(true, 1, false)
			for i, n := range sounds {
				s.mic(time.Duration(n)*20*time.Millisecond, i%2 == 0)
			}
			s.quiet(3 * time.Second)
		})
		floor := turn.Playing
		for _, e := range s.events {
			if f, ok := e.(Floor); ok {
				if floor == turn.Taken {
					rt.Fatalf("%v after the floor was taken", f.Move)
				}
				floor = floor.Apply(f.Move)
			}
		}
		if floor == turn.Paused || floor == turn.Ducked {
			rt.Fatalf("the voice is left %v: %v", floor, s.outline())
		}
	})
}
