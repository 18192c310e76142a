package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// ByReading is who judged where readings of the talk itself are what is judged by.
const ByReading = "reading"

// byReadings judges a part by what readings found covered in it, each with a quote that was said. What nobody spoke of is not held against
// anybody: it is not assessed. It reports false where no model led the part.
func (s phases) byReadings(st *definition.Stage, v *state.StageVisit) (evaluate.Evaluation, bool) {
	if !s.u.Model || v.Missed >= missedLeads {
		return evaluate.Evaluation{}, false
	}
	e := evaluate.Evaluation{Status: evaluate.StatusNotAssessed, Decision: evaluate.DecisionContinue, Max: 10, By: ByReading}
	levels := s.levels(v)
	if len(levels) == 0 {
		return e, true
	}
	sum := 0
	for _, k := range s.criteria(st) {
		c, touched := levels[k.Phrase]
		if !touched {
			continue
		}
		sum += c.Level
		e.Evidence = append(e.Evidence, evaluate.Quote{Turn: c.Turn, Text: c.Quote})
		if c.Level == 1 {
			e.Gaps = append(e.Gaps, k.Phrase)
		} else {
			e.Hits = append(e.Hits, k.Phrase)
		}
	}
	if len(e.Evidence) == 0 {
		return e, true
	}
	e.Status = evaluate.StatusOK
	e.Norm = float64(sum) / float64(3*len(e.Evidence))
	e.Score = e.Norm * e.Max
	if len(e.Hits) > 0 {
		e.Decision = evaluate.DecisionNext
	}
	return e, true
}

// levels is the best that readings found of each criterion in a visit's part.
func (s phases) levels(v *state.StageVisit) map[string]state.Cover {
	out := make(map[string]state.Cover)
	for _, c := range s.u.Covered {
		if c.Stage == v.Stage && c.Part == v.Item && c.Level >= out[c.Criterion].Level {
			out[c.Criterion] = c
		}
	}
	return out
}

// met reports whether something that counts in the visit's part was met soundly.
func (s *situation) met(v *state.StageVisit) bool {
	return slices.ContainsFunc(s.u.Covered, func(c state.Cover) bool { return c.Stage == v.Stage && c.Part == v.Item && c.Level >= 2 })
}
