package report_test

import (
	"fmt"
	"slices"
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
		{"all low", [][]evaluate.Mark{csc(1, 2, 3), csc(1, 2, 2)}, "answer/1 ranked", // the other is below a quarter of the scale
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
}

// R002-57: with even middling scores evidence decides, and the report says that they are even; nobody is blamed for all of them.
// What is said differs by what was shown, and no words are shown twice.
func TestFlatScores(t *testing.T) {
	plain := func(level int) []evaluate.Mark { return csc(level, level, level) }
	shown := []evaluate.Mark{mark("clarity", 3, quote(2)), mark("specificity", 3, quote(2)), mark("confidence", 3)}
	r := build(t, small(t, plain(3), shown, plain(3)))
	if len(r.Strengths) != 2 || r.Strengths[0].Question != 2 || r.Strengths[0].Basis != report.ByEvidence || len(r.Strengths[0].Evidence) == 0 {
		t.Errorf("%+v", r.Strengths)
	}
	if !noted(r, "even") {
		t.Errorf("%+v", r.Notes)
	}
	if got := brief(r.Improvements); len(r.Improvements) != 2 || strings.Contains(got, "threshold") {
		t.Errorf("%s", got)
	}
	clear, specific := r.Strengths[0], r.Strengths[1]
	if clear.Criterion != "clarity" || specific.Criterion != "specificity" || !strings.Contains(clear.Text, "made the point") || !strings.Contains(specific.Text, "above") {
		t.Errorf("%q, %q", clear.Text, specific.Text)
	}
	for _, list := range [][]report.Finding{r.Strengths, r.Improvements} {
		_, one, _ := strings.Cut(list[0].Text, " out of 5. ")
		_, two, _ := strings.Cut(list[1].Text, " out of 5. ")
		if one == "" || one == two {
			t.Errorf("the same is said of both: %q", one)
		}
	}
}

// R002-57: with nothing else to tell answers apart, those that left out the most are named, with what they left out.
func TestFlatScoresAndGaps(t *testing.T) {
	src := small(t, csc(3, 3, 3), csc(3, 3, 3), csc(3, 3, 3))
	src.Asked[1].Evaluation.Gaps = []string{"the outcome"}
	src.Asked[2].Evaluation.Gaps = []string{"the cost", "the risk"}
	r := build(t, src)
	if got := brief(r.Improvements); got != "answer/3 evidence, answer/2 evidence" {
		t.Fatal(got)
	}
	if !strings.Contains(r.Improvements[0].Text, "the cost") || !strings.Contains(r.Improvements[1].Text, "the outcome") || len(r.NextSteps) < 2 {
		t.Errorf("%+v, %+v", r.Improvements, r.NextSteps)
	}
}

// R002-53, R002-57, R002-62: means that are even and low are things to improve, and even and high ones are strengths; only those
// between say nothing. Even means over uneven answers are told apart by the answers.
func TestEvenButNotMiddling(t *testing.T) {
	for _, c := range []struct {
		name         string
		answers      [][]evaluate.Mark
		even         bool
		strong, weak string
	}{
		{"low", [][]evaluate.Mark{csc(2, 2, 2), csc(2, 2, 2)}, false, "answer/1 evidence, answer/2 evidence",
			"confidence/0 threshold, specificity/0 threshold, clarity/0 threshold"},
		{"high", [][]evaluate.Mark{csc(5, 5, 5), csc(5, 5, 5)}, false, "clarity/0 threshold, specificity/0 threshold, confidence/0 threshold",
			"answer/2 evidence, answer/1 evidence"},
		{"answers differ", [][]evaluate.Mark{csc(4, 4, 4), csc(2, 2, 2)}, true, "clarity/1 ranked, specificity/1 ranked", "confidence/2 ranked, confidence/1 ranked"},
	} {
		r := build(t, small(t, c.answers...))
		if got := brief(r.Strengths); got != c.strong || noted(r, "even") != c.even {
			t.Errorf("%s: strengths %s, want %s; %+v", c.name, got, c.strong, r.Notes)
		}
		if got := brief(r.Improvements); got != c.weak {
			t.Errorf("%s: to improve %s, want %s", c.name, got, c.weak)
		}
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

// R002-52, R002-53, R002-57: whatever the scores, two or three of each from two answers on, but for strengths where some did not reach
// a quarter of their scale; none is in both, every one is a score of the report, and every quote was said.
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
		poor := slices.ContainsFunc(r.Questions, func(q report.Question) bool { return q.Score != nil && q.Score.Norm < 0.25 }) ||
			slices.ContainsFunc(r.Averages, func(a report.Average) bool { return a.Score.Norm < 0.25 })
		for _, q := range r.Questions {
			poor = poor || slices.ContainsFunc(q.Marks, func(m report.Mark) bool { return m.Score != nil && m.Score.Norm < 0.25 })
		}
		few := len(r.Averages)+r.Coverage.Assessed < 4 // scores, of which none is named twice
		seen, strong := make(map[string]bool), make(map[string]bool)
		for i, list := range [][]report.Finding{r.Strengths, r.Improvements} {
			if len(list) < 2 && (i == 1 || !poor) && !few || len(list) > 3 {
				rt.Fatalf("%d named: %s", len(list), brief(list))
			}
			for _, f := range list {
				key := fmt.Sprint(f.Criterion, f.Question)
				if i == 0 && f.Score.Norm < 0.25 {
					rt.Fatalf("a strength of %v: %s", f.Score, f.Text)
				}
				if f.Criterion != "answer" && i == 0 {
					strong[f.Criterion] = true
				} else if strong[f.Criterion] { // RM-31
					rt.Fatalf("%s is a strength and a weakness: %s; %s", f.Criterion, brief(r.Strengths), brief(r.Improvements))
				}
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
