package evaluate

import (
	"maps"
	"slices"
)

// Names of the built-in judges. What a definition may name besides is "provider": the company's own judgement.
const (
	LLMRubric = "llm_rubric"
	Checklist = "checklist"
)

// Names lists the built-in evaluators and judges, for checks.
func Names() []string { return []string{Checklist, KeywordCoverage, LLMRubric} }

// RubricIDs lists the rubrics that come with Viva, for checks.
func RubricIDs() []string { return slices.Sorted(maps.Keys(shipped().rubrics)) }

// Lookup returns the built-in of this name. It is an Evaluator (rules), a Judge (a model), or both: then the judge is for
// interviews with a model.
func Lookup(name string) (any, bool) {
	switch name {
	case LLMRubric:
		return rubricJudge{name}, true
	case Checklist:
		return checklist{rubricJudge{name}}, true
	case KeywordCoverage:
		return keywords{}, true
	}
	return nil, false
}
