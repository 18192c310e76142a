package listen

import (
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
		s.speak(1800 * time.Millisecond)
		s.AgentAudible(false, 7, false)
		s.quiet(2 * time.Second)
	})
	s.want("duck: sound like speech", "interrupt: speech goes on", "turn 1: Wait, I have a question.")
	limits := map[turn.Move]time.Duration{
		turn.Duck: 130 * time.Millisecond, turn.Interrupt: 1650 * time.Millisecond,
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

// Sounds as short as a backchannel lower the voice and do not hold it.
func TestCoughOnlyDucks(t *testing.T) {
	s := play(t, []answer{{after: soon}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(400 * time.Millisecond)
		s.quiet(4 * time.Second)
		s.AgentAudible(false, 1, false)
		s.quiet(3 * time.Second)
	})
	s.want("duck: sound like speech", "unduck: short sound")
}

func TestLongNoiseIsResumed(t *testing.T) {
	s := play(t, []answer{{after: time.Second}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(1200 * time.Millisecond)
		s.quiet(4 * time.Second)
		s.AgentAudible(false, 1, false)
		s.quiet(3 * time.Second)
	})
	s.want("duck: sound like speech", "pause: words are late", "resume: nothing understood")
}

func TestClickIsNotHeeded(t *testing.T) {
	s := play(t, []answer{{after: -1}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(60 * time.Millisecond)
		s.quiet(4 * time.Second)
		s.AgentAudible(false, 1, false)
		s.quiet(3 * time.Second)
	})
	s.want()
}

// A dip behind the first syllable neither delays the silence nor lets the voice through.
func TestDipBehindTheFirstSyllable(t *testing.T) {
	s := play(t, []answer{{text: "I am a senior engineer.", after: soon}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(120 * time.Millisecond)
		s.quiet(200 * time.Millisecond)
		s.speak(1800 * time.Millisecond)
		s.AgentAudible(false, 1, false)
		s.quiet(3 * time.Second)
	})
	s.want("duck: sound like speech", "interrupt: speech goes on", "turn 1: I am a senior engineer.")
}

// Words that come when the voice is back already still take the floor.
func TestShortWordsInterruptWhenUnderstood(t *testing.T) {
	s := play(t, []answer{{text: "Stop, please.", after: time.Second}}, func(s *scene) {
		s.AgentAudible(true, 1, false)
		s.quiet(2 * time.Second)
		s.speak(400 * time.Millisecond)
		s.quiet(1500 * time.Millisecond)
		s.AgentAudible(false, 1, false)
		s.quiet(2 * time.Second)
	})
	s.want("duck: sound like speech", "unduck: short sound", "interrupt: words", "turn 1: Stop, please.")
}

func TestBackchannelsAreForgotten(t *testing.T) {
	for name, mhm := range map[string]answer{
		"partials": {partials: map[time.Duration]string{soon: "mhm"}, text: "Mhm.", after: soon},
		"finals":   {text: "Mhm.", after: 300 * time.Millisecond},
		"late":     {text: "Mhm.", after: 1500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
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
			reason := "unduck: short sound"
			if mhm.partials != nil {
				reason = "unduck: backchannel"
			}
			s.want("duck: sound like speech", reason, "duck: sound like speech", reason, "turn 1: My answer.")
		})
	}
}

// Once the voice has ended, what would have been a backchannel is an answer, to every kind of question.
func TestBackchannelAfterTheQuestionIsItsAnswer(t *testing.T) {
	for _, text := range []string{"Okay.", "Right.", "Yeah.", "Mhm."} {
		for _, kind := range []turn.Kind{turn.YesNo, turn.Open} {
			s := play(t, []answer{{text: text, after: soon}}, func(s *scene) {
				s.Expect(turn.Expectation{Kind: kind, Mode: turn.Brisk})
				s.AgentAudible(true, 1, false)
				s.quiet(2 * time.Second)
				s.AgentAudible(false, 1, false)
				s.quiet(300 * time.Millisecond)
				s.speak(400 * time.Millisecond)
				s.quiet(3 * time.Second)
			})
			s.want("turn 1: " + text)
		}
	}
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
	s.want("duck: sound like speech", "unduck: short sound", "turn 1: Yes.")
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

// Who goes on within a second of the agent's voice silences it within 250 ms, and is left more room from then on; so is who goes on before
// it was heard. A backchannel, a noise and an answer teach nothing.
func TestCutInTeachesPatience(t *testing.T) {
	for name, tt := range map[string]struct {
		went    time.Duration // the silence until the candidate goes on
		voice   time.Duration // the silence until the agent speaks; 0: it does not
		text    string
		learned bool
	}{
		"goes on under the first words": {1300 * time.Millisecond, 900 * time.Millisecond, "It was for a bank.", true},
		"goes on before the voice":      {900 * time.Millisecond, 0, "It was for a bank.", true},
		"interrupts later":              {2600 * time.Millisecond, 900 * time.Millisecond, "It was for a bank.", false},
		"goes on after a while":         {4 * time.Second, 0, "It was for a bank.", false},
		"a backchannel":                 {1300 * time.Millisecond, 900 * time.Millisecond, "Mhm.", false},
		"a noise":                       {1300 * time.Millisecond, 900 * time.Millisecond, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var onset time.Time
			last := answer{text: "We were four people.", after: soon}
			s := play(t, []answer{{text: "I worked on payments.", after: soon}, {text: tt.text, after: soon}, last}, func(s *scene) {
				s.speak(2 * time.Second)
				if tt.voice > 0 {
					s.quiet(tt.voice)
					s.AgentAudible(true, 1, false)
				}
				s.quiet(tt.went - tt.voice)
				onset = time.Now()
				s.speak(time.Second)
				s.quiet(time.Second)
				s.AgentAudible(false, 1, false)
				s.quiet(5 * time.Second)
				s.speak(2 * time.Second)
				s.quiet(2 * time.Second)
			})
			var turns []Turn
			for _, e := range s.events {
				switch e := e.(type) {
				case Turn:
					turns = append(turns, e)
				case Floor:
					if e.Move == turn.Pause && e.At.Sub(onset) > 240*time.Millisecond {
						t.Errorf("paused %v after the onset", e.At.Sub(onset))
					}
				}
			}
			want := 600 * time.Millisecond
			if tt.learned {
				want += 150 * time.Millisecond
			}
			d := turns[len(turns)-1].DecidedAfter
			if d < want || d > want+80*time.Millisecond {
				t.Errorf("the last turn was decided after %v, want %v: %v", d, want, s.outline())
			}
		})
	}
}
