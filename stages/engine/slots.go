package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// slots are what a stage wants to know of the candidate. One of them may stand for consent.
type slots struct{ *consent }

// track fills slots from the turn and settles the one that was asked for.
func (s slots) track(st *definition.Stage, text string, intents []understand.Intent) {
	s.hearConsent(st, text, intents)
	if material.Instructs(text) {
		return // it is said back to nobody as what they told of themselves
	}
	if slices.Contains(intents, understand.Refuse) {
		s.settle(s.u.Current().Target, state.Slot{Status: state.SlotRefused})
		return
	}
	s.extract(st, text)
	s.accept(st, text, intents)
}

// extract settles the slots whose rules recognise something in the text.
func (s slots) extract(st *definition.Stage, text string) {
	for i := range st.Slots {
		slot := &st.Slots[i]
		if value, ok := s.iv.Rules.Fact(cmp.Or(slot.Find, slot.ID), text); ok {
			s.settle(slot.ID, state.Slot{Status: state.SlotFilled, Value: value, By: "rules"})
		}
	}
}

// closing is how many words of a turn may be there only to say that it is over: "and that's about it".
const closing = 4

// accept takes an answer of some length to a direct question at its word, where no rule recognised it. Asking for the
// question again, or for time, is no answer.
func (s slots) accept(st *definition.Stage, text string, intents []understand.Intent) {
	v := s.u.Current()
	slot := st.Slot(v.Target)
	if slot == nil || slices.Contains(intents, understand.Repeat) || slices.Contains(intents, understand.Think) {
		return
	}
	need := slot.MinWords
	if base(v.Prompt) == st.Prompts.Open {
		need = slot.OpeningWords
	}
	if need == 0 {
		return
	}
	if slices.Contains(intents, understand.Done) {
		need += closing
	}
	if understand.Words(text) < need {
		return
	}
	s.settle(slot.ID, state.Slot{Status: state.SlotFilled, Value: understand.Clip(strings.Join(strings.Fields(text), " "), 120), By: "answer"})
}

// settle writes a slot unless it is settled already: a refusal is final, and the first value stays (R001-54).
func (s slots) settle(id string, to state.Slot) {
	was := s.u.Slots[id]
	if id == "" || was.Closed() || !s.mayConsent(id, to) {
		return
	}
	to.Asked, to.Turn = was.Asked, uint64(len(s.u.Turns))
	s.u.Slots[id] = to
	s.fact("slot.settled", field("slot", id), field("status", string(to.Status)), field("by", to.By))
	s.slotSettled(id, to)
}
