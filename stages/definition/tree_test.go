package definition_test

import (
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
)

const treeYAML = `
kind: tree
title: Tree
locales: [en]
stages:
  - {id: A, prompts: {open: a}, done: {turns: 1}, limits: {hard: 60s}}
  - id: outer
    title: Outer
    limits: {hard: 10m}
    stages:
      - {id: B, prompts: {open: b}, done: {turns: 1}, limits: {hard: 60s}}
      - id: inner
        title: Inner
        stages:
          - {id: C, prompts: {open: c}, done: {turns: 1}, limits: {hard: 60s}, hints: [h], support: s, fallback: f, no_answer: n}
  - {id: D, final: true, prompts: {open: d}}
`

// What is written stays as it is, and its leaves are the stages, each with the groups it lies in.
func TestTreeIsFlattened(t *testing.T) {
	d, err := definition.Parse("tree.yaml", []byte(treeYAML))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Tree) != 3 || len(d.Tree[1].Stages) != 2 || len(d.Stages) != 4 {
		t.Fatalf("%d in the tree, %d leaves", len(d.Tree), len(d.Stages))
	}
	for i, want := range []struct {
		id, top string
		within  []string
	}{{"A", "A", nil}, {"B", "outer", []string{"outer"}}, {"C", "outer", []string{"outer", "inner"}}, {"D", "D", nil}} {
		s := &d.Stages[i]
		if s.ID != want.id || s.Top() != want.top || !slices.Equal(s.Within(), want.within) {
			t.Errorf("%s: %q, %v", s.ID, s.Top(), s.Within())
		}
	}
	groups := d.Groups()
	if len(groups) != 2 || groups[0].ID != "outer" || groups[1].ID != "inner" || d.GroupByID("inner") == nil || d.GroupByID("A") != nil {
		t.Errorf("groups %v", groups)
	}
	if want := []string{"a", "b", "c", "h", "s", "f", "n", "d"}; !slices.Equal(d.PromptIDs(), want) {
		t.Errorf("prompts %v", d.PromptIDs())
	}
}
