package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// chosen acts on the answer to an offer. Any other answer is taken as an answer to the question that still waits.
func (s *step) chosen(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	offer := v.Choice
	v.Choice = ""
	yes := slices.Contains(intents, understand.Yes) && understand.Words(text) <= maxYes
	no := slices.Contains(intents, understand.No) && understand.Words(text) <= maxYes
	switch offer {
	case choiceEnd:
		return s.chosenEnd(yes, no, h)
	case choiceEase:
		return s.chosenEase(st, v, yes, no, text, h)
	case choiceGoOn:
		return s.chosenOn(yes, no, h)
	case choiceBack:
		return s.chosenBack(st, text, h)
	case choiceLeftOut:
		return s.chosenLeftOut(v, yes, h)
	case choiceLeave:
		if h.asks(understand.AskGoOn) || h.asks(understand.AskSkip) || no {
			s.letGo(st, v)
			return true
		}
		return false
	}
	return s.chosenHelp(st, v, offer, text, intents)
}

// maxYes is how many words a plain yes or no has at most.
const maxYes = 6

func (s *step) chosenEnd(yes, no bool, h *heard) bool {
	switch {
	case yes && !h.asks(understand.AskGoOn), h.asks(understand.AskEnd):
		s.handoff(s.u.Visit, ReasonCandidate, "candidate")
	case no, h.asks(understand.AskGoOn):
		s.sayAside(MoveAnswer, "every.end_not")
	default:
		return false
	}
	return true
}

func (s *step) chosenEase(st *definition.Stage, v *state.StageVisit, yes, no bool, text string, h *heard) bool {
	switch {
	case h.asks(understand.AskEasier), s.picks("easier", text):
		s.easierWanted(st, v)
	case h.asks(understand.AskPause), h.asks(understand.AskThink), yes:
		s.takeBreak()
	case no, h.asks(understand.AskGoOn):
		s.sayAside(MoveSupport, "every.breathe")
	default:
		return false
	}
	return true
}

func (s *step) chosenOn(yes, no bool, h *heard) bool {
	switch {
	case yes, h.asks(understand.AskGoOn), h.asks(understand.AskSkip):
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, ReasonIncomplete, "candidate")
	case no:
		s.sayAside(MoveAnswer, "every.breathe")
	default:
		return false
	}
	return true
}

// chosenBack takes what is added to an earlier answer: it answers nothing that waits.
func (s *step) chosenBack(st *definition.Stage, text string, h *heard) bool {
	if !h.answer && !h.has(understand.ActCorrection) {
		return false
	}
	s.fact("answer.amended")
	s.extract(st, text)
	s.sayAside(MoveAnswer, "every.noted")
	return true
}
