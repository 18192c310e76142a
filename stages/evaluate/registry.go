package evaluate

import "slices"

// Names of the built-in judges. What a definition may name besides is "provider": the company's own judgement.
const (
	LLMRubric = "llm_rubric"
	Checklist = "checklist"
)

// Names lists the built-in evaluators and judges, for checks.
func Names() []string { return []string{Checklist, KeywordCoverage, LLMRubric} }

// RubricIDs lists the rubrics that come with Viva, for checks.
func RubricIDs() []string { return shipped().rubrics.IDs() }

// Lookup returns the built-in of this name with the shipped rubrics. It is an Evaluator (rules), a Judge (a model), or
// both: then the judge is for interviews with a model.
func Lookup(name string) (any, bool) { return LookupWith(shipped().rubrics, name) }

// LookupWith is Lookup with other rubrics.
func LookupWith(rubrics Rubrics, name string) (any, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	words := keywords{shipped().wording}
	judge := rubricJudge{name: name, rubrics: rubrics, wording: words.wording}
	switch name {
	case LLMRubric:
		return judge, true
	case Checklist:
		return checklist{judge, words}, true
	}
	return words, true
}
