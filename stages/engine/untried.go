package engine

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

const (
	anything   = "every.anything" // asked before the work at a problem is left
	maxUntried = 2                // unusual inputs that are asked about once an answer has passed
)

// untried is what is asked without a model before the work at a problem is left: how it does on unusual inputs that nobody spoke of, where
// the answer has passed, and then whether anything is open. Who says that they are done is not kept.
func (s *replies) untried(st *definition.Stage, v *state.StageVisit) (question, bool) {
	p := s.problem()
	byRules := p != nil && !s.u.Model && st.Gate != nil && st.Responder != definition.ByExperts
	if !byRules || v.Overtime || v.Judged == 0 || s.times(anything) > 0 || slices.Contains(s.latestIntents(v), understand.Done) {
		return question{}, false
	}
	passed := slices.ContainsFunc(s.u.Evaluations, func(r state.EvaluationRecord) bool {
		return r.Visit == v.Visit && r.Decision == evaluate.DecisionNext
	})
	if passed && !v.Soft {
		if q, left := s.untriedCase(st, p); left {
			return q, true
		}
	}
	spent := v.Attempts >= cmp.Or(st.Gate.Attempts, defaultAttempts) || v.FollowUp >= cmp.Or(st.Limits.FollowUps, definition.DefaultFollowUps)
	if !passed && !spent || s.worth(anything) == "" || s.worth(choiceLastWord) != "" { // that asks it
		return question{}, false
	}
	return question{prompt: anything, of: st.Gate.Continue, variant: s.wordingOf(anything)}, true
}

// untriedCase asks about an unusual input that nobody spoke of.
func (s *replies) untriedCase(st *definition.Stage, p *problem.Problem) (question, bool) {
	asked, next := 0, question{}
	for i := range p.EdgeCases {
		c := &p.EdgeCases[i]
		ask := problem.In(c.Question, s.iv.Words.Locale())
		spoken := slices.ContainsFunc(s.texts(state.SpeakerCandidate), func(t string) bool { return understand.Which(t, c.Keywords) != "" })
		switch {
		case s.toldBefore(ask):
			asked++
		case next.text == "" && !spoken:
			next = question{prompt: "case." + c.ID, of: st.Gate.Continue, text: ask}
		}
	}
	return next, next.text != "" && asked < maxUntried
}
