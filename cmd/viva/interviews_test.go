package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/simulate"
)

func TestBadCommandsAboutInterviews(t *testing.T) {
	setting(t)
	tests := []struct {
		name  string
		args  []string
		code  int
		wants []string
	}{
		{"nothing to simulate", []string{"simulate"}, exitUsage, []string{"name the interview to simulate: viva simulate FILE|KIND"}},
		{"two to simulate", []string{"simulate", "two_stage", "conversation"}, exitUsage, []string{"viva simulate --help"}},
		{"no such kind", []string{"simulate", "chess"}, exitFailure, []string{`"chess"`, "conversation", "two_stage"}},
		{"no such file", []string{"simulate", "none.yaml"}, exitFailure, []string{"none.yaml", "no such file"}},
		{"a broken file", []string{"simulate", "testdata/interviews/five_errors.yaml"}, exitFailure, []string{"five_errors.yaml:1:1: kind", "five_errors.yaml:12:22"}},
		{"no such language", []string{"simulate", "two_stage", "--locale", "fi"}, exitFailure, []string{"two_stage", `"fi"`}},
		{"no such language in a file", []string{"simulate", "../../stages/kinds/two_stage.yaml", "--locale", "fi"}, exitFailure, []string{"has the languages en, not fi", "--locale"}},
		{"no such candidate", []string{"simulate", "two_stage", "--candidate", "polite"}, exitFailure, []string{`"polite"`, "strong, weak, silent, rambling, hostile, mixed-language"}},
		{"no runs", []string{"simulate", "two_stage", "--runs", "0"}, exitFailure, []string{"--runs: 0 is not between 1 and"}},
		{"many traces", []string{"simulate", "two_stage", "--runs", "2", "--trace", "x"}, exitFailure, []string{"--trace records one interview"}},
		{"no such problem", []string{"simulate", "algorithm_coach", "--problem", "x"}, exitFailure, []string{`no problem "x"`, "gift_pair"}},
		{"a problem for none", []string{"simulate", "two_stage", "--problem", "x"}, exitFailure, []string{"two_stage has no problem to choose"}},
		{"no such company", []string{"simulate", "system_design", "--company", "x"}, exitFailure, []string{`no company "x"`, "default"}},
		{"a company for none", []string{"simulate", "two_stage", "--company", "x"}, exitFailure, []string{"two_stage has no company to choose"}},
		{"nothing to replay", []string{"replay"}, exitUsage, []string{"to replay: viva replay SESSION|JOURNAL"}},
		{"no such journal", []string{"replay", "none.jsonl"}, exitFailure, []string{"none.jsonl", "no such file"}},
		{"nothing to explain", []string{"explain"}, exitUsage, []string{"viva explain FILE|KIND"}},
		{"no such kind to explain", []string{"explain", "chess"}, exitFailure, []string{`"chess"`}},
		{"a place for no drawing", []string{"explain", "two_stage", "--svg", "none/x.svg"}, exitFailure, []string{"--svg", "none/x.svg"}},
		{"an argument for the schema", []string{"schema", "x"}, exitUsage, []string{`"x" is not expected here`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { viva(t, nobody(), test.args...).wants(t, test.code, test.wants...) })
	}
}

func TestExplain(t *testing.T) {
	setting(t)
	drawing := filepath.Join(t.TempDir(), "stages.svg")
	viva(t, nobody(), "explain", "../../stages/kinds/two_stage.yaml", "--svg", drawing).wants(t, 0, "flowchart", "SELF_INTRO", "PAST_EXPERIENCE", "1m30s")
	svg, err := os.ReadFile(drawing)
	if err != nil || !strings.Contains(string(svg), "<svg") || !strings.Contains(string(svg), "SELF_INTRO") {
		t.Errorf("%v: %.80s", err, svg)
	}
	viva(t, nobody(), "explain", "system_design").wants(t, 0, "flowchart", "closing")
	// RM-8: what its interviewer can be asked, in each of its languages.
	viva(t, nobody(), "explain", "--facts", "system_design").wants(t, 0, "en:", "what_are_you", "computer program", "zh:", "录音", "it's practice")
}

func TestSchema(t *testing.T) {
	setting(t)
	o := viva(t, nobody(), "schema")
	want, err := definition.Schema()
	if err != nil || o.code != 0 || o.out != string(want) || !json.Valid([]byte(o.out)) {
		t.Errorf("%v, exit code %d, %d bytes", err, o.code, len(o.out))
	}
}

// RX-11: a whole interview from the command line, without keys and network: transcript, scorecard, and that all is well.
func TestSimulateOne(t *testing.T) {
	setting(t)
	o := viva(t, nobody(), "simulate", "algorithm_coach", "--seed", "3", "--problem", "gift_pair", "--name", "Ada")
	o.wants(t, 0, "-- PROBLEM_CLARIFICATION", "interviewer", "candidate", "gift card", "LEFT AS", "EDGE_CASE_CHECK", "ended as done", "every invariant held")
	again := viva(t, nobody(), "simulate", "algorithm_coach", "--seed", "3", "--problem", "gift_pair", "--name", "Ada")
	if o.out != again.out {
		t.Error("the same seed gave another interview")
	}
	viva(t, nobody(), "simulate", "../../stages/kinds/algorithm_coach.yaml", "--locale", "zh", "--candidate", "weak").wants(t, 0, "algorithm_coach zh, candidate weak", "every invariant held")
}

// R003-100: as JSON the interview has its scorecard, stage by stage.
func TestSimulateJSON(t *testing.T) {
	setting(t)
	o := viva(t, nobody(), "simulate", "system_design", "--company", "short", "--json")
	var one struct {
		Kind, Ended string
		Transcript  []json.RawMessage
		Scorecard   []simulate.StageScore
		Violations  []simulate.Violation
	}
	if err := json.Unmarshal([]byte(o.out), &one); err != nil || one.Kind != "system_design" || one.Ended != "done" || len(one.Transcript) < 10 || len(one.Violations) != 0 {
		t.Fatalf("%v: %.400s", err, o.out)
	}
	judged := 0
	for _, s := range one.Scorecard {
		if s.Norm != nil {
			judged++
		}
	}
	if judged != 3 {
		t.Errorf("%d of 3 phases are judged: %+v", judged, one.Scorecard)
	}
	o = viva(t, nobody(), "simulate", "two_stage", "--runs", "5", "--candidate", "hostile", "--json", "--model")
	var many struct {
		Candidate string
		simulate.Summary
	}
	if err := json.Unmarshal([]byte(o.out), &many); err != nil || many.Runs != 5 || many.Candidate != "hostile" || len(many.Stages) != 2 {
		t.Errorf("%v: %.400s", err, o.out)
	}
}

func TestSimulateMany(t *testing.T) {
	setting(t)
	viva(t, nobody(), "simulate", "two_stage", "--runs", "3", "--candidate", "all").wants(t, 0,
		"strong: 3 interviews", "silent: 3 interviews", "mixed-language: 3 interviews", "median", "PAST_EXPERIENCE", "every invariant held")
}

// R003-98: the trace is written to the place that was named, whose folders are made at the start; one JSON object a step.
func TestSimulateTrace(t *testing.T) {
	setting(t)
	file := filepath.Join(t.TempDir(), "logs", "of", "today.jsonl")
	viva(t, nobody(), "simulate", "algorithm_coach", "--trace", file).wants(t, 0, "every invariant held")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, inspected := 0, false
	for line := range strings.Lines(string(text)) {
		var step struct {
			Seq   int
			Event string
			Facts []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(line), &step); err != nil || step.Event == "" {
			t.Fatalf("%v: %s", err, line)
		}
		if n++; step.Seq != n {
			t.Errorf("step %d stands in line %d", step.Seq, n)
		}
		for _, f := range step.Facts {
			inspected = inspected || f.Name == "inspection"
		}
	}
	if n < 20 || !inspected {
		t.Errorf("%d lines, inspected: %v", n, inspected)
	}
	blocked := filepath.Join(file, "x.jsonl")
	viva(t, nobody(), "simulate", "algorithm_coach", "--trace", blocked).wants(t, exitFailure, "--trace", "not a directory")
}

// RX-9, R003-20, R003-97: a journal is replayed: every turn with decision, reason and effects, the changes of the blackboard
// with their authors, and the state is the recorded one byte by byte; a journal or state that was touched is found out.
func TestReplay(t *testing.T) {
	setting(t)
	dir := filepath.Join(t.TempDir(), "journals")
	viva(t, nobody(), "simulate", "algorithm_coach", "--seed", "3", "--journal", dir).wants(t, 0)
	viva(t, nobody(), "simulate", "algorithm_coach", "--seed", "3", "--journal", dir).wants(t, exitFailure, "written there before")
	journal := filepath.Join(dir, "sim-algorithm_coach-en-strong-3.jsonl")
	recorded := strings.TrimSuffix(journal, ".jsonl") + ".state.json"

	viva(t, nobody(), "replay", journal).wants(t, 0, `turn {"text":`, "because handoff.done stage=PROBLEM_CLARIFICATION visit=1 reason=complete source=rule", "→ say move=bridge",
		"of identified_pattern by ProblemTypeRecognizer: nothing → ", "experts=[GuidedThoughtGenerator]", "identified pattern", "ended as done",
		"the state is that of "+recorded+", byte by byte")
	viva(t, nobody(), "replay", journal, "--all").wants(t, 0, "voice.started", "→ arm timer=deadline")
	o := viva(t, nobody(), "replay", journal, "--json")
	o.wants(t, 0, "byte by byte")
	for line := range strings.Lines(o.out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}

	text := read(t, recorded)
	write(t, recorded, strings.Replace(text, `"ended":"done"`, `"ended":"idle"`, 1))
	viva(t, nobody(), "replay", journal).wants(t, exitFailure, "the state differs", `ended: "idle", then "done"`)
	write(t, recorded, strings.Replace(text, `"def_hash":"`, `"def_hash":"0`, 1))
	viva(t, nobody(), "replay", journal).wants(t, exitFailure, "has changed since the journal was written", "--interview")
	write(t, recorded, "{")
	viva(t, nobody(), "replay", journal).wants(t, exitFailure, "is no recorded state")

	other := filepath.Join(t.TempDir(), "state.json")
	write(t, other, text)
	if err := os.Remove(recorded); err != nil {
		t.Fatal(err)
	}
	viva(t, nobody(), "replay", journal).wants(t, exitFailure, "pass --interview FILE|KIND")
	viva(t, nobody(), "replay", journal, "--interview", "algorithm_coach").wants(t, 0, "ended as done")
	viva(t, nobody(), "replay", journal, "--check", other).wants(t, 0, "byte by byte")
	viva(t, nobody(), "replay", journal, "--check", filepath.Join(dir, "none.json")).wants(t, exitFailure, "none.json", "no such file")

	lines := strings.SplitAfter(read(t, journal), "\n")
	write(t, journal, strings.Join(append(lines[:9:9], lines[10:]...), ""))
	viva(t, nobody(), "replay", journal, "--interview", "algorithm_coach").wants(t, exitFailure, "journal entry 10 has number 11")
	write(t, journal, "")
	viva(t, nobody(), "replay", journal, "--interview", "algorithm_coach").wants(t, exitFailure, "holds no event")
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
