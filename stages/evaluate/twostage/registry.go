package twostage

import (
	"slices"

	"github.com/vivavoice/viva/stages/evaluate"
)

// Names lists all evaluators that a stage can be judged by: those of package evaluate, and the two of this package beside
// them.
func Names() []string {
	names := append(evaluate.Names(), ClassificationName, Name)
	slices.Sort(names)
	return names
}

// Lookup returns the evaluator of this name: an evaluate.Evaluator, an evaluate.Judge, or both, as evaluate.Lookup does
// (R004-2). It is of its own package, because package evaluate cannot import those that implement its interfaces.
func Lookup(name string) (any, bool) {
	if name != Name && name != ClassificationName {
		return evaluate.Lookup(name)
	}
	e, err := Default()
	switch {
	case err != nil: // the shipped rubric cannot change, and a test holds that it is sound
		return nil, false
	case name == ClassificationName:
		return NewClassification(e), true
	}
	return e, true
}
