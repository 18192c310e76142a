// Package registry knows every evaluator that a definition may name. It is of its own package, because package evaluate cannot
// import those that implement its interfaces.
//
// What it returns is read-only and may be shared between goroutines.
package registry

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/composite"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// Names lists all evaluators that a stage or an attachment can be judged by, in order. What a gate may name besides is
// "provider": the company's own judgement.
func Names() []string { return shipped().Names() }

// Lookup returns the evaluator of this name: an evaluate.Evaluator (rules), an evaluate.Judge (a model), or both: then the
// judge is for interviews with a model (R004-2).
func Lookup(name string) (any, bool) { return shipped().Lookup(name) }

// Rubrics lists the rubrics that an item may name for an evaluator, in order; none = it goes by no rubric.
func Rubrics(evaluator string) []string { return shipped().Rubrics(evaluator) }

// Registry is all evaluators, with the composites of some folders beside the shipped one.
type Registry struct {
	composite *composite.Composite
	twoStage  *twostage.Evaluator
}

// New makes a registry. Each file system holds composites as *.yaml. The error lists what is wrong with all files.
func New(composites ...fs.FS) (*Registry, error) {
	two, err := twostage.Default()
	if err != nil {
		return nil, err
	}
	r := &Registry{twoStage: two}
	r.composite, err = composite.Load(composite.World{Find: r.plain, Names: plain(), Rubrics: r.Rubrics}, composites...)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// shipped is the registry of what comes with Viva; that cannot change, and a test holds that it is sound.
var shipped = sync.OnceValue(func() *Registry {
	r, err := New()
	if err != nil {
		panic(err) //nolint:forbidigo // as above
	}
	return r
})

// Names lists all evaluators in order.
func (*Registry) Names() []string {
	names := append(plain(), composite.Name)
	slices.Sort(names)
	return names
}

// plain lists those that are made of no others.
func plain() []string {
	names := append(evaluate.Names(), twostage.ClassificationName, twostage.Name)
	slices.Sort(names)
	return names
}

// Lookup returns the evaluator of this name, as the function does.
func (r *Registry) Lookup(name string) (any, bool) {
	if name == composite.Name {
		return r.composite, true
	}
	return r.plain(name)
}

func (r *Registry) plain(name string) (any, bool) {
	switch name {
	case twostage.Name:
		return r.twoStage, true
	case twostage.ClassificationName:
		return twostage.NewClassification(r.twoStage), true
	}
	return evaluate.Lookup(name)
}

// Rubrics lists the rubrics for an evaluator, as the function does.
func (r *Registry) Rubrics(evaluator string) []string {
	switch evaluator {
	case evaluate.LLMRubric, evaluate.Checklist:
		return evaluate.RubricIDs()
	case twostage.Name:
		return []string{twostage.Name}
	case composite.Name:
		return r.composite.RubricIDs()
	}
	return nil
}
