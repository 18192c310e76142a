package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kgFile writes a file of the graph.
func kgFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// R002-12, R002-13: patterns on the command line bind variables.
func TestKGQuery(t *testing.T) {
	o := viva(t, nobody(), "kg", "query", "focus_skill", "hr", "$skill")
	o.wants(t, 0)
	if o.out != "communication\nteamwork\nself_awareness\nmotivation\nintegrity\n" {
		t.Errorf("got %q", o.out)
	}
	o = viva(t, nobody(), "kg", "query", "persona_priority", "hr", "$topic", "$weight")
	if !strings.HasPrefix(o.out, "motivation\t1\nteamwork\t0.9\n") {
		t.Errorf("got %q", o.out)
	}
	viva(t, nobody(), "kg", "query", "focus_skill", "hr", "teamwork").wants(t, 0, "yes")
	viva(t, nobody(), "kg", "query", "focus_skill", "hr", "juggling").wants(t, 0, "no")
	viva(t, nobody(), "kg", "query").wants(t, 0, "role_requirement role requirement")
	viva(t, nobody(), "kg").wants(t, 0, "query", "check")
	own := kgFile(t, "own.yaml", "facts: {focus_skill: [[pirate, navigation]]}\n")
	viva(t, nobody(), "kg", "query", "--knowledge", filepath.Dir(own), "focus_skill", "pirate", "$x").wants(t, 0, "navigation")
}

func TestKGQueryThatMakesNoSense(t *testing.T) {
	viva(t, nobody(), "kg", "query", "focus_skill", "hr").wants(t, exitUsage, "focus_skill takes 2 arguments (persona, skill), not 1")
	viva(t, nobody(), "kg", "query", "likes", "$x").wants(t, exitUsage, `there is no predicate "likes"`, "focus_skill")
	viva(t, nobody(), "kg", "query", "--knowledge", "/nowhere", "likes").wants(t, exitFailure, "--knowledge", "no folder")
	viva(t, nobody(), "kg", "ask").wants(t, exitUsage, `there is no command "ask"`)
	viva(t, nobody(), "kg", "query", "--colour").wants(t, exitUsage, "viva kg query --help")
}

// R002-19: facts of the wrong arity are refused, all problems at once with their places.
func TestKGCheck(t *testing.T) {
	good := kgFile(t, "good.yaml", "facts:\n  role_requirement: [[ship_cook, knives]]\n")
	viva(t, nobody(), "kg", "check", good).wants(t, 0, "good", "9 roles")
	bad := kgFile(t, "bad.yaml", "facts:\n  focus_skill:\n    - [hr]\n  likes: [[a, b]]\n")
	viva(t, nobody(), "kg", "check", good, bad).wants(t, exitFailure, "bad.yaml:3:7: facts.focus_skill[0]: focus_skill takes 2 arguments", "bad.yaml:4:11")
	viva(t, nobody(), "kg", "check").wants(t, exitUsage, "name the files")
	viva(t, nobody(), "kg", "check", "facts.txt").wants(t, exitFailure, "*.yaml")
	viva(t, nobody(), "kg", "check", good, kgFile(t, "good.yaml", "facts: {}\n")).wants(t, exitFailure, "have the same name")
	viva(t, nobody(), "kg", "check", "/nowhere/x.yaml").wants(t, exitFailure, "/nowhere/x.yaml")
}
