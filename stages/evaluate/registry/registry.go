// Package registry knows every evaluator that a definition may name. It is of its own package, because package evaluate cannot
// import those that implement its interfaces.
//
// What it returns is read-only and may be shared between goroutines.
package registry

import (
	"maps"
	"slices"
	"sync"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/composite"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// known are the evaluators by name: each is an evaluate.Evaluator (rules), an evaluate.Judge (a model), or both (R004-2). They are
// made of files that come with Viva, which cannot change, and a test holds that these are sound.
var known = sync.OnceValue(func() map[string]any {
	stages, err := twostage.Default()
	if err != nil {
		panic(err) //nolint:forbidigo // as above
	}
	all := map[string]any{twostage.Name: stages, twostage.ClassificationName: twostage.Classification{Evaluator: stages}}
	for _, name := range evaluate.Names() {
		all[name], _ = evaluate.Lookup(name)
	}
	if all[composite.Name], err = composite.Shipped(func(name string) any { return all[name] }); err != nil {
		panic(err) //nolint:forbidigo // as above
	}
	return all
})

// Names lists all evaluators that a stage or an attachment can be judged by, in order. What a gate may name besides is
// "provider": the company's own judgement.
func Names() []string { return slices.Sorted(maps.Keys(known())) }

// Rules returns the evaluator of this name that judges by rules, or nil.
func Rules(name string) evaluate.Evaluator {
	rules, _ := known()[name].(evaluate.Evaluator)
	return rules
}

// Judge returns the evaluator of this name that judges by a model, or nil. One that has rules too is for interviews with a model.
func Judge(name string) evaluate.Judge {
	judge, _ := known()[name].(evaluate.Judge)
	return judge
}

// Rubrics lists the rubrics that an item may name for an evaluator, in order; none = it goes by no rubric.
func Rubrics(evaluator string) []string {
	switch evaluator {
	case evaluate.LLMRubric, evaluate.Checklist:
		return evaluate.RubricIDs()
	case twostage.Name, composite.Name:
		return []string{evaluator}
	}
	return nil
}
