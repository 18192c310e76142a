package candidate

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestRunMakesItsInterruptions: so many in all rooms, however many turns it takes; who says too little is not waited for for ever.
func TestRunMakesItsInterruptions(t *testing.T) {
	tests := []struct {
		name                         string
		talk                         time.Duration
		turns, made, heeded, tooLate int
	}{
		{"everybody can be interrupted", 3 * time.Second, 9, 9, 9, 0},
		{"nobody can", 300 * time.Millisecond, 27, 0, 0, 27},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := polite
				m.talk = test.talk
				r := hold(t, t.Context(), Plan{Rooms: 3, Interruptions: 8, Turns: 1}, &house{manners: m})
				c := r.Counters
				if r.RoomsCompleted != 3 || c.Turns != test.turns || c.Interruptions != test.made || c.InterruptionsHeeded != test.heeded || c.InterruptionsMissed != test.tooLate {
					t.Errorf("%d rooms completed; %+v", r.RoomsCompleted, c)
				}
				if r.Settings.Turns != 3 || r.Settings.BargeIns != 3 || r.Settings.Interruptions != 8 {
					t.Errorf("settings %+v", r.Settings)
				}
			})
		})
	}
}

// An interruption that turns out to have come too late is made up for.
func TestConversationMakesUpForMissedInterruptions(t *testing.T) {
	c := conversation{turns: []turn{{interrupts: true, delay: ms(800)}}, interruptions: 1, silence: ms(600), answerTimeout: 15 * time.Second}
	c.expect(epoch)
	quiet := Ear{Heard: true, Voice: ms(500), Silence: ms(600)}
	if got := c.next(epoch, quiet); got != actSpeak {
		t.Fatalf("act %d, want to speak: there is nothing to interrupt", got)
	}
	c.expect(epoch)
	if got := c.next(epoch, Ear{Heard: true, Voice: ms(900)}); got != actInterrupt {
		t.Errorf("act %d, want the interruption", got)
	}
	c.expect(epoch)
	if got := c.next(epoch, Ear{Heard: true, Made: 1, Silence: ms(600)}); got != actLeave {
		t.Errorf("act %d with all interruptions made, want to leave", got)
	}
}

// TestRunMeasuresHandoffs: what the agent says of itself splits the wait for an answer in two, and the providers' time is taken off.
func TestRunMeasuresHandoffs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := polite
		m.thinks, m.handoff = 400*time.Millisecond, 2
		r := hold(t, t.Context(), Plan{Rooms: 2, Turns: 3, StageAttribute: "stage", ProviderTime: 320 * time.Millisecond}, &house{manners: m})
		within(t, "decided → voice", r.Measures.Decided, 4, m.thinks)
		within(t, "handoff", r.Measures.Handoffs, 2, m.thinks)
		within(t, "handoff, added", r.Measures.HandoffAdded, 2, m.thinks-320*time.Millisecond)
		if r.Settings.ProviderTime != 320 {
			t.Errorf("settings %+v", r.Settings)
		}
	})
}

func TestHandoffAddedIsNotNegative(t *testing.T) {
	got := beyond(durations(100, 300), ms(200))
	if got[0] != 0 || got[1] != ms(100) {
		t.Errorf("added %v, want 0 and 100 ms", got)
	}
}

func TestHesitantSpeech(t *testing.T) {
	s, err := NewHesitantSpeech(t.Context(), toneVoice{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	said, err := words()
	if err != nil || len(s.stories) != len(said.Thoughts) || len(s.interruptions) != len(said.Interruptions) || !s.pauses {
		t.Fatalf("%d answers, %d interruptions", len(s.stories), len(s.interruptions))
	}
	const frame = 20 * time.Millisecond
	for i, clip := range s.stories {
		pauses, length := 0, time.Duration(0)
		for _, voiced := range clip.voiced {
			if !voiced {
				length += frame
				continue
			}
			if length > 0 {
				pauses++
				if length < shortestPause-2*frame || length > longestPause+2*frame {
					t.Errorf("%q: a pause of %v", said.Thoughts[i], length)
				}
			}
			length = 0
		}
		if pauses == 0 || !clip.voiced[0] || length > 0 {
			t.Errorf("%q: %d pauses, %v at its end; want them inside", said.Thoughts[i], pauses, length)
		}
	}
	again, err := NewHesitantSpeech(t.Context(), toneVoice{}, 3)
	if err != nil || len(again.stories[0].frames) != len(s.stories[0].frames) {
		t.Errorf("the same seed draws other pauses (%v)", err)
	}
	if s.answer(1, 0) == s.answer(2, 0) {
		t.Error("two candidates begin with the same thought")
	}
	broken := errors.New("no engine")
	if _, err := NewHesitantSpeech(t.Context(), toneVoice{broken}, 3); !errors.Is(err, broken) {
		t.Errorf("error %v, want the voice's", err)
	}
}
