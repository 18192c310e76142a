package main

import (
	"strings"
	"testing"
)

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
	viva(t, nobody(), "kg").wants(t, 0, "query")
}

func TestKGQueryThatMakesNoSense(t *testing.T) {
	viva(t, nobody(), "kg", "query", "focus_skill", "hr").wants(t, exitUsage, "focus_skill takes 2 arguments (persona, skill), not 1")
	viva(t, nobody(), "kg", "query", "likes", "$x").wants(t, exitUsage, `there is no predicate "likes"`, "focus_skill")
	viva(t, nobody(), "kg", "ask").wants(t, exitUsage, `there is no command "ask"`)
	viva(t, nobody(), "kg", "query", "--colour").wants(t, exitUsage, "viva kg query --help")
}
