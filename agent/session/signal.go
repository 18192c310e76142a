package session

import (
	"slices"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
)

// listening is the prompt with the word that says that somebody listens.
const listening = "every.listening"

// Signaller is a Voice that can say softly that it listens ("mm-hm"). Listening signals need one.
type Signaller interface {
	// Signal lets Listening of an utterance that was spoken be heard in its voice: as no utterance, beside one that is held. It reports
	// false where the word is not ready or something else is heard. It must not block.
	Signal(u Utterance) bool
}

// Signal says that a listening signal fits in the silence after this text. Whether it is given or not, the interview does not learn of it.
type Signal struct{ Text string }

// signal gives a listening signal, unless somebody is to speak or silence is what the candidate needs.
func (s *Session) signal(m Signal) {
	voice, can := s.o.Voice.(Signaller)
	f := s.u.Floor
	if !can || f.Utterance != 0 || f.Away || s.talk.manual || s.u.Distress || s.u.Worried || !s.tells(m.Text) {
		return
	}
	if u := s.sound(s.speech.said); u.Listening == "" || !voice.Signal(u) {
		return
	}
	s.o.Logger.Debug("listening.signal", zap.String("stage", s.u.Stage), zap.Uint64("visit", s.u.Visit))
	s.o.Observe(engine.Fact{Name: "listening.signal", Fields: []engine.Field{{Key: "stage", Value: s.u.Stage}, {Key: "visit", Value: s.u.Visit}}})
}

// tells reports whether a text does nothing but tell: what asks or wishes for something is answered, and to words of distress, or of
// another mood, nothing is said without a thought.
func (s *Session) tells(text string) bool {
	return !slices.ContainsFunc(s.o.Interview.Rules.Acts(text), func(a understand.Act) bool {
		return a.Kind != understand.ActAnswer && a.Kind != understand.ActCorrection
	})
}

// sound is how an utterance sounds, with the word that the same voice listens with where signals are wanted.
func (s *Session) sound(e engine.Say) Utterance {
	voice := e.Voice.With(s.o.Speech)
	u := Utterance{Name: voice.Name, Speed: voice.Speed, Language: s.o.Interview.Words.Locale()}
	if !s.o.Signals || !s.o.Interview.Def.Signals(e.Stage) {
		return u
	}
	if word, err := s.o.Interview.Words.Render(listening, prompts.Say, 0, prompts.Data{}); err == nil { // a language may have none
		u.Listening = word
	}
	return u
}
