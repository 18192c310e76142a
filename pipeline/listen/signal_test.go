package listen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/turn"
)

const sentence = "We had a big outage in March."

// signals counts the listening signals.
func (s *scene) signals() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if _, is := e.(Signal); is {
			n++
		}
	}
	return n
}

// account is a scene in which a story is expected; each segment of speech is a sentence.
func account(t *testing.T, act func(s *scene)) *scene {
	t.Helper()
	script := make([]answer, 12)
	for i := range script {
		script[i] = answer{text: sentence, after: soon}
	}
	return play(t, script, func(s *scene) {
		s.Expect(turn.Expectation{Kind: turn.Story})
		act(s)
	})
}

func TestSignalInAnAccount(t *testing.T) {
	s := account(t, func(s *scene) {
		s.speak(6 * time.Second)
		s.quiet(400 * time.Millisecond)
		if n := s.signals(); n != 0 {
			t.Errorf("%d came within 400 ms", n)
		}
		s.quiet(180 * time.Millisecond)
		if n := s.signals(); n != 1 {
			t.Errorf("%d came within 580 ms", n)
		}
		s.quiet(2 * time.Second)
	})
	if n := s.signals(); n != 1 {
		t.Errorf("%d in one silence", n)
	}
	if e := first[Signal](t, s); e.Text != sentence {
		t.Errorf("it is about %q", e.Text)
	}
}

// A signal neither ends a turn nor prolongs it: all other events are those of a talk in which none fits, because one was given just before.
func TestSignalChangesNothingElse(t *testing.T) {
	tell := func(given bool) *scene {
		return account(t, func(s *scene) {
			if given {
				s.intake.post(func(h *hearing) { h.signal = 1 })
			}
			s.speak(6 * time.Second)
			s.quiet(900 * time.Millisecond)
			s.speak(2 * time.Second)
			s.quiet(3 * time.Second)
		})
	}
	with, without := tell(false), tell(true)
	if with.signals() != 1 || without.signals() != 0 {
		t.Fatalf("%d and %d signals", with.signals(), without.signals())
	}
	if diff := cmp.Diff(without.prospects(), with.prospects()); diff != "" {
		t.Errorf("prospects and turns differ:\n%s", diff)
	}
	a, b := first[Turn](t, without), first[Turn](t, with)
	if a.End != b.End || a.DecidedAfter != b.DecidedAfter || a.Text != b.Text || a.Reason != b.Reason {
		t.Errorf("without one %+v, with one %+v", a, b)
	}
}

// Sentences of 3 s with pauses of 0.9 s between them for almost a minute: one signal in 15 s at most.
func TestSignalsInALongAccount(t *testing.T) {
	var at []time.Duration
	s := account(t, func(s *scene) {
		began := time.Now()
		for range 12 {
			before := s.signals()
			s.speak(3 * time.Second)
			s.quiet(900 * time.Millisecond)
			if s.signals() > before {
				at = append(at, time.Since(began))
			}
		}
		s.quiet(3 * time.Second)
	})
	if len(at) != 3 || s.signals() != 3 {
		t.Fatalf("signals by %v, %d in all, want 3 in 47 s", at, s.signals())
	}
	for i := 1; i < len(at); i++ {
		if apart := at[i] - at[i-1]; apart < 15*time.Second {
			t.Errorf("two within %v", apart)
		}
	}
}

func TestNoSignal(t *testing.T) {
	for name, act := range map[string]func(s *scene){
		"anything is expected":        func(s *scene) { s.Expect(turn.Expectation{Kind: turn.Open}) },
		"a brisk stage":               func(s *scene) { s.Expect(turn.Expectation{Kind: turn.Story, Mode: turn.Brisk}) },
		"push to talk":                func(s *scene) { s.Expect(turn.Expectation{Kind: turn.Story, Mode: turn.Manual}) },
		"the interviewer is speaking": func(s *scene) { s.AgentAudible(true, 1, true) },
	} {
		t.Run(name, func(t *testing.T) {
			s := account(t, func(s *scene) {
				act(s)
				s.speak(6 * time.Second)
				s.quiet(3 * time.Second)
			})
			if n := s.signals(); n != 0 {
				t.Errorf("%d signals", n)
			}
		})
	}
}

// Without the words after a pause nothing fits: those before it are no sentence that has just ended.
func TestNoSignalBeforeTheLastWords(t *testing.T) {
	s := play(t, []answer{{text: sentence, after: soon}, {text: "And then", after: 600 * time.Millisecond}}, func(s *scene) {
		s.Expect(turn.Expectation{Kind: turn.Story})
		s.speak(3 * time.Second)
		s.quiet(900 * time.Millisecond)
		s.speak(3 * time.Second)
		s.quiet(3 * time.Second)
	})
	if n := s.signals(); n != 0 {
		t.Errorf("%d signals", n)
	}
}

// Words that come too late for a signal get none: it would fall into the answer.
func TestNoSignalForLateWords(t *testing.T) {
	s := play(t, []answer{{text: sentence, after: 650 * time.Millisecond}}, func(s *scene) {
		s.Expect(turn.Expectation{Kind: turn.Story})
		s.speak(6 * time.Second)
		s.quiet(3 * time.Second)
	})
	if n := s.signals(); n != 0 {
		t.Errorf("%d signals", n)
	}
}
