package engine

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// MoveAnswer answers a question of the candidate's, or grants a wish; the question that was put before waits.
const MoveAnswer Move = "answer"

// maxAnswers bounds how many facts are told in one turn (RM-6).
const maxAnswers = 2

// answerQuestions puts the answers to the candidate's questions before whatever is said next: from the fact sheet, or that it is not
// known, or theirs to assume (RM-6, RM-7).
func (s *words) answerQuestions(h *heard) {
	said, stood := 0, false
	var told []string
	for _, f := range h.answers {
		if said == maxAnswers || slices.Contains(told, f.ID) {
			continue
		}
		text, err := f.Answer(s.iv.Words.Locale(), s.factsNow())
		if err != nil {
			s.fact("fact.failed", field("fact", f.ID), field("error", understand.Clip(err.Error(), maxFailure)))
			continue
		}
		told = append(told, f.ID)
		s.before("fact."+f.ID, text)
		s.fact("fact.told", field("fact", f.ID))
		said++
	}
	for _, a := range h.acts {
		if a.About == understand.AboutStanding && a.Kind == understand.ActQuestion && said < maxAnswers && !stood {
			stood = true
			s.beforePrompt(s.standing())
			said++
		}
		if a.About == aboutItself && said < maxAnswers {
			s.beforePrompt("every.itself")
			said++
		}
		if a.About == aboutMemory && said < maxAnswers {
			s.beforePrompt(s.memory())
			said++
		}
	}
	if said == 0 {
		s.leftToThem(h)
	}
}

// leftToThem answers a turn whose questions the sheet does not know: in a task, what is not given is theirs to assume.
func (s *words) leftToThem(h *heard) {
	switch {
	case h.later:
		s.beforePrompt(s.worth("every.part_later"))
	case h.last && h.answer:
		s.fact("question.open", field("questions", 1))
		s.beforePrompt(s.worth("every.assume"))
	case h.open > 0 && !h.answer:
		s.fact("question.open", field("questions", h.open))
		s.beforePrompt(s.unknown())
	}
}

// unknown is what is said to a question that the sheet does not answer: in a task that is the candidate's to settle, an assumption is
// asked for.
func (s *words) unknown() string {
	st := s.stage()
	if s.problem() != nil || st.Expand != "" {
		return s.worth("every.assume")
	}
	return s.worth("every.unknown")
}

// reliefs puts a word before the reaction to an answer where it holds something besides; the answer goes its usual way.
func (s *step) reliefs(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	if h.has(understand.ActCorrection) {
		s.beforePrompt(s.worth("every.corrected"))
	}
	if h.asks(understand.AskLanguage) && !h.told(factLanguage) && !s.goesOver(text) {
		s.beforePrompt(s.worth(s.languages()))
	}
	return s.special(st, v, text, intents)
}

// corrected takes over what the candidate puts right; it is no answer to the question that waits (RM-2).
func (s *replies) corrected(st *definition.Stage, text string) {
	for i := range s.iv.Def.Stages {
		for _, slot := range s.iv.Def.Stages[i].Slots {
			value, found := s.iv.Rules.Fact(cmp.Or(slot.Find, slot.ID), text)
			was := s.u.Slots[slot.ID]
			to := state.Slot{Status: state.SlotFilled, Value: value, By: "rules", Asked: was.Asked, Turn: uint64(len(s.u.Turns))}
			if found && was.Status == state.SlotFilled && s.consent.mayConsent(slot.ID, to) {
				s.u.Slots[slot.ID] = to
				s.fact("slot.corrected", field("slot", slot.ID))
			}
		}
	}
	s.slots.extract(st, text)
	s.sayAside(MoveAnswer, "every.corrected")
}

// objected takes an objection: what was said already is not asked for again, and nobody has to answer.
func (s *step) objected(st *definition.Stage, v *state.StageVisit, h *heard) bool {
	already := slices.ContainsFunc(h.acts, func(a understand.Act) bool { return a.Kind == understand.ActObjection && a.About != "" })
	if !already {
		v.Choice = choiceLeave
		s.sayAside(MoveAnswer, "every.objection")
		return true
	}
	s.beforePrompt(s.worth("every.told_already"))
	s.letGo(st, v)
	return true
}
