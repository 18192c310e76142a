package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// guard evaluates a predicate after a candidate's turn. When it holds, the reason names the leaf that made it hold.
func (s *step) guard(g definition.Guard, intents []understand.Intent) (reason string, holds bool) {
	v := s.u.Current()
	switch {
	case g.Any != nil:
		return s.anyOf(g.Any, intents)
	case g.All != nil:
		return s.allOf(g.All, intents)
	case g.Not != nil:
		_, holds = s.guard(*g.Not, intents)
		return ReasonComplete, !holds
	case g.Slots != "":
		return ReasonComplete, s.closed(g.Slots == "required")
	case g.Slot != "":
		return ReasonComplete, s.u.Slots[g.Slot].Status == state.SlotFilled
	case g.Intent != "":
		return ReasonIntent, slices.Contains(intents, understand.Intent(g.Intent))
	case g.Turns > 0:
		return ReasonTurns, v.Turns >= g.Turns
	case g.FollowUps > 0:
		return ReasonFollowUps, v.FollowUp >= g.FollowUps
	case g.Elapsed > 0:
		return ReasonElapsed, s.u.Now-v.Entered >= ms(g.Elapsed.Std())
	}
	return "", false
}

func (s *step) anyOf(gs []definition.Guard, intents []understand.Intent) (string, bool) {
	for _, g := range gs {
		if reason, holds := s.guard(g, intents); holds {
			return reason, true
		}
	}
	return "", false
}

func (s *step) allOf(gs []definition.Guard, intents []understand.Intent) (string, bool) {
	reason := ReasonComplete
	for _, g := range gs {
		r, holds := s.guard(g, intents)
		if !holds {
			return "", false
		}
		reason = r
	}
	return reason, true
}

// closed reports whether nothing more is to be asked about the stage's slots, or its required ones, and one of them is
// known: a candidate who refuses everything has completed nothing.
func (s *step) closed(required bool) bool {
	known := false
	for _, slot := range s.stage().Slots {
		if required && !slot.Required {
			continue
		}
		is := s.u.Slots[slot.ID]
		if !is.Closed() {
			return false
		}
		known = known || is.Status == state.SlotFilled
	}
	return known
}
