package engine

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// question is what may be asked next.
type question struct {
	prompt  string
	of      string // the prompt that it counts as; empty = itself
	variant int
	slot    string
	gap     string // the missing topic it is about
	text    string // its words, where they are in no catalogue
}

// question picks the next one: what the gate or the soft limit found missing, what is required and missing, then what is
// missing, then the topics in order, then the bank. Nothing that was asked in the same words, answered or refused comes again.
func (s *replies) question(st *definition.Stage, v *state.StageVisit) (question, bool) {
	if q, ok := s.untried(st, v); ok {
		return q, true
	}
	if v.FollowUp >= cmp.Or(st.Limits.FollowUps, definition.DefaultFollowUps) {
		return question{}, false
	}
	if q, ok := s.steer(st, v); ok {
		return q, true
	}
	for _, required := range []bool{true, false} {
		if q, ok := s.missing(st, required); ok {
			return q, true
		}
	}
	if q, ok := s.pursued(v); ok {
		return q, true
	}
	if q, ok := s.growing(v); ok {
		return q, true
	}
	if q, ok := s.older(v); ok {
		return q, true
	}
	for _, id := range s.lines().Topics {
		if !s.used(id) {
			return question{prompt: id, variant: s.wordingOf(id)}, true
		}
	}
	return s.more(v)
}

// steer leads to what is missing: when the gate has just said so, and once the soft limit has passed (R000-86).
func (s *replies) steer(st *definition.Stage, v *state.StageVisit) (question, bool) {
	just := v.Judged > 0 && v.JudgedAt == v.Turns
	if st.Gate == nil || st.Gate.Continue == "" || s.counting(st.Gate) || !just && !v.Soft {
		return question{}, false
	}
	gap := s.nextGap(v)
	if gap == "" {
		return question{}, false
	}
	id := st.Gate.Continue
	return question{prompt: id, variant: s.wordingOf(id), gap: gap}, true
}

// nextGap is the topic to ask for: they take turns.
func (s *situation) nextGap(v *state.StageVisit) string {
	if gaps := s.gaps(); len(gaps) > 0 {
		return gaps[v.FollowUp%len(gaps)]
	}
	return ""
}

func (s *replies) missing(st *definition.Stage, required bool) (question, bool) {
	for i := range st.Slots {
		slot := &st.Slots[i]
		if slot.Required != required || slot.Ask == "" || s.u.Slots[slot.ID].Closed() {
			continue
		}
		if q, ok := s.slotTakeUp(slot); ok {
			return q, true
		}
		if n, ok := s.wording(slot.Ask); ok {
			return question{prompt: slot.Ask, variant: n, slot: slot.ID}, true
		}
		s.slots.settle(slot.ID, state.Slot{Status: state.SlotWaived})
	}
	return question{}, false
}

// wording picks a wording of a prompt that was not issued yet; where a stage comes again it has as many issues there.
func (s *words) wording(id string) (int, bool) {
	variants := s.iv.Words.Variants(id, prompts.Say)
	if s.anew() {
		n := s.wordingOf(id)
		for range variants { // one that asks for what was told has nothing to say
			if s.render(id, prompts.Say, n) != "" {
				break
			}
			n++
		}
		return n, s.timesHere(id) < variants
	}
	for n := range variants {
		if !s.u.Ledger.Has(variant(id, n)) && s.render(id, prompts.Say, n) != "" {
			return n, true
		}
	}
	return 0, false
}

// hasTold reports whether the rules find a fact in anything that the candidate has said.
func (s *words) hasTold(fact string) bool {
	return slices.ContainsFunc(s.u.Turns, func(t state.Turn) bool {
		if t.Speaker != state.SpeakerCandidate {
			return false
		}
		_, found := s.iv.Rules.Fact(fact, t.Text)
		return found
	})
}

func (s *words) more(v *state.StageVisit) (question, bool) {
	if p := s.phase(); p != nil {
		if id := s.lines().Probes[p.ID]; id != "" {
			if n, left := s.wording(id); left {
				return question{prompt: id, variant: n}, true
			}
		}
	}
	id := s.lines().More
	if id == "" {
		return question{}, false
	}
	issued, n := s.times(id), s.wordingOf(id)
	if s.anew() {
		issued = s.timesHere(id)
	}
	if issued >= s.iv.Words.Variants(id, prompts.Say) && !s.u.Model {
		return question{}, false
	}
	return question{prompt: id, variant: n, gap: s.nextGap(v)}, true
}
