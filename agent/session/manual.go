package session

import (
	"time"

	"github.com/vivavoice/viva/stages/engine"
)

// manual is the manner of turn-taking in which the candidate says by a button when they speak (push to talk).
const manual = "manual"

// talk is the state of push to talk.
type talk struct {
	manual  bool // the stage on the floor is in manual mode
	pressed bool
}

// expect tells the ears what follows the utterance: in which manner turns are taken, and what kind of answer it earns.
func (s *Session) expect(e engine.Say) {
	s.speech.before, s.speech.said = s.speech.said, e
	s.o.Ears.Expect(e.Turn, e.Expects)
	if s.talk.manual == (e.Turn == manual) {
		return
	}
	s.talk = talk{manual: e.Turn == manual}
	s.hear(!s.talk.manual)
	if s.u.Floor.Candidate || s.u.Floor.Stopped > 0 {
		s.o.Ears.Take() // a turn that began in the one manner is not left open in the other
	}
}

// awaits tells the ears what kind of answer the words of a model earn, now that they were heard to their end: before, nobody knew them.
func (s *Session) awaits(ev engine.Event) {
	e, ended := ev.(engine.VoiceEnded)
	say := &s.speech.said
	if !ended || e.Utterance != say.Utterance || e.Cut || say.Lead == nil || s.u.Floor.Utterance != 0 {
		return
	}
	if kind := s.o.Interview.Awaits(s.u, e.Heard); kind != say.Expects {
		say.Expects = kind
		s.o.Ears.Expect(say.Turn, kind)
	}
}

func (s *Session) hear(on bool) {
	if b, ok := s.o.Ears.(Button); ok {
		b.Hear(on)
	}
}

// push takes the button. It does nothing where turns end by themselves.
func (s *Session) push(m Push) error {
	switch {
	case !s.talk.manual || m.Down == s.talk.pressed:
		return nil
	case m.Down:
		return s.press()
	}
	return s.release()
}

// press gives the candidate the floor: the voice is interrupted, unless it may not be.
func (s *Session) press() error {
	s.talk.pressed = true
	s.hear(true)
	s.tracer.open.decide("button.pressed", "")
	if f := s.u.Floor; f.Utterance != 0 && f.Audible && !f.Firm {
		now := time.Now()
		if err := s.interruption(Interruption{Utterance: f.Utterance, Action: Interrupt, Reason: "button", Onset: now, At: now}); err != nil {
			return err
		}
	}
	s.outdate(engine.SpeechStarted{})
	return s.step(engine.SpeechStarted{})
}

// release ends the turn with what was heard.
func (s *Session) release() error {
	s.talk.pressed = false
	s.hear(false)
	s.tracer.open.decide("button.released", "")
	if err := s.step(engine.SpeechStopped{}); err != nil {
		return err
	}
	s.o.Ears.Take()
	return nil
}
