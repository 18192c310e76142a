package registry_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// R004-2, RX-8: the two-stage evaluator is registered beside the plain classification evaluator and all others, and each holds
// the common interfaces.
func TestRegistered(t *testing.T) {
	want := []string{"checklist", "classification", "composite", "keyword_coverage", "llm_rubric", "two_stage"}
	if diff := cmp.Diff(want, registry.Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range registry.Names() {
		e, j := registry.Rules(name), registry.Judge(name)
		if e == nil && j == nil || e != nil && e.Name() != name || j != nil && j.Name() != name {
			t.Errorf("%s: rules %v, judge %v", name, e, j)
		}
	}
	for _, name := range []string{"three_stage", "provider", ""} {
		if registry.Rules(name) != nil || registry.Judge(name) != nil {
			t.Errorf("%q was found", name)
		}
	}
}

// Rubrics are told by evaluator.
func TestRubrics(t *testing.T) {
	for by, want := range map[string][]string{
		"llm_rubric": evaluate.RubricIDs(), "checklist": evaluate.RubricIDs(), "two_stage": {"two_stage"}, "composite": {"composite"}, "classification": nil,
	} {
		if diff := cmp.Diff(want, registry.Rubrics(by)); diff != "" {
			t.Errorf("%s: %s", by, diff)
		}
	}
}
