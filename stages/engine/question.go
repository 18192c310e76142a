package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// question is what may be asked next.
type question struct {
	prompt  string
	variant int
	slot    string
}

// question picks the next one: what is required and missing, then what is missing, then the topics in order, then
// the bank. Nothing that was asked in the same words, answered or refused comes again.
func (s *step) question(st *definition.Stage, v *state.StageVisit) (question, bool) {
	limit := st.Limits.FollowUps
	if limit == 0 {
		limit = definition.DefaultFollowUps
	}
	if v.FollowUp >= limit {
		return question{}, false
	}
	for _, required := range []bool{true, false} {
		if q, ok := s.missing(st, required); ok {
			return q, true
		}
	}
	for _, id := range st.Prompts.Topics {
		if !s.u.Ledger.Has(id) {
			return question{prompt: id}, true
		}
	}
	return s.more(st)
}

func (s *step) missing(st *definition.Stage, required bool) (question, bool) {
	for i := range st.Slots {
		slot := &st.Slots[i]
		if slot.Required != required || slot.Ask == "" || s.u.Slots[slot.ID].Closed() {
			continue
		}
		for n := range s.iv.Words.Variants(slot.Ask, prompts.Say) {
			if !s.u.Ledger.Has(variant(slot.Ask, n)) {
				return question{prompt: slot.Ask, variant: n, slot: slot.ID}, true
			}
		}
		s.settle(slot.ID, state.Slot{Status: state.SlotWaived})
	}
	return question{}, false
}

func (s *step) more(st *definition.Stage) (question, bool) {
	id := st.Prompts.More
	if id == "" {
		return question{}, false
	}
	n := s.times(id)
	if n >= s.iv.Words.Variants(id, prompts.Say) && !s.u.Model {
		return question{}, false
	}
	return question{prompt: id, variant: n}, true
}

// instruct tells a model the one move it is to word.
func (s *step) instruct(q question, intents []understand.Intent) string {
	text := s.render(q.prompt, prompts.Say, q.variant)
	if s.iv.Words.Has(q.prompt, prompts.Ask) {
		text = s.render(q.prompt, prompts.Ask, 0)
	} else {
		text = "Acknowledge in a few words what they just said, then ask: " + text
	}
	if slices.Contains(intents, understand.Refuse) {
		text = "They will not or cannot answer the last question: accept that kindly and do not come back to it. " + text
	}
	return text
}

// variant names the issue of a prompt in its n-th wording, counted from 0.
func variant(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n+1)
}

// base returns the prompt id of an issue: without variant and form.
func base(issue string) string {
	id, _, _ := strings.Cut(issue, "#")
	for _, form := range []prompts.Form{prompts.Reprompt, prompts.Simple} {
		id = strings.TrimSuffix(id, "."+string(form))
	}
	return id
}
