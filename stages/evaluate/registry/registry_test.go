package registry_test

import (
	"slices"
	"testing"
	"testing/fstest"

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
		x, found := registry.Lookup(name)
		e, rules := x.(evaluate.Evaluator)
		j, judge := x.(evaluate.Judge)
		if !found || !rules && !judge || rules && e.Name() != name || judge && j.Name() != name {
			t.Errorf("%s: found %v, rules %v, judge %v", name, found, rules, judge)
		}
	}
	for _, name := range []string{"three_stage", "provider", ""} {
		if _, found := registry.Lookup(name); found {
			t.Errorf("%q was found", name)
		}
	}
}

// Rubrics are told by evaluator; a folder adds composites, and one that cannot be used is an error.
func TestRubrics(t *testing.T) {
	for by, want := range map[string][]string{
		"llm_rubric": evaluate.RubricIDs(), "checklist": evaluate.RubricIDs(), "two_stage": {"two_stage"}, "composite": {"composite"}, "classification": nil,
	} {
		if diff := cmp.Diff(want, registry.Rubrics(by)); diff != "" {
			t.Errorf("%s: %s", by, diff)
		}
	}
	mine := "evaluator: composite\nrubric: mine\nversion: \"1\"\nparts:\n  - {id: a, name: {en: a}, by: checklist}\n  - {id: b, name: {en: b}, by: two_stage}\n"
	r, err := registry.New(fstest.MapFS{"mine.yaml": {Data: []byte(mine)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Rubrics("composite"); !slices.Equal(got, []string{"composite", "mine"}) {
		t.Errorf("composites are %v", got)
	}
	if _, err := registry.New(fstest.MapFS{"mine.yaml": {Data: []byte(mine + "  - {id: c, name: {en: c}, by: composite}\n")}}); err == nil {
		t.Error("a composite of composites is accepted")
	}
}
