package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/report"
)

// begins is how a report begins in each form.
var begins = map[string]string{"json": "{\n", "md": "# ", "html": "<!doctype html>", "pdf": "%PDF-1"}

// kindsReported are the shipped kinds, each with a language.
var kindsReported = map[string]string{
	"two_stage": "en", "conversation": "en", "system_design": "zh", "algorithm_coach": "zh", "evaluation": "vi", "persona_interview": "en",
}

// RM-30: a simulated interview of every kind has its report in every form, at once and later out of the folder that kept it.
func TestSimulatedInterviewHasAReport(t *testing.T) {
	setting(t)
	for kind, locale := range kindsReported {
		dir := t.TempDir()
		viva(t, nobody(), "simulate", kind, "--locale", locale, "--journal", dir).wants(t, 0)
		session := "sim-" + kind + "-" + locale + "-strong-1"
		for form, begin := range begins {
			file := filepath.Join(dir, "report."+form)
			viva(t, nobody(), "simulate", kind, "--locale", locale, "--report", file).wants(t, 0)
			now, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			later := viva(t, nobody(), "report", session, "--store", "dir:"+dir, "--format", form)
			later.wants(t, 0)
			for _, text := range []string{string(now), later.out} {
				if !strings.HasPrefix(text, begin) || len(text) < 500 {
					t.Errorf("%s as %s: %d bytes, %.40q", kind, form, len(text), text)
				}
			}
		}
		var r report.Report
		raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
		if err != nil || json.Unmarshal(raw, &r) != nil {
			t.Fatal(err)
		}
		if r.Kind != kind || r.Locale != locale && kind != "evaluation" || // its candidate goes on in English
			r.Coverage == nil || r.Coverage.Answers == 0 || r.Withheld != nil {
			t.Errorf("%s: %+v", kind, r.Coverage)
		}
	}
}

// RM-17, RM-31: the report of somebody who said nothing says so, and has no number that could be taken for a score.
func TestSilentCandidateHasAKindReport(t *testing.T) {
	setting(t)
	for kind := range kindsReported {
		o := viva(t, nobody(), "simulate", kind, "--candidate", "silent", "--report", "-")
		o.wants(t, 0, "You were not heard to say anything, so nothing is scored")
		for _, wrong := range []string{"3.8 o", "out of", "You answered", "stood out", "names no figure"} {
			if strings.Contains(o.out, wrong) {
				t.Errorf("%s: a silent candidate is told %q", kind, wrong)
			}
		}
	}
}

// RM-30: an interview that was typed into a console is reported at its end, and out of the folder that kept it, in every form.
func TestConsoleInterviewHasAReportInAFolder(t *testing.T) {
	setting(t)
	dir := t.TempDir()
	talk := "I work as a nurse in a large hospital.\nI am good at staying calm when it gets loud.\n"
	viva(t, strings.NewReader(talk), "console", "--interview", "two_stage", "--store", "dir:"+dir).wants(t, 0, "# Interview report", "nurse")
	kept, err := filepath.Glob(filepath.Join(dir, "*.report.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q, %v", kept, err)
	}
	session := strings.TrimSuffix(filepath.Base(kept[0]), ".report.json")
	for form, begin := range begins {
		if o := viva(t, nobody(), "report", session, "--store", "dir:"+dir, "--format", form); o.code != 0 || !strings.HasPrefix(o.out, begin) {
			t.Errorf("%s: %d, %.60q, %s", form, o.code, o.out, o.errs)
		}
	}
}

// What cannot be written is refused before an interview is held, with what to do.
func TestSimulatedReportIsRefused(t *testing.T) {
	setting(t)
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"that of one interview":     {"--report", "-", "--runs", "2"},
		".json, .md, .html or .pdf": {"--report", filepath.Join(dir, "report.docx")},
		"viva simulate --journal":   {},
	} {
		if len(args) == 0 {
			viva(t, nobody(), "report", "nobody", "--store", "dir:"+dir).wants(t, exitFailure, want)
			continue
		}
		viva(t, nobody(), append([]string{"simulate", "two_stage"}, args...)...).wants(t, exitFailure, want)
	}
	viva(t, nobody(), "report", "../x", "--store", "dir:"+dir).wants(t, exitFailure, "cannot name a file")
}

// RM-30: a report is in the language in which the talk ended, with the judges' words; who concluded a cost in a long turn is quoted with the words that say it.
func TestReportsQuoteAndSpeakAsTheTalkDid(t *testing.T) {
	setting(t)
	o := viva(t, nobody(), "simulate", "evaluation", "--locale", "vi", "--candidate", "mixed-language", "--seed", "4", "--report", "-")
	o.wants(t, 0, "# Interview report", "Not assessed: too little in this answer could be judged")
	if strings.Contains(o.out, "Chưa đánh giá") || strings.Contains(o.out, "Nhận xét") {
		t.Error("the report is in two languages")
	}
	o = viva(t, nobody(), "simulate", "algorithm_coach", "--candidate", "rambling", "--seed", "3", "--report", "-")
	o.wants(t, 0, "Right: a good solution takes O(n) of time\n  > “That should be O(n) in time and O(1) in memory")
}
