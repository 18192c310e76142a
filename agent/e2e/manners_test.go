package e2e

import (
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	joinBar      = 150 * time.Millisecond // dispatch → joined
	greetingBar  = 350 * time.Millisecond // dispatch → first voice
	answerBar    = 850 * time.Millisecond // end of speech → first voice, complete sentences
	lastFrameBar = 40 * time.Millisecond  // decided → last packet of what was cut
	ownBar       = 30 * time.Millisecond  // turn decided → first packet, minus providers
)

// joinedAt is when the agent was seen to be in the room.
func (s *scene) joinedAt() time.Time {
	s.t.Helper()
	await(s.guest, "agent", func(e room.ParticipantJoined) bool { return e.Participant.Kind == livekit.ParticipantInfo_AGENT })
	s.guest.mu.Lock()
	defer s.guest.mu.Unlock()
	return s.guest.met
}

// TestDispatchOnTheWire: an interviewer who is asked for is there, and speaks, at once.
func TestDispatchOnTheWire(t *testing.T) {
	s := stage(t, set{})
	s.hears(0, 200*time.Millisecond)
	within(t, "dispatch → joined", s.joinedAt().Sub(s.asked), joinBar)
	within(t, "dispatch → first voice", s.began(s.tape.Frames(), 0).Sub(s.asked), greetingBar)
	s.end()
}

// TestTokenDispatchOnTheWire: the same when the candidate's own token asks for the interviewer, as the page's does; then the
// candidate's joining is part of it.
func TestTokenDispatchOnTheWire(t *testing.T) {
	s := stage(t, set{token: true})
	own := time.Since(s.asked)
	s.hears(0, 200*time.Millisecond)
	within(t, "token → agent joined", s.joinedAt().Sub(s.asked), own+joinBar)
	within(t, "token → first voice", s.began(s.tape.Frames(), 0).Sub(s.asked), own+greetingBar)
	s.end()
}

// TestAnswerOnTheWire: whoever has said a complete sentence is answered, and is not talked over before.
func TestAnswerOnTheWire(t *testing.T) {
	for name, speculate := range map[string]bool{"as usual": false, "prepared": true} {
		t.Run(name, func(t *testing.T) {
			const sentence = "I am a backend engineer at a payment company."
			s := stage(t, set{cloud: true, hurry: true, speculate: speculate})
			s.service.hears(sentence)
			words := spoken(t, sentence)
			s.guest.awaitAttribute("lk.agent.state", "listening")
			before := len(s.voice.Sentences())
			said := s.guest.mouth.say(t, words)
			s.hears(before, time.Second)
			frames := s.end()
			within(t, "end of speech → first voice", s.began(frames, before).Sub(said.end), answerBar)
		})
	}
}

// TestOwnShareOnTheWire: once a turn is decided, and no provider has to be waited for, the answer begins at once.
func TestOwnShareOnTheWire(t *testing.T) {
	const sentence = "I am a backend engineer at a payment company."
	s := stage(t, set{cloud: true, scripted: true, hurry: true})
	s.service.hears(sentence)
	words := spoken(t, sentence)
	s.guest.awaitAttribute("lk.agent.state", "listening")
	before := len(s.voice.Sentences())
	s.guest.mouth.say(t, words)
	s.hears(before, time.Second)
	frames := s.end()
	within(t, "turn decided → first voice", s.began(frames, before).Sub(s.await("turn.ended", nil).At), ownBar)
}

// TestPausesOnTheWire: in the pauses of an unfinished thought nobody begins to talk, and at its end there is an answer.
func TestPausesOnTheWire(t *testing.T) {
	s := stage(t, set{cloud: true, hurry: true})
	first, rest := spoken(t, "I work on the billing service and"), spoken(t, "I cut our response time in half.")
	s.guest.awaitAttribute("lk.agent.state", "listening")
	before := len(s.voice.Sentences())
	s.service.hears("I work on the billing service and")
	thought := s.guest.mouth.say(t, first)
	s.guest.mouth.say(t, make([]int16, audio.VoiceRate*7/10)) // 0.7 s
	s.service.hears("I cut our response time in half.")
	end := s.guest.mouth.say(t, rest).end
	s.hears(before, time.Second)
	frames := s.end()
	began := s.began(frames, before)
	t.Logf("the thought lasted %v, and was answered %v after its end", end.Sub(thought.onset).Round(time.Millisecond), began.Sub(end).Round(time.Millisecond))
	if began.Before(end) {
		t.Errorf("the agent began to talk %v before the end of the thought", end.Sub(began))
	}
}
