package definition_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/kinds"
)

func TestShippedKindsHaveNoProblem(t *testing.T) {
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"two_stage", "conversation"} {
		if defs[kind] == nil {
			t.Errorf("kind %s is not shipped", kind)
		}
	}
}

// R001-84, R001-85, R001-87, R001-89: the recommended values stand in the data, not in code.
func TestTwoStageLimits(t *testing.T) {
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	intro, exp := defs["two_stage"].Stages[0], defs["two_stage"].Stages[1]
	got := fmt.Sprint(intro.Limits.Hard.Std(), intro.Limits.Grace.Std(), intro.NoInput[0].After.Std(), intro.NoInput[1].After.Std(), intro.Limits.Think.Std(),
		exp.Limits.Hard.Std(), exp.Limits.FollowUps, exp.Limits.TurnTime.Std(), exp.Limits.TurnWords)
	if want := "1m30s 10s 10s 20s 30s 5m0s 2 1m30s 220"; got != want {
		t.Errorf("limits: %s, want %s", got, want)
	}
}

const fiveErrors = `kind: Broken Kind
title: x
locales: [en]
stages:
  - id: ONE
    prompt: {open: a}
    limits: {hard: soon}
    done: {turns: many}
    no_input: [{after: 10s, do: shout}]
  - id: ONE
    prompts: {open: b}
`

func TestAllProblemsAtOnceWithLineAndColumn(t *testing.T) {
	_, err := definition.Parse("broken.yaml", []byte(fiveErrors))
	var bad *datafile.Error
	if !errors.As(err, &bad) {
		t.Fatalf("got %v, want *datafile.Error", err)
	}
	for _, want := range []string{
		"1:1: kind: \"Broken Kind\" must be a lower-case name",
		"6:5: stages[0].prompt: unknown key \"prompt\"; did you mean \"prompts\"?",
		"7:14: stages[0].limits.hard: \"soon\" is not a time span",
		"8:12: stages[0].done.turns: many is not a whole number",
		"9:29: stages[0].no_input[0].do: unknown move \"shout\": there are reprompt, simplify, advance",
		"stages[1].id: stage id \"ONE\" is used twice",
		"must be final: true",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in:\n%v", want, err)
		}
	}
}

func TestGarbageIsAnErrorNotAPanic(t *testing.T) {
	for _, text := range []string{"", "\x00\x01", "[]", "a: [", "- 1\n- 2", "kind: {a: b}", "stages: 7", "---\na: 1\n---\nb: 2", strings.Repeat("a", datafile.MaxBytes+1)} {
		if _, err := definition.Parse("g.yaml", []byte(text)); err == nil {
			t.Errorf("Parse(%.20q) found nothing wrong", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(fiveErrors))
	if text, err := os.ReadFile("../kinds/two_stage.yaml"); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := definition.Parse("f.yaml", text)
		if (d == nil) == (err == nil) {
			t.Fatal("a definition or an error, never both or neither")
		}
	})
}

func TestBadFileLosesNothing(t *testing.T) {
	good, err := os.ReadFile("../kinds/conversation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defs, err := definition.LoadAll(fstest.MapFS{
		"good.yaml": {Data: good}, "bad.yaml": {Data: []byte(fiveErrors)},
	})
	if err == nil || defs["conversation"] == nil {
		t.Errorf("got %v, %v; want the good one and the problems of the bad one", defs, err)
	}
}

func TestHashFollowsTheText(t *testing.T) {
	text, err := os.ReadFile("../kinds/conversation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a, errA := definition.Parse("a", text)
	b, errB := definition.Parse("b", append(text, "# more\n"...))
	if errA != nil || errB != nil || a.Hash() == b.Hash() || len(a.Hash()) != 16 {
		t.Errorf("hashes %q %q (%v, %v)", a.Hash(), b.Hash(), errA, errB)
	}
}

// A listening signal may be given unless the stage, or else the interview, says otherwise.
func TestSignals(t *testing.T) {
	no, yes := false, true
	for _, c := range []struct {
		interview, stage *bool
		want             bool
	}{
		{nil, nil, true}, {&no, nil, false}, {nil, &no, false}, {&no, &yes, true}, {&yes, &no, false}, {&yes, nil, true},
	} {
		d := definition.Definition{ListeningSignal: c.interview, Stages: []definition.Stage{{ID: "A"}, {ID: "B", ListeningSignal: c.stage}}}
		if got := d.Signals("B"); got != c.want || d.Signals("C") {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
