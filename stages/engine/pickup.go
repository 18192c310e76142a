package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/misconception"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Without a model nobody knows what an answer means. But a short piece of it, word for word, is enough for a question that grows from
// what was said (RM-18): it claims to have heard, and nothing more.

// picking is the piece of the latest answer that what is said next may take up.
type picking struct {
	known bool
	piece string
}

func (s *situation) phrases() *phrase.Rules { return phrase.For(s.iv.Words.Locale()) }

// growing is a question about a piece of the latest answer, where the stage has one that was not heard.
func (s *words) growing(v *state.StageVisit) (question, bool) {
	id := s.lines().TakeUp
	if id == "" || s.piece(v) == "" {
		return question{}, false
	}
	n, left := s.wording(id)
	if !left {
		return question{}, false
	}
	return question{prompt: id, variant: n}, true
}

// older is the same about what was told before, where the stage has no other questions.
func (s *words) older(v *state.StageVisit) (question, bool) {
	lines := s.lines()
	if lines.TakeUp == "" || lines.More != "" || len(lines.Topics) > 0 || s.piece(v) != "" {
		return question{}, false
	}
	past := s.past()
	for i := len(s.u.Turns) - 1; i >= 0 && s.picked.piece == ""; i-- {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerCandidate && !t.Private {
			s.picked.piece = s.phrases().Pick(s.sayable(t.Text), past)
		}
	}
	return s.growing(v)
}

// pursued is the question that a choice in the latest answer calls for, put to the words that made it; each is asked once (RM-18).
func (s *words) pursued(v *state.StageVisit) (question, bool) {
	id := s.lines().TakeUp
	if id == "" {
		return question{}, false
	}
	locale, told := s.iv.Words.Locale(), s.everythingTold()
	answer := s.sayable(v.Input)
	for _, p := range slices.Backward(s.iv.subject.Probes(answer, told, locale)) { // what was said last is freshest
		probe := "probe." + p.ID
		if s.u.Ledger.Has(probe) {
			continue
		}
		names := func(text string) bool {
			return slices.ContainsFunc(s.iv.subject.Probes(text, "", locale), func(h misconception.Heard) bool { return h.ID == p.ID })
		}
		s.picked = picking{known: true}
		for clause := range strings.FieldsFuncSeq(p.Quote, func(c rune) bool { return strings.ContainsRune(",，:：;；", c) }) {
			if piece := s.phrases().Pick(clause, s.past()); names(piece) {
				s.picked.piece = piece
			}
		}
		return question{prompt: probe, of: id, text: p.Ask}, true
	}
	return question{}, false
}

// everythingTold is all that the candidate has said.
func (s *situation) everythingTold() string {
	var b strings.Builder
	for i := range s.u.Turns {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerCandidate {
			b.WriteString(t.Text + "\n")
		}
	}
	return b.String()
}

// reacts reports whether what comes next is a reaction to the answer in the visit before: it ended the stage in the ordinary way.
func (s *course) reacts(reason string) (*state.StageVisit, bool) {
	n := len(s.u.Visits)
	if n < 2 || len(s.u.Turns) == 0 || s.transcript.latest().Speaker != state.SpeakerCandidate || s.transcript.latest().Visit != s.u.Visits[n-2].Visit {
		return nil, false
	}
	last := &s.u.Visits[n-2]
	return last, slices.Contains([]string{ReasonTurns, ReasonComplete, ReasonPassed, ReasonExhausted}, reason)
}

// goesOn is the question about the latest answer that opens the next sub-phase, where that answer speaks of it already.
func (s *course) goesOn(reason string) (question, bool) {
	last, is := s.reacts(reason)
	p := s.phase()
	if p == nil || last == nil || reason != ReasonReordered && (!is || !s.touches(s.sayable(last.Input), p)) {
		return question{}, false // who wants to go somewhere says what for
	}
	if q, ok := s.pursued(last); ok {
		return q, true
	}
	s.picked = picking{}
	return s.growing(last)
}

// touches reports whether a text touches a topic of a sub-phase.
func (s *situation) touches(text string, p *state.Phase) bool {
	it := evaluate.Item{Criteria: p.Keywords, Locale: s.iv.Words.Locale(), Turns: []evaluate.Turn{{Role: evaluate.RoleUser, Content: text}}}
	hits, _, _ := evaluate.Coverage(it)
	return len(hits) > 0
}

// aheadOf reports whether the latest answer speaks of the next sub-phase and no more of this one.
func (s *course) aheadOf(v *state.StageVisit) bool {
	p := s.phase()
	if p == nil || s.u.Model {
		return false
	}
	i := s.nextItem()
	if i < 0 {
		return false
	}
	answer := s.sayable(v.Input)
	return !s.touches(answer, p) && s.touches(answer, &s.u.SubPhases.Items[i])
}

// slotTakeUp is the question for a slot, put to a piece of the latest answer.
func (s *words) slotTakeUp(slot *definition.Slot) (question, bool) {
	if slot.TakeUp == "" || s.piece(s.u.Current()) == "" {
		return question{}, false
	}
	n, left := s.wording(slot.TakeUp)
	if !left {
		return question{}, false
	}
	return question{prompt: slot.TakeUp, of: slot.Ask, variant: n, slot: slot.ID}, true
}

// takesUp reports whether a prompt says a piece of an answer: without one it has no words.
func (s *words) takesUp(id string) bool {
	return slices.Contains(s.iv.Words.Needs(id, prompts.Say), "Picked")
}

