package listen

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/turn"
)

// prospects is the story of a scene as far as a reply is prepared on it.
func (s *scene) prospects() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		switch e := e.(type) {
		case SpeechStarted:
			out = append(out, "speech")
		case Prospect:
			out = append(out, "prospect: "+e.Text)
			if e.Silence < 200*time.Millisecond || e.End <= e.Start {
				s.t.Errorf("prospect %+v", e)
			}
		case Turn:
			out = append(out, fmt.Sprintf("turn %d: %s", e.ID, e.Text))
		}
	}
	return out
}

func (s *scene) wantProspects(lines ...string) {
	s.t.Helper()
	if diff := cmp.Diff(lines, s.prospects()); diff != "" {
		s.t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestProspectComesWithTheTranscript(t *testing.T) {
	s := play(t, []answer{{text: "It is done.", after: 150 * time.Millisecond}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.wantProspects("speech", "prospect: It is done.", "turn 1: It is done.")
	if p := first[Prospect](t, s); p.Silence > 450*time.Millisecond {
		t.Errorf("it came after %v: 250 ms to find the silence and 150 ms for the transcript are enough", p.Silence)
	}
}

func TestProspectFollowsAChangedText(t *testing.T) {
	s := play(t, []answer{{partials: map[time.Duration]string{800 * time.Millisecond: "It is"}, text: "It is done.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.wantProspects("speech", "prospect: It is", "prospect: It is done.", "turn 1: It is done.")
}

func TestProspectOfEverySilence(t *testing.T) {
	s := play(t, []answer{{text: "I worked there and", after: soon}, {after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(time.Second)
		s.speak(time.Second)
		s.quiet(4 * time.Second)
	})
	s.wantProspects("speech", "prospect: I worked there and", "speech", "prospect: I worked there and", "turn 1: I worked there and")
}

// A recogniser without partials gives the text after the silence: until then there is nothing to prepare a reply on.
func TestProspectWaitsForTheLastWords(t *testing.T) {
	s := play(t, []answer{{text: "I worked there and", after: soon}, {text: "then I left.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.wantProspects("speech", "prospect: I worked there and", "speech", "prospect: I worked there and then I left.",
		"turn 1: I worked there and then I left.")
}

func TestNoProspectWhereSilenceDecidesNothing(t *testing.T) {
	for name, act := range map[string]func(s *scene){
		"push to talk":     func(s *scene) { s.Expect(turn.Expectation{Mode: turn.Manual}) },
		"the agent speaks": func(s *scene) { s.AgentAudible(true, 1, true) },
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, []answer{{text: "It is done.", after: soon}}, func(s *scene) {
				act(s)
				s.speak(time.Second)
				s.quiet(2 * time.Second)
			})
			s.wantProspects("speech")
		})
	}
}

// The recogniser hears of each pause once it has lasted a tenth of a second, once, and of the last one before the end: so too where the
// microphone falls silent altogether.
func TestRecogniserHearsOfPauses(t *testing.T) {
	s := play(t, nil, func(s *scene) {
		s.speak(1000 * time.Millisecond)
		s.quiet(60 * time.Millisecond) // as before a plosive
		s.speak(500 * time.Millisecond)
		s.quiet(160 * time.Millisecond)
		s.speak(500 * time.Millisecond)
		s.quiet(1000 * time.Millisecond)
		s.speak(500 * time.Millisecond)
		s.gone(3 * time.Second)
	})
	want := []string{"paused 1 at 1680 ms", "paused 1 at 2320 ms", "ended 1 at 2480 ms", "paused 2 at 3720 ms", "ended 2 at 3720 ms"}
	if diff := cmp.Diff(want, s.scribe.marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}
