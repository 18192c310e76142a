package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/problem"
)

// RM-6, RM-19: an interview whose problems cannot be answered about is not good. All that their sheets lack is told at once, with
// the file and the problem.
func TestValidateTellsWhatAProblemLacks(t *testing.T) {
	setting(t)
	dir := t.TempDir()
	kind, err := os.ReadFile("../../stages/kinds/algorithm_coach.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "algorithm_coach.yaml")
	folder := filepath.Join(dir, "problems", "algorithm")
	if err := errors.Join(os.WriteFile(file, kind, 0o600), os.MkdirAll(folder, 0o750)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"gift_pair", "lamp_watch"} {
		text, err := fs.ReadFile(problem.Shipped(), "algorithm/"+id+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		bare := without(t, string(text), "facts:", "approaches:")
		bare = without(t, bare, "wrong:", "hints:")
		bare = without(t, bare, "edge_cases:", "follow_ups:")
		if err := os.WriteFile(filepath.Join(folder, id+".yaml"), []byte(bare), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	viva(t, nobody(), "validate", file).wants(t, exitFailure, "algorithm/gift_pair.yaml", "algorithm/lamp_watch.yaml",
		"problem gift_pair has no bounds", "problem gift_pair needs at least 2 worked examples", "problem gift_pair has no wrong approach",
		"problem gift_pair needs at least 3 edge cases", "problem lamp_watch has no bounds")
}

// without takes the lines from one key up to another away.
func without(t *testing.T, text, from, to string) string {
	t.Helper()
	before, rest, found := strings.Cut(text, "\n"+from+"\n")
	_, after, ends := strings.Cut(rest, "\n"+to+"\n")
	if !found || !ends {
		t.Fatalf("no %s … %s", from, to)
	}
	return before + "\n" + to + "\n" + after
}
