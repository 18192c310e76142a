package evaluate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
)

// mostAdvice bounds what somebody is told at once.
const mostAdvice = 2

// feedback is what the candidate is told where no model words it. About an answer it speaks of the criteria: what came across,
// and what would make it stronger, the weakest first. About a stage it names the stage.
func (s *sheet) feedback(e Evaluation) string {
	if !s.item.answers() {
		return feedback(s.item, e)
	}
	w := prompts.In(shipped().words, s.item.Locale)
	shown, advice := s.advice()
	var out []string
	if len(shown) > 0 {
		out = append(out, strings.ReplaceAll(w.Answer.Shown, "{shown}", strings.Join(shown, w.Answer.Also)))
	}
	if len(advice) > 0 {
		out = append(out, strings.ReplaceAll(w.Answer.Better, "{advice}", strings.Join(advice, w.Answer.Also)))
	}
	if e.Status == StatusNotAssessed || len(out) == 0 {
		return w.ofAnswer(e)
	}
	return strings.Join(out, w.Answer.Join)
}

// advice collects the words of the criteria: those that came across, and those with room.
func (s *sheet) advice() (shown, advice []string) {
	language := s.item.language()
	var open []*RubricCriterion
	for i := range s.rubric.Criteria {
		c := &s.rubric.Criteria[i]
		switch {
		case s.byRules && s.marks[c.ID].Status != StatusOK: // rules see too little to say that it is missing
		case s.room(c):
			open = append(open, c)
		case c.Shown[language] != "":
			shown = append(shown, c.Shown[language])
		}
	}
	// What a judge did not find at all is first, then the lowest levels.
	slices.SortStableFunc(open, func(a, b *RubricCriterion) int { return cmp.Compare(s.marks[a.ID].Norm, s.marks[b.ID].Norm) })
	for _, c := range open {
		text := c.Advice[language]
		if further := c.Further[language]; further != "" && s.half(c) {
			text = further
		}
		if text != "" && len(advice) < mostAdvice {
			advice = append(advice, text)
		}
	}
	return shown, advice
}

// room reports whether an answer can do better in a criterion. Where rules know no
// higher level, they have no ground to ask for more.
func (s *sheet) room(c *RubricCriterion) bool {
	m := s.marks[c.ID]
	if m.Status != StatusOK {
		return true
	}
	if s.byRules && s.half(c) && m.Level >= c.top() {
		return false
	}
	return !s.item.Passes(m.Norm)
}

// half reports whether a criterion was met half way.
func (s *sheet) half(c *RubricCriterion) bool {
	m := s.marks[c.ID]
	return m.Status == StatusOK && 2*m.Norm >= 1
}
