package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// lacking is what the candidate's words do not cover yet, at a point of the talk.
type lacking struct {
	visit        uint64
	item         string
	turns, marks int
	gaps         []string
}

// gaps are the criteria that the candidate's words do not cover yet. Where an answer is compared with a right one, they are
// what the latest judgement missed. The list is the caller's.
func (s *situation) gaps() []string {
	st, v := s.stage(), s.u.Current()
	if st == nil || v == nil {
		return nil
	}
	at := lacking{visit: v.Visit, item: v.Item, turns: len(s.u.Turns), marks: len(s.u.Evaluations)}
	if was := s.lacks; was.visit != at.visit || was.item != at.item || was.turns != at.turns || was.marks != at.marks {
		at.gaps = s.uncovered(st, v)
		s.lacks = at
	}
	return slices.Clone(s.lacks.gaps)
}

func (s *situation) uncovered(st *definition.Stage, v *state.StageVisit) []string {
	switch {
	case len(st.Criteria) > 0 || s.phase() != nil:
		_, gaps, _ := evaluate.Coverage(s.item(st, v))
		return gaps
	case st.Gate == nil || !slices.Contains(definition.Comparing, st.Gate.By):
		return nil
	}
	for i := len(s.u.Evaluations) - 1; i >= 0; i-- {
		if r := &s.u.Evaluations[i]; r.Visit == v.Visit {
			return r.Gaps
		}
	}
	return nil
}
