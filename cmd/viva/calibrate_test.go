package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rated = `{"id":"a","rubric":"star","language":"en","question":"q","answer":"My job was to fix the till.","levels":{"x":{"task":3},"y":{"task":2}}}
{"id":"b","rubric":"design","language":"en","question":"q","answer":"A cache.","levels":{"x":{"depth":1},"y":{"depth":2}}}
`

// The command judges by rules, keeps its run, and compares it with an older one; it says what is wrong before it judges.
func TestCalibrate(t *testing.T) {
	setting(t)
	dir := inFolder(t, map[string]string{"rated.jsonl": rated, "bad.jsonl": "{}\n" + rated + rated})
	in, run := filepath.Join(dir, "rated.jsonl"), filepath.Join(dir, "run.json")
	viva(t, nobody(), "calibrate", in, "--half", "all", "--json", run).wants(t, 0, "grader: rules; all answers: 2", "raters' kappa")
	viva(t, nobody(), "calibrate", in, "--half", "all", "--against", run).wants(t, 0, "rules against rules", "mean shift")
	viva(t, nobody(), "calibrate", filepath.Join(dir, "bad.jsonl")).wants(t, exitFailure, "line 1: id is missing", `line 4: id "a" is that of line 2`)
	viva(t, nobody(), "calibrate", in, "--against", in).wants(t, exitFailure, "--against", "no run of viva calibrate")
	viva(t, nobody(), "calibrate", in, "--half", "third").wants(t, exitUsage, "held-out|tuning|all")
	text, err := os.ReadFile(run)
	if err != nil || !strings.Contains(string(text), `"grader": "rules"`) {
		t.Errorf("%v\n%s", err, text)
	}
	viva(t, nobody(), "calibrate").wants(t, 0, "clarity_specificity_confidence", "held-out")
}
