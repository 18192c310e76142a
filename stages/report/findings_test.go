package report_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
)

// brief writes findings as "criterion/question basis".
func brief(findings []report.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%s/%d %s", f.Criterion, f.Question, f.Basis))
	}
	return strings.Join(out, ", ")
}

// R002-52, R002-53, R002-62: from a mean of 4.0 on it is a strength, up to 3.0 something to improve, and what lies between
// is ranked.
func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		name         string
		answers      [][]evaluate.Mark
		strong, weak string
	}{
		{"at the marks", [][]evaluate.Mark{csc(4, 4, 3), csc(4, 4, 3)}, "clarity/0 threshold, specificity/0 threshold",
			"confidence/0 threshold, answer/2 evidence"},
		{"beyond and between", [][]evaluate.Mark{csc(5, 4, 3), csc(4, 3, 3)}, "clarity/0 threshold, specificity/0 ranked",
			"confidence/0 threshold, answer/2 ranked"},
		{"all between", [][]evaluate.Mark{csc(4, 4, 3), csc(3, 4, 4), csc(4, 3, 3)}, "clarity/0 ranked, specificity/0 ranked",
			"confidence/0 ranked, answer/3 ranked"},
		{"all high", [][]evaluate.Mark{csc(5, 4, 4), csc(5, 5, 4)}, "clarity/0 threshold, specificity/0 threshold, confidence/0 threshold",
			"answer/1 ranked, answer/2 ranked"},
		{"all low", [][]evaluate.Mark{csc(1, 2, 3), csc(1, 2, 2)}, "answer/1 ranked, answer/2 ranked",
			"clarity/0 threshold, specificity/0 threshold, confidence/0 threshold"},
	} {
		r := build(t, small(t, c.answers...))
		if got := brief(r.Strengths); got != c.strong {
			t.Errorf("%s: strengths %s, want %s", c.name, got, c.strong)
		}
		if got := brief(r.Improvements); got != c.weak {
			t.Errorf("%s: to improve %s, want %s", c.name, got, c.weak)
		}
	}
	src := small(t, csc(4, 4, 3), csc(4, 4, 3))
	src.Thresholds = report.Thresholds{Strength: 0.9, Area: 0.1}
	if got := brief(build(t, src).Strengths); strings.Contains(got, "threshold") {
		t.Errorf("with a mark of 0.9: %s", got)
	}
}

// R002-57: with even scores evidence decides, and the report says that they are even.
func TestFlatScores(t *testing.T) {
	plain := func(level int) []evaluate.Mark { return csc(level, level, level) }
	shown := []evaluate.Mark{mark("clarity", 3, quote(2)), mark("specificity", 3, quote(2)), mark("confidence", 3)}
	r := build(t, small(t, plain(3), shown, plain(3)))
	if len(r.Strengths) != 2 || r.Strengths[0].Question != 2 || r.Strengths[0].Basis != report.ByEvidence || len(r.Strengths[0].Evidence) == 0 {
		t.Errorf("%+v", r.Strengths)
	}
	if !strings.Contains(r.Strengths[0].Text, "even") {
		t.Error(r.Strengths[0].Text)
	}
	if len(r.Improvements) != 3 {
		t.Errorf("%s", brief(r.Improvements))
	}
}

// R002-57: fewer than two are named only when fewer than two answers were assessed, and then the report says so.
func TestOneAnswer(t *testing.T) {
	r := build(t, small(t, csc(5, 3, 3)))
	if brief(r.Strengths) != "clarity/0 threshold" || !noted(r, "few_answers") {
		t.Errorf("%s %+v", brief(r.Strengths), r.Notes)
	}
	if noted(build(t, persona(t)), "few_answers") {
		t.Error("said of five answers")
	}
}

// R002-52, R002-53, R002-57: whatever the scores, two or three of each from two answers on; none is in both, every one is
// a score of the report, and every quote was said.
func TestFindingsHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var answers [][]evaluate.Mark
		for i := range rapid.IntRange(2, 6).Draw(rt, "answers") {
			var marks []evaluate.Mark
			for _, c := range []string{"clarity", "specificity", "confidence"} {
				m := mark(c, rapid.IntRange(1, 5).Draw(rt, "level"))
				if rapid.Bool().Draw(rt, "quoted") {
					m.Evidence = append(m.Evidence, quote(i+1))
				}
				if rapid.IntRange(0, 9).Draw(rt, "missing") == 0 {
					m.Status = evaluate.StatusNotAssessed
				}
				marks = append(marks, m)
			}
			answers = append(answers, marks)
		}
		r := build(t, small(t, answers...))
		if r.Coverage.Assessed < 2 {
			return
		}
		seen := make(map[string]bool)
		for _, list := range [][]report.Finding{r.Strengths, r.Improvements} {
			if len(list) < 2 || len(list) > 3 {
				rt.Fatalf("%d named: %s", len(list), brief(list))
			}
			for _, f := range list {
				key := fmt.Sprint(f.Criterion, f.Question)
				if seen[key] || strings.HasPrefix(f.Text, "finding.") || strings.ContainsAny(f.Text, "{}") {
					rt.Fatalf("%s twice, or without words: %s", key, f.Text)
				}
				seen[key] = true
				for _, q := range f.Evidence {
					if q.Text != said(int(q.Turn)) {
						rt.Fatalf("%+v was never said", q)
					}
				}
			}
		}
	})
}

// R002-54: every next step is something to do, about what is to be improved, with the questions to try again.
func TestNextSteps(t *testing.T) {
	r := build(t, persona(t))
	if len(r.NextSteps) < 2 {
		t.Fatalf("%+v", r.NextSteps)
	}
	first := r.NextSteps[0]
	if first.Criterion != "confidence" || len(first.Questions) != 1 || first.Questions[0] != 3 || strings.HasPrefix(first.Text, "step.") {
		t.Errorf("%+v", first)
	}
	last := r.NextSteps[len(r.NextSteps)-1]
	if !strings.Contains(last.Text, "checks before publishing") {
		t.Errorf("%+v", last)
	}
}