// piece is the most particular piece of the answer that waits for a reaction, or "". It is looked for once in a step.
func (s *words) piece(v *state.StageVisit) string {
	if !s.picked.known {
		past := s.past()
		words, _ := apart(v.Input)
		past.Own = corrects(s.acts(words)) // beside what somebody else did
		s.picked = picking{true, s.phrases().Pick(s.sayable(v.Input), past)}
	}
	return s.picked.piece
}

// sayable is what of a turn may be said back to whoever said it: what answers, in the language of the interview, and no instruction. The
// latest is kept, since several questions grow from one answer.
func (s *words) sayable(text string) string {
	if s.sayableOf != text || s.sayableIn != s.iv {
		s.sayableOf, s.sayableIn, s.said = text, s.iv, s.mayBeSaid(text)
	}
	return s.said
}

func (s *words) mayBeSaid(text string) string {
	words, _ := apart(text)
	own := s.iv.Words.Locale()
	if strings.TrimSpace(words) == "" || s.phrases().Secret(text) || s.phrases().Confided(text) || material.Instructs(words) || phrase.Scorns(words) || understand.Language(words, own) != own {
		return ""
	}
	return phrase.Answers(s.acts(words))
}

// acts reads a text; the latest reading is kept, since it is asked for more than once in a step. The caller must not change it.
func (s *situation) acts(text string) []understand.Act {
	if s.readText != text || s.readActs == nil {
		s.readText, s.readActs = text, s.iv.Rules.Acts(text)
	}
	return s.readActs
}

// past is what was taken up already, and what the candidate asked not to be asked about.
func (s *words) past() phrase.Past {
	p := phrase.Past{Left: append(s.names(), s.u.Ledger.Left...)}
	for i := range s.u.Turns {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerAgent {
			p.Taken = append(p.Taken, phrase.Quoted(t.Text)...)
		}
	}
	return p
}

// names are the candidate's: nobody is told their own name as something that they said.
func (s *words) names() []string {
	var out []string
	for _, name := range []string{s.u.Candidate.Name, s.u.Slots["name"].Value} {
		if name != "" {
			out = append(out, strings.Fields(name)...)
		}
	}
	return out
}

// quotes are the most particular pieces of what the candidate has told, at most two, in their order. Nothing is said back that was put
// right afterwards or that does not hold, nor what is nobody's business.
func (s *words) quotes() []string {
	if s.u.Distress || s.u.Worried {
		return nil
	}
	past := phrase.Past{Left: append(s.names(), s.u.Ledger.Left...)}
	type told struct {
		piece string
		worth float64
	}
	var all []told
	turns := s.u.Turns[max(0, len(s.u.Turns)-recalled):]
	for i := range turns {
		t := &turns[i]
		wrong := slices.ContainsFunc(s.u.Claims, func(c state.Claim) bool { return c.Turn == t.ID })
		if t.Speaker != state.SpeakerCandidate || t.Private || wrong {
			continue
		}
		words, _ := apart(t.Text)
		if corrects(s.acts(words)) && len(all) > 0 {
			all = all[:len(all)-1]
		}
		if piece, worth := s.phrases().Weigh(s.sayable(t.Text), past); piece != "" {
			all, past.Taken = append(all, told{piece, worth}), append(past.Taken, piece)
		}
	}
	for len(all) > maxQuotes {
		least := 0
		for k := range all {
			if all[k].worth < all[least].worth {
				least = k
			}
		}
		all = slices.Delete(all, least, least+1)
	}
	var out []string
	for _, q := range all {
		out = append(out, q.piece)
	}
	return out
}

// recalled bounds how far back the talk is gone through for what to name, in turns of both sides.
const recalled = 120

// maxQuotes is how many pieces of the talk are named at once.
const maxQuotes = 2

func corrects(acts []understand.Act) bool {
	return slices.ContainsFunc(acts, func(a understand.Act) bool { return a.Kind == understand.ActCorrection })
}

// confided meets what is told in confidence or with feeling: one human sentence, and room. The next question does not follow in the
// same breath (RM-13). What was told counts as the answer that it is.
func (s *replies) confided(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	const id = "every.confided"
	switch {
	case !h.answer || h.has(understand.ActEmotion) && !s.phrases().Confided(phrase.Answers(h.acts)) || h.wish() != nil || h.has(understand.ActQuestion), s.atMenu(st):
		return false
	case s.worth(id) == "" || s.times(id) >= s.iv.Words.Variants(id, prompts.Say) || !s.phrases().Confided(text):
		return false
	}
	s.fact("candidate.confided")
	s.keep(st, v, text, intents)
	s.sayAside(MoveSupport, id)
	return true
}

// leavesTopic grants the wish not to be asked about something; it is not taken up again.
func (s *step) leavesTopic(st *definition.Stage, v *state.StageVisit, text string, h *heard) bool {
	topic, asks := s.phrases().Leaves(text)
	a := h.wish()
	switch {
	case !asks, s.atMenu(st), a != nil && a.Asks != understand.AskSkip && a.Asks != understand.AskGoTo && a.Asks != understand.AskGoOn:
		return false
	case topic == "" && (a != nil || h.has(understand.ActObjection)): // the question that waits: it is let go as any other
		return false
	}
	s.fact("topic.left")
	if topic != "" {
		s.u.Ledger.Left = append(slices.Clone(s.u.Ledger.Left), topic) // the list is shared with the state before
	}
	if st.Responder == definition.ByExperts || s.lines().TakeUp == "" {
		if a != nil || h.has(understand.ActObjection) {
			return false // granted as a wish, or an objection, is
		}
		s.letGo(st, v)
		return true
	}
	s.transcript.aside(v)
	v.Input = "" // nothing of it is taken up
	s.sayAside(MoveAnswer, cmp.Or(s.worth("every.leave_open"), "every.skip"))
	return true
}
