package session

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/engine"
)

// maxDrafts bounds the replies prepared for one turn of the candidate. The number is the field's usual one (voice-pipeline
// facts: three tries a turn).
const maxDrafts = 3

// drafts holds the reply in preparation: what the engine would say if the turn were over with the words heard so far. One
// exists at a time. It becomes the answer when the turn commits with the same words and the engine then asks for the same
// utterance; else it is thrown away, unheard and without a line in the journal.
type drafts struct {
	made    int // in the candidate's turn under way
	current *draft
}

// draft is one prepared reply.
type draft struct {
	text       string // the turn it answers
	say        engine.Say
	held       *escrow
	src        *words
	generation uint64
	cancel     context.CancelCauseFunc
}

// prepare starts a reply to a turn that may be over. It is not done while an utterance is on the floor, nor where the turn
// would ask for anything but one utterance.
func (s *Session) prepare(m Prospect) {
	if !s.o.Speculate || s.u.Stage == "" || s.u.Floor.Utterance != 0 {
		return
	}
	if d := s.drafts.current; d != nil && sameWords(d.text, m.Text) {
		return
	}
	s.discard("transcript")
	if s.drafts.made == maxDrafts {
		return
	}
	say, ok := utteranceOf(s.foresee(m))
	if !ok {
		return
	}
	s.drafts.made++
	d := &draft{text: m.Text, say: say, held: newEscrow(s.Post)}
	d.src = s.source(say, d.held)
	d.cancel = s.start(d.src)
	d.generation = s.speech.generation
	s.drafts.current = d
	s.note("speculation.started", engine.Field{Key: "utterance", Value: say.Utterance})
}

// foresee steps a copy of the state over the turn. The silence that ends a turn comes before it, so that it is assumed
// where it was not reported yet: numbers of timers and utterances are then those of the real step.
func (s *Session) foresee(m Prospect) []engine.Effect {
	u, at := s.u, s.at()
	if u.Floor.Candidate {
		u, _ = s.o.Interview.Step(u, at, engine.SpeechStopped{})
	}
	_, effects := s.o.Interview.Step(u, at, engine.UserTurn{Text: clip(m.Text), Began: s.since(m.Began)})
	return effects
}

// utteranceOf returns the Say if it is the only thing among the effects that would be heard, and the interview goes on.
func utteranceOf(effects []engine.Effect) (say engine.Say, ok bool) {
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Say:
			if ok {
				return say, false
			}
			say, ok = e, true
		case engine.End, engine.TakeTurn, engine.Run: // nothing is asked of others before the turn is decided
			return say, false
		}
	}
	return say, ok
}

// adopt makes the prepared reply the answer to the turn, if it is the one that the engine asks for now.
func (s *Session) adopt(m Turn, say engine.Say) bool {
	d := s.drafts.current
	if d == nil {
		return false
	}
	if m.Typed || !sameWords(d.text, m.Text) {
		s.discard("transcript")
		return false
	}
	if !s.fits(d, say) {
		s.discard("state")
		return false
	}
	s.drafts.current = nil
	s.expect(say)
	s.speech.take(say.Utterance, d.cancel)
	s.speech.playing = d.generation
	d.held.open()
	if v, ok := s.o.Voice.(Holder); ok {
		v.Release(d.generation)
	}
	s.note("speculation.adopted", engine.Field{Key: "utterance", Value: say.Utterance})
	s.asked(say, d.src, d.generation)
	return true
}

// fits says whether the draft is the utterance asked for, and the model was told what it would be told now.
func (s *Session) fits(d *draft, say engine.Say) bool {
	if !sameSay(d.say, say) {
		return false
	}
	if say.Lead == nil || s.o.Model == nil {
		return true
	}
	was, err := d.say.Lead.Request(false)
	if err != nil {
		return false
	}
	is, err := say.Lead.Request(false)
	return err == nil && slices.EqualFunc(was, is, func(a, b engine.Line) bool {
		return a.Role == b.Role && sameWords(a.Text, b.Text)
	})
}

// sameSay compares all of two utterances, the words in them as sameWords does: they may quote the candidate.
func sameSay(a, b engine.Say) bool {
	if (a.Lead == nil) != (b.Lead == nil) || a.Lead != nil && !sameWords(a.Lead.Must, b.Lead.Must) {
		return false
	}
	return sameWords(a.Text, b.Text) && a.Utterance == b.Utterance && a.Visit == b.Visit && a.Stage == b.Stage && a.Move == b.Move && slices.Equal(a.Prompts, b.Prompts) &&
		a.Uninterruptible == b.Uninterruptible && a.Last == b.Last && a.Persona == b.Persona
}

// outdate throws the draft away when an event says that no turn will follow, or another one.
func (s *Session) outdate(ev engine.Event) {
	switch ev.(type) {
	case engine.SpeechStarted:
		s.discard("speech")
	case engine.NoWords:
		s.discard("no_words")
		s.drafts.made = 0
	case engine.Away, engine.Gone, engine.Stop:
		s.discard("left")
	}
}

// discard throws the draft away. Its voice is silent already; what it cost is reported when its goroutine has ended.
func (s *Session) discard(reason string) {
	d := s.drafts.current
	if d == nil {
		return
	}
	s.drafts.current = nil
	d.cancel(Reason("discarded"))
	s.note("speculation.discarded", engine.Field{Key: "utterance", Value: d.say.Utterance}, engine.Field{Key: "reason", Value: reason})
}

// waste is what a discarded draft cost.
type waste struct {
	Utterance          uint64
	Tokens, Characters int
}

func (s *Session) wasted(m waste) {
	s.note("speculation.wasted", engine.Field{Key: "utterance", Value: m.Utterance},
		engine.Field{Key: "tokens", Value: m.Tokens}, engine.Field{Key: "characters", Value: m.Characters})
}

// note logs a fact of the session's own: the engine knows nothing of drafts.
func (s *Session) note(name string, fields ...engine.Field) {
	f := engine.Fact{Name: name, Fields: append([]engine.Field{{Key: "stage", Value: s.u.Stage}, {Key: "visit", Value: s.u.Visit}}, fields...)}
	s.tracer.fact(f)
	s.log(f)
}

// sameWords compares two texts word by word, without regard to case and punctuation. The signs in "C++" and "C#" count.
func sameWords(a, b string) bool {
	return a == b || slices.EqualFunc(wordsOf(a), wordsOf(b), strings.EqualFold)
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && r != '+' && r != '#'
	})
}
