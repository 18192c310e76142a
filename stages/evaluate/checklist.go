package evaluate

import (
	"slices"
	"strings"
)

// checklist judges whether points were made: by rules, with the rules of the rubric, or by a model with its anchors. By
// rules it can tell that something was said, and that it was said with substance; it says so with a low confidence.
type checklist struct{ rubricJudge }

var (
	_ Evaluator = checklist{}
	_ Judge     = checklist{}
)

// Name implements Evaluator and Judge.
func (checklist) Name() string { return Checklist }

// byRules is the confidence in a level that was found by a pattern.
const byRules = 0.4

// Evaluate implements Evaluator. A point that was not made counts as the lowest level if it was probed or declined, and
// as not assessed if nobody asked. Items with criteria of their own, and no rubric, are judged by those.
func (c checklist) Evaluate(it Item) (Evaluation, error) {
	r, err := c.rubric(it)
	if err != nil {
		return Evaluation{}, err
	}
	turns, instructed := Screen(it.counted())
	s := newSheet(it, r, turns)
	s.byRules = true
	for i := range r.Criteria {
		s.judge(&r.Criteria[i])
	}
	e := s.evaluation(c.rubricJudge)
	e.Confidence = byRules
	if instructed {
		e.flag(FlagInstructs)
	}
	return Sanitize(e), nil
}

// judge marks one criterion by its rules.
func (s *sheet) judge(c *RubricCriterion) {
	scale := s.rubric.Scale
	if c.forms != nil {
		s.judgeWords(c)
		return
	}
	for _, rule := range c.Rules {
		if quote, holds := s.shown(rule); holds {
			s.mark(c.ID, &rule.Level, []Quote{quote})
			return
		}
	}
	if s.asked(c.ID) {
		s.settle(c.ID, scale.Min)
	}
}

// judgeWords marks a criterion that is a keyword: said or not. Where nothing was said at all it is not assessed.
func (s *sheet) judgeWords(c *RubricCriterion) {
	if len(s.turns) == 0 {
		return
	}
	it := s.item
	say, not := forms(*c.forms, it.language())
	texts := make([]text, len(s.turns))
	for i, t := range s.turns {
		texts[i] = text{t, tokens(t.Content)}
	}
	at, found := find(texts, say, not)
	if !found {
		s.settle(c.ID, s.rubric.Scale.Min)
		return
	}
	t, level := texts[at.text], s.rubric.Scale.Max
	s.mark(c.ID, &level, []Quote{around(t.Turn, t.tokens[at.from].start, t.tokens[at.to-1].end)})
}

// asked reports whether the candidate was probed for a criterion, or declined to speak of it.
func (s *sheet) asked(id string) bool {
	for _, name := range []string{"probed", "declined"} {
		list := strings.FieldsFunc(s.item.Vars[name], func(r rune) bool { return r == ',' || r == ' ' })
		if slices.Contains(list, id) {
			return true
		}
	}
	return false
}
