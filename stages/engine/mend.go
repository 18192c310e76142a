package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/state"
)

// mend takes back what the recogniser made of the candidate's latest words, with what was answered to them: the candidate has written what
// they said. It returns the visit that the words belong to, or nil where there is nothing to put right.
func (s *step) mend() *state.StageVisit {
	i := s.misheard()
	if i < 0 {
		return nil
	}
	s.u.Turns = slices.Clone(s.u.Turns)
	t := &s.u.Turns[i]
	t.Private, t.Misheard = true, true // they never said it
	s.fact("turn.mended", field("turn", t.ID), field("confidence", t.Confidence))
	s.forget(t.ID)
	at := slices.IndexFunc(s.u.Visits, func(v state.StageVisit) bool { return v.Visit == t.Visit })
	v := &s.u.Visits[at]
	if v.Visit == s.u.Visit && !s.stage().Final && !s.telling() && !s.u.Floor.Firm {
		s.answeredWrongly(v)
		s.unsay(v, t.ID)
	}
	return v
}

// misheard is the candidate's latest turn if it was spoken; -1: it was not, or there is none.
func (s *situation) misheard() int {
	for i := len(s.u.Turns) - 1; i >= 0; i-- {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerCandidate {
			if t.Typed || t.Private {
				return -1
			}
			return i
		}
	}
	return -1
}

// forget drops what was found in a turn.
func (s *step) forget(turn uint64) {
	for id, slot := range s.u.Slots {
		if slot.Turn == turn && slot.Status != state.SlotEmpty {
			s.u.Slots[id] = state.Slot{Status: state.SlotEmpty, Asked: slot.Asked}
		}
	}
	s.u.Notebook = slices.DeleteFunc(slices.Clone(s.u.Notebook), func(n state.Note) bool { return n.Turn == turn })
	s.u.Covered = slices.DeleteFunc(slices.Clone(s.u.Covered), func(c state.Cover) bool { return c.Turn == turn })
	s.u.Claims = slices.DeleteFunc(slices.Clone(s.u.Claims), func(c state.Claim) bool { return c.Turn == turn })
}

// answeredWrongly takes the reply to misheard words back, heard or not: the question before it is the one that waits.
func (s *floor) answeredWrongly(v *state.StageVisit) {
	f := &s.u.Floor
	led := f.Occasion != ""
	switch {
	case f.Utterance != 0:
		f.Withdrawn, f.Audible = f.Utterance, false
		s.stopFloor("mended")
	case f.Over != nil:
		led = f.Over.Occasion != ""
		f.Reply, f.WasPrompt, f.WasSlot, f.WasGap = f.Over.Reply, f.Over.Prompt, f.Over.Slot, f.Over.Gap
		s.withdraw()
		s.clearFloor()
	}
	f.Over, v.Held = nil, nil
	if led {
		s.unread(v)
	}
}

// unsay takes a turn out of the answer that it belongs to.
func (s *step) unsay(v *state.StageVisit, turn uint64) {
	if !slices.Contains(v.InputTurns, turn) {
		return
	}
	v.InputTurns = slices.DeleteFunc(slices.Clone(v.InputTurns), func(id uint64) bool { return id == turn })
	var left []string
	for _, id := range v.InputTurns {
		left = append(left, s.u.Turns[id-1].Text)
	}
	v.Input = strings.Join(left, " ")
	if len(left) == 0 && !v.Unread {
		v.Turns = max(0, v.Turns-1)
	}
	v.Owed = len(left) > 0 // what is left of the answer goes on with what was meant
}
