package scenario_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/stages/datafile"
)

// Each text is what stands below one scenario with a label; each finding begins with its line, as the scenario begins in 2.
func TestEveryProblemOfAScenario(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "2:5: scenarios[0]: say who the candidate is",
		"intsructions: x":            `3:5: scenarios[0].intsructions: unknown key "intsructions"; did you mean "instructions"?`,
		"instructions: [x]":          "one value belongs here, not a list",
		"agent_expectations: {a: b}": "a text or a list of texts belongs here, not a block of keys",
		"tags: smoke":                "a block of keys, or a list of them, belongs here, not the value smoke",
		"userdata: [a]":              "a block of keys belongs here, not a list",
		"interview: Two Stage":       `3:5: scenarios[0].interview: "Two Stage" is not the kind of an interview`,
		"locale: English":            `"English" is not a language`,
		"metadata: {interview: A}":   `3:16: scenarios[0].metadata.interview: "A" is not the kind`,
		"metadata: {locale: A}":      `"A" is not a language`,
		"metadata: {resume: x}":      "belongs in materials: {resume: …}",
		"metadata: {candidat: x}":    `did you mean "candidate"?`,
		"metadata: {candidate: {name: " + strings.Repeat("x", 81) + "}}": "candidate.name has more than 80 characters",
		"interview: a\n    metadata: {interview: b}":                     `4:16: scenarios[0].metadata.interview: it is "b" here and "a" in the scenario itself`,
		"turns: 0":                          "3:5: scenarios[0].turns: 0 must lie between 1 and 1000",
		"turns: many":                       "many is not a whole number",
		"then: silent":                      "there are no lines",
		"lines: [a]\n    then: stay":        `4:5: scenarios[0].then: "stay" is neither leave nor silent`,
		"lines: a":                          "a list belongs here",
		"lines: [[a]]":                      "3:13: scenarios[0].lines[0]: what the candidate says, or a block of keys such as {say: \"Five.\", wait: 2s}, belongs here, not a list",
		"lines: [{sya: a}]":                 `did you mean "say"?`,
		"lines: [{when: a}]":                "3:13: scenarios[0].lines[0]: the candidate does nothing here",
		"lines: ['  ']":                     "the candidate does nothing here",
		"lines: [{say: a, typed: b}]":       "cannot do all of say, typed at once",
		"lines: [{say: a, wait: soon}]":     `"soon" is not a time span`,
		"lines: [{say: a, wait: -1s}]":      "-1s must be more than 0 and at most 1h0m0s",
		"lines: [{silent: 0s}]":             "0s must be more than 0",
		"lines: [{away: 2h}]":               "2h0m0s must be more than 0 and at most",
		"lines: [{when: '(', say: a}]":      `3:14: scenarios[0].lines[0].when: "(" is not a regular expression (missing closing ): ` + "`(?i)(`)",
		"lines: [{say: a, after: 1s}]":      "nothing is said in interrupt",
		"lines: [{interrupt: a, wait: 1s}]": "who interrupts does not wait",
		"lines: [{silent: 3s, wait: 1s}]":   "it adds to silent",
		"lines: [{say: a, language: go}]":   "it names the language of code",
		"lines: [{away: 3s, leave: true}]":  "who is away neither writes code nor leaves",
		"lines: [{leave: true}, a]":         "3:28: scenarios[0].lines[1]: the candidate has left before",
		"lines: [{leave: maybe}]":           "maybe is not true or false",
		"lines: [{when: " + strings.Repeat("x", 2001) + ", say: a}]": "the pattern has 2001 bytes",
	} {
		file := "scenarios:\n  - label: a\n"
		if text != "" {
			file += "    " + text + "\n"
		}
		_, err := scenario.Parse("x.yaml", []byte(file))
		var bad *datafile.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got\n%v\nwant\n%s", text, err, want)
		}
	}
}

func TestEveryProblemOfAFile(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "x.yaml: this is not a YAML document",
		"name: a\n":                 "x.yaml:1:1: scenarios: list at least one scenario",
		"scenarios: []\n":           "x.yaml:1:1: scenarios: list at least one scenario",
		"scenarios: [\n":            "x.yaml:1:12: this is not YAML: ",
		"a: 1\n---\nb: 1\n":         "the file holds 2 documents",
		"scenario: []\n":            `did you mean "scenarios"?`,
		"interview: 'a b'\n":        `x.yaml:1:1: interview: "a b" is not the kind`,
		"locale: e\n":               `"e" is not a language`,
		"scenarios: [{}]\n":         "give the scenario a label",
		"scenarios: [{label: '!'}]": `"!" has no letter or digit`,
		"scenarios: [{label: A b}, {label: a-B}]":                  "x.yaml:1:28: scenarios[1].label: scenarios[0] has the same name, a-b",
		"scenarios: [" + strings.Repeat("{label: a}, ", 501) + "]": "there are 501 scenarios; at most 500",
		"scenarios: [a]\n":                         "a block of keys belongs here, not the value a",
		"scenarios:\n  - label: a\n    label: b\n": "label",
	} {
		if _, err := scenario.Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got\n%v\nwant\n%s", text, err, want)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := scenario.Parse("x.yaml", []byte("nam: a\nscenarios:\n  - label: a\n    turns: 0\n  - labl: b\n    lines: [{say: a, typed: b}, {wait: x}]\n"))
	if n := len(strings.Split(fmt.Sprint(err), "\n")); n != 8 {
		t.Errorf("%d problems:\n%v", n, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		hotel, ours, "", "scenarios: [a]", "scenarios:\n  - label: a\n    lines: [&a {say: x}, *a]\n", "a: &a [*a]", "{{{{", "\x00", "scenarios: *x",
		"scenarios:\n  - <<: {label: a}\n    instructions: b\n", "scenarios:\n  - label: !!int a\n    userdata: {.inf: .nan, 1: [null]}\n    instructions: ~\n",
		"scenarios:\n  - label: a\n    instructions: 'x\n", "? a\n: b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := scenario.Parse("f.yaml", text)
		if (file == nil) == (err == nil) {
			t.Fatal("a file or an error, never both or neither")
		}
		if err != nil {
			return
		}
		ids := make(map[string]bool)
		for _, s := range file {
			if ids[s.ID] || s.Label == "" || s.Turns < 1 || s.Instructions == "" && len(s.Lines) == 0 {
				t.Fatalf("%+v", s)
			}
			ids[s.ID] = true
			script := s.Script()
			for range s.Lines {
				script.Next("Tell me about your team.")
			}
			if _, more := script.Next(""); more && !slices.ContainsFunc(s.Lines, func(l scenario.Line) bool { return l.When != nil }) {
				t.Fatal("the script does not go on")
			}
		}
	})
}
