package engine

import (
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// guard evaluates a predicate after a candidate's turn. When it holds, the reason names the leaf that made it hold.
func (s *situation) guard(g definition.Guard, intents []understand.Intent) (reason string, holds bool) {
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
	return ReasonComplete, s.known(g, v)
}

// known evaluates the leaves about what is known of the task and its solution.
func (s *situation) known(g definition.Guard, v *state.StageVisit) bool {
	switch {
	case g.Coverage > 0:
		_, _, share := evaluate.Coverage(s.item(s.stage(), v))
		return share >= g.Coverage-1e-9
	case g.Field != "":
		return !s.u.Fields[g.Field].Empty()
	case g.Mentions != "":
		return s.mentioned(g.Mentions)
	case g.QueueEmpty != "":
		return s.queueEmpty(g.QueueEmpty)
	case g.Flag != "":
		return s.u.Flags[g.Flag]
	case g.Decision != "":
		return s.decision(v) == g.Decision
	case g.Skipped:
		return v.Skipped
	}
	return false
}

// decision is the gate's latest in this visit, or "".
func (s *situation) decision(v *state.StageVisit) string {
	for i := len(s.u.Evaluations) - 1; i >= 0; i-- {
		if r := &s.u.Evaluations[i]; r.Visit == v.Visit && r.Item == v.Item {
			return r.Decision
		}
	}
	return ""
}

// mentioned reports whether the candidate's words in this stage match the named word list (R003-51).
func (s *situation) mentioned(list string) bool {
	return slices.ContainsFunc(s.u.Turns, func(t state.Turn) bool {
		return t.Speaker == state.SpeakerCandidate && t.Stage == s.u.Stage && s.iv.lists(list, t.Text)
	})
}

// lists reports whether a text holds an entry of a word list: the definition's, or the language's own.
func (iv *Interview) lists(list, text string) bool {
	own := iv.Def.Input.Lexicons[list]
	lang := prompts.Language(iv.Words.Locale())
	for _, l := range []string{lang, "any", understand.Language(text, lang)} {
		if understand.Says(text, own[l]) {
			return true
		}
	}
	return iv.Rules.Mentions(list, text)
}

func (s *situation) anyOf(gs []definition.Guard, intents []understand.Intent) (string, bool) {
	for _, g := range gs {
		if reason, holds := s.guard(g, intents); holds {
			return reason, true
		}
	}
	return "", false
}

func (s *situation) allOf(gs []definition.Guard, intents []understand.Intent) (string, bool) {
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
func (s *situation) closed(required bool) bool {
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

// flag sets a flag, for guards and for the engine itself.
func (s *change) flag(name string) {
	if s.u.Flags == nil {
		s.u.Flags = make(map[string]bool)
	}
	s.u.Flags[name] = true
}
