package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/batch"
)

const predictions = "input_text,prediction,groundtruth,construction\n" +
	"p,yes,True,<entities>a</entities><actions>b</actions><constraints>c</constraints>\n" +
	"p,,True,\n"

func inFolder(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// R004-59, R004-46, R004-65: the command judges a file, names what it could not judge with line and column, and prints
// the metrics of both stages.
func TestEvaluate(t *testing.T) {
	setting(t)
	dir := inFolder(t, map[string]string{"in.csv": predictions})
	in, out, summary := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv"), filepath.Join(dir, "summary.json")
	o := viva(t, nobody(), "evaluate", "--rubric", "two_stage", "--in", in, "--out", out, "--workers", "2", "--summary", summary)
	o.wants(t, 0, "rows          1 judged, 1 not", "construction  mean 0.750", "reasoning     mean 1.000", "accuracy      100.0 %",
		in+": line 3, column prediction: must not be empty")
	table, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(table), "Overall Score: 0.88 | Construction: 0.75") || strings.Count(string(table), "\n") != 3 {
		t.Errorf("%v\n%s", err, table)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	var s batch.Summary
	if err := json.Unmarshal(text, &s); err != nil || s.Rows != 2 || s.Failed != 1 || s.Overall.Mean != 0.875 {
		t.Errorf("%+v, %v", s, err)
	}
	viva(t, nobody(), "evaluate", "--in", in, "--out", out).wants(t, exitFailure, out, "pass --resume")

	if err := os.WriteFile(out, table[:len(table)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	viva(t, nobody(), "evaluate", "--in", in, "--out", out, "--resume").wants(t, 0, "rows          1 judged, 1 not")
	if again, err := os.ReadFile(out); err != nil || string(again) != string(table) {
		t.Errorf("the table that was cut is not whole again: %v\n%s", err, again)
	}
}

// R004-63: the rubric is a file as well; streams have no names that tell a format.
func TestEvaluateWithOwnRubric(t *testing.T) {
	setting(t)
	dir := inFolder(t, map[string]string{
		"mine.yaml": "evaluator: two_stage\nrubric: mine\nversion: \"2\"\nweights: {construction: 3, reasoning: 1}\n",
		"bad.yaml":  "evaluator: two_stage\nweights: {construction: -3, reasoning: 1}\n",
	})
	in := strings.NewReader(`{"input_text":"p","prediction":1,"groundtruth":"yes","construction":"<actions>a</actions>"}`)
	viva(t, in, "evaluate", "--rubric", filepath.Join(dir, "mine.yaml"), "--in", "-", "--out", "-", "--format", "jsonl", "--bare").wants(t, 0,
		`"overall_score":0.4375,"overall_correct":true,"two_stage_feedback":"Overall Score: 0.44`, "rubric        mine@2#")
	viva(t, nobody(), "evaluate", "--rubric", filepath.Join(dir, "bad.yaml"), "--in", "-", "--out", "-", "--format", "csv").wants(t, exitFailure,
		"bad.yaml: weights must not be negative")
}

func TestEvaluateBadCommandLines(t *testing.T) {
	setting(t)
	dir := inFolder(t, map[string]string{"a.csv": "input_text,prediction\n", "a.txt": "x"})
	csv, txt, out := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.txt"), filepath.Join(dir, "out.csv")
	for _, test := range []struct {
		code int
		args []string
		want string
	}{
		{exitUsage, nil, "--in FILE --out FILE"},
		{exitUsage, []string{"--in", csv}, "--in FILE --out FILE"},
		{exitUsage, []string{"--in", txt, "--out", out}, "pass --format"},
		{exitUsage, []string{"--in", csv, "--out", filepath.Join(dir, "a.jsonl")}, "the table keeps its format"},
		{exitUsage, []string{"--in", csv, "--out", out, "--format", "xlsx"}, "known are csv and jsonl"},
		{exitUsage, []string{"--in", csv, "--out", out, "--workers", "0"}, "between 1 and 256"},
		{exitUsage, []string{"--in", "-", "--out", "-"}, "--format csv"},
		{exitUsage, []string{"--in", "-", "--out", "-", "--format", "csv", "--resume"}, "without --resume"},
		{exitUsage, []string{"--in", "-", "--out", out}, "go together"},
		{exitFailure, []string{"--in", csv, "--out", out, "--rubric", "three_stage"}, "neither two_stage nor a file"},
		{exitFailure, []string{"--in", csv, "--out", out}, "line 1, column groundtruth: it is missing; the header has input_text, prediction"},
		{exitFailure, []string{"--in", csv + ".csv", "--out", out}, "no such file"},
	} {
		viva(t, nobody(), append([]string{"evaluate"}, test.args...)...).wants(t, test.code, test.want)
	}
}

// A run that is interrupted says how to go on, and does.
func TestEvaluateInterrupted(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	if err := syscall.Mkfifo(in, 0o600); err != nil {
		t.Skip(err)
	}
	p := launch(t, nil, "evaluate", "--in", in, "--out", out)
	feed, err := os.OpenFile(in, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fed := make(chan struct{})
	go func() { // rows without end: only the signal can end the run
		defer close(fed)
		_, err := feed.WriteString("input_text,prediction,groundtruth\np,,1\n")
		for err == nil {
			_, err = feed.WriteString(strings.Repeat("p,1,1\n", 1000))
		}
	}()
	defer func() {
		_ = feed.Close()
		<-fed
	}()
	p.await("line 2, column prediction")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.await("go on with --resume")
}
