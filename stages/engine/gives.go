package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/state"
)

// givesAway reports whether a text tells how the problem is solved, in any wording and language (RM-28). What the candidate has said of it,
// what was heard of us, and the hint that comes next tell nothing new.
func (s *situation) givesAway(text string) bool {
	p := s.problem()
	if p == nil || s.iv.Problems.GivesAway(p.ID, text, nil, nil) == "" {
		return false // nearly always: only else the talk is looked through
	}
	return s.iv.Problems.GivesAway(p.ID, text, append(s.texts(state.SpeakerAgent), s.hintsDue(p)...), s.submitted()) != ""
}

// hintsDue are the hints that were given, and the next one: in the order for what the candidate is stuck on, and in the general one.
func (s *situation) hintsDue(p *problem.Problem) []string {
	v := s.u.Current()
	if v == nil {
		return nil
	}
	out := slices.Clone(s.u.Hinted)
	locale := s.iv.Words.Locale()
	for _, id := range []string{"", s.approach(p)} {
		list := p.HintsFor(id, locale)
		out = append(out, list[:min(len(list), v.HintLevel+1)]...)
	}
	return append(out, s.problemHint(p))
}
