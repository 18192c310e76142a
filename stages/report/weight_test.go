package report_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// judgedAs gives the answers of a small interview a judge's own score, on a scale of 0 to 10.
func judgedAs(src report.Source, scores ...float64) report.Source {
	for i, s := range scores {
		e := &src.Asked[i].Evaluation
		e.Score, e.Min, e.Max = s, 0, 10
	}
	return src
}

// R004-2, RX-13: a judge's own weighting counts: two stages of 3 to 1 are no plain mean of their marks. It is told on the marks' scale.
func TestAnEvaluatorsOwnWeights(t *testing.T) {
	two := []evaluate.Mark{mark("construction", 5), mark("reasoning", 1)}
	r := build(t, judgedAs(small(t, two, two), 7.5, 7.5))
	if got := *r.Questions[0].Score; got != score(4, 1, 5, 0.75) {
		t.Errorf("%+v: the plain mean would be 3", got)
	}
	if r.Overall.Score != score(4, 1, 5, 0.75) || r.Averages[0].Score.Value != 5 || r.Averages[1].Score.Value != 1 {
		t.Errorf("%+v %+v", r.Overall, r.Averages)
	}
}

// R002-38: whatever the three levels are, the overall of an answer is their mean, whether or not the judge says so too. A score that
// no weighting of its marks can give, and one that counts a mark whose quote nobody said, is not believed.
func TestOverallIsTheMeanOfTheThree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		level := func(name string) int { return rapid.IntRange(1, 5).Draw(rt, name) }
		c, s, f := level("clarity"), level("specificity"), level("confidence")
		mean := float64(c+s+f) / 3
		for _, own := range []float64{(mean - 1) / 4 * 10, -1, 11} {
			got := build(t, judgedAs(small(t, csc(c, s, f)), own)).Questions[0].Score
			if math.Abs(got.Value-mean) > 1e-3 || got.Min != 1 || got.Max != 5 {
				rt.Fatalf("%d, %d, %d with %v give %+v", c, s, f, own, got)
			}
		}
	})
	if got := build(t, judgedAs(small(t, csc(1, 2, 2)), 9)).Questions[0].Score.Value; math.Abs(got-1.6667) > 1e-9 {
		t.Errorf("9 of 10 for marks of 1 and 2 is believed: %v", got)
	}
	marks := []evaluate.Mark{mark("clarity", 5, evaluate.Quote{Turn: 1, Text: "nobody said this"}), mark("specificity", 1, quote(1))}
	if got := build(t, judgedAs(small(t, marks), 5)).Questions[0].Score.Value; got != 1 {
		t.Errorf("a mark without ground counts: %v", got)
	}
}

// RX-13, RX-14: a composite tells what each judge said, on its own scale and with its share; one that did not judge has neither
// score nor share.
func TestPartsOfAComposite(t *testing.T) {
	src := judgedAs(small(t, nil, nil), 6.5, 6.5)
	for i := range src.Asked {
		src.Asked[i].Evaluation.Parts = []evaluate.Part{
			{ID: "speed", By: "rules", Weight: 3, Status: evaluate.StatusOK, Score: 8, Max: 10},
			{ID: "care", By: "llm_rubric", Rubric: "care@1", Weight: 1, Status: evaluate.StatusDegraded, Score: 2, Min: 1, Max: 5,
				Marks: []evaluate.Mark{mark("clarity", 2, quote(i+1))}},
			{ID: "depth", By: "llm_rubric", Weight: 4, Status: evaluate.StatusNotAssessed, Max: 10, Missing: "there is no model to ask"},
		}
	}
	r := build(t, src)
	q := r.Questions[0]
	if len(q.Parts) != 3 || q.Score.Value != 6.5 || q.Score.Max != 10 {
		t.Fatalf("%+v", q.Assessment)
	}
	if p := q.Parts[0]; p.Name != "speed" || p.Share != 0.75 || *p.Score != score(8, 0, 10, 0.8) {
		t.Errorf("%+v", p)
	}
	if p := q.Parts[1]; p.Share != 0.25 || *p.Score != score(2, 1, 5, 0.25) || len(p.Marks) != 1 || p.Marks[0].Name != "Clarity" {
		t.Errorf("%+v", p)
	}
	if p := q.Parts[2]; p.Share != 0 || p.Score != nil || p.Marks != nil {
		t.Errorf("%+v", p)
	}
	if len(r.Averages) != 2 || r.Averages[0].Criterion != "speed" {
		t.Errorf("%+v", r.Averages)
	}
	md, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.HTML(r, report.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(md), string(page)} {
		if !strings.Contains(text, "8.0 out of 10 · 75 % of the score") || strings.Contains(text, "no model to ask") {
			t.Error("the parts are not told, or the candidate reads what is for the operator")
		}
	}
}

// R002-52, R002-53, R002-56: each strength and area is told once, and none in both; an answer is called one, not "Question 2".
func TestSpokenFindingsAreDistinct(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var answers [][]evaluate.Mark
		for range rapid.IntRange(2, 6).Draw(rt, "answers") {
			answers = append(answers, csc(rapid.IntRange(1, 5).Draw(rt, "c"), rapid.IntRange(1, 5).Draw(rt, "s"), rapid.IntRange(1, 5).Draw(rt, "f")))
		}
		r := build(t, small(t, answers...))
		var names []string
		for sentence := range strings.SplitSeq(r.Spoken, ". ") {
			if before, list, is := strings.Cut(sentence, ": "); is && strings.HasPrefix(before, "What ") {
				names = append(names, strings.FieldsFunc(strings.ReplaceAll(strings.TrimSuffix(list, "."), " and ", ", "), func(r rune) bool { return r == ',' })...)
			}
		}
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		sorted := slices.Sorted(slices.Values(names))
		if len(names) < 2 || len(names) > 6 || len(slices.Compact(sorted)) != len(names) || strings.Contains(r.Spoken, "Question ") {
			rt.Fatalf("%q in %s", names, r.Spoken)
		}
	})
}

// R002-57: where all scores are low, the best of them are not sold as strengths, and where all are high, the least are not
// sold as weaknesses.
func TestNothingIsSoldForWhatItIsNot(t *testing.T) {
	low, high := build(t, small(t, csc(1, 2, 2), csc(2, 1, 2))), build(t, small(t, csc(5, 5, 4), csc(4, 5, 5)))
	for _, f := range low.Strengths {
		if !strings.Contains(f.Text, "Not strong yet") && f.Basis != report.ByEvidence {
			t.Error(f.Text)
		}
	}
	for _, f := range high.Improvements {
		if !strings.Contains(f.Text, "Good already") && f.Basis != report.ByEvidence {
			t.Error(f.Text)
		}
	}
	if strings.Contains(low.Spoken, "stood out") || strings.Contains(high.Spoken, "work on") {
		t.Errorf("%s\n%s", low.Spoken, high.Spoken)
	}
}

// R002-54, RX-14, RM-31: somebody of whom nothing could be assessed gets no advice on criteria; to seek a quiet place only if they
// could not be heard.
func TestFirstSteps(t *testing.T) {
	src := small(t, csc(1, 1, 1), csc(1, 1, 1))
	for i := range src.Asked {
		e := &src.Asked[i].Evaluation
		e.Status = evaluate.StatusNotAssessed
		for k := range e.Marks {
			e.Marks[k].Status = evaluate.StatusNotAssessed
		}
	}
	steps := build(t, src).NextSteps
	if len(steps) != 1 || steps[0].Criterion != "" || strings.Contains(steps[0].Text, "quiet") {
		t.Errorf("%+v", steps)
	}
	if steps := build(t, poor(t)).NextSteps; len(steps) != 1 || !strings.Contains(steps[0].Text, "quiet") {
		t.Errorf("%+v", steps)
	}
}

// R002-54: a step sends to advice for an answer only where there is some.
func TestStepsPromiseNothing(t *testing.T) {
	src := small(t, csc(5, 5, 5), csc(4, 4, 4))
	if r := build(t, src); slices.ContainsFunc(r.NextSteps, func(s report.Step) bool { return strings.Contains(s.Text, "stronger") }) {
		t.Errorf("%+v", r.NextSteps)
	}
	src.Asked[1].Evaluation.Improved = "Better so."
	r := build(t, src)
	if !slices.ContainsFunc(r.NextSteps, func(s report.Step) bool {
		return strings.Contains(s.Text, "question 2") && strings.Contains(s.Text, "stronger")
	}) {
		t.Errorf("%+v", r.NextSteps)
	}
}

// R002-51: criteria with a mark are neither covered nor missing besides; other points are.
func TestMarksAreNoGaps(t *testing.T) {
	src := small(t, csc(3, 3, 3))
	e := &src.Asked[0].Evaluation
	e.Rubric, e.Gaps, e.Hits = "clarity_specificity_confidence@2", []string{"clarity", "a rollback"}, []string{"Specificity", "metrics"}
	for locale, gap := range map[string]string{"en": "clarity", "zh": "清晰", "vi": "sự rõ ràng"} {
		src.State.Locale, e.Gaps[0] = locale, gap
		if q := build(t, src).Questions[0]; !slices.Equal(q.Gaps, []string{"a rollback"}) || locale == "en" && !slices.Equal(q.Hits, []string{"metrics"}) {
			t.Errorf("%s: %q, %q", locale, q.Gaps, q.Hits)
		}
	}
}

// R002-56: the last words say that there is a page only if there is one.
func TestSpokenPage(t *testing.T) {
	src := persona(t)
	if r := build(t, src); strings.Contains(r.Spoken, "page") {
		t.Error(r.Spoken)
	}
	if src.Page = true; !strings.Contains(build(t, src).Spoken, "on the page now") {
		t.Error("the page is not told of")
	}
}

// A report reads each quote once in a section, however many criteria rest on it; the data have all of them.
func TestQuotesAreShownOnce(t *testing.T) {
	shown := []evaluate.Mark{mark("clarity", 4, quote(1)), mark("specificity", 4, evaluate.Quote{Turn: 1, Text: "number 1 is long"}), mark("confidence", 4, quote(1))}
	r := build(t, small(t, shown))
	md, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	_, questions, _ := strings.Cut(string(md), "## Question by question")
	questions, _, _ = strings.Cut(questions, "## Stage")
	if n := strings.Count(questions, "> “"); n != 1 || len(r.Questions[0].Marks[2].Evidence) != 1 {
		t.Errorf("%d quotes in %s", n, questions)
	}
}

// RX-14: who reads scores of a judge that was not sure is told so.
func TestUncertainScores(t *testing.T) {
	src := small(t, []evaluate.Mark{mark("clarity", 3, quote(1))})
	if noted(build(t, src), "uncertain") {
		t.Error("said of a judge that says nothing of it")
	}
	src.Asked[0].Evaluation.Confidence = 0.4
	if !noted(build(t, src), "uncertain") {
		t.Error("it is not told")
	}
}

// RX-20: what is withheld is noted in the report that is kept, and the candidate's version made of it is the one that was
// published.
func TestOwnVersionOfAKeptReport(t *testing.T) {
	src := persona(t)
	src.State.Turns = append([]state.Turn(nil), src.State.Turns...)
	r := build(t, src)
	reveals := func(text string) bool {
		return strings.Contains(text, "reconciliation") || strings.Contains(text, "larity")
	}
	published := report.ForCandidate(r, reveals)
	report.Withhold(r, reveals)
	kept := report.Own(r)
	if len(r.Withheld) == 0 || kept.Withheld != nil || published.Withheld != nil {
		t.Errorf("%q, %q", r.Withheld, kept.Withheld)
	}
	a, err := report.Markdown(published)
	if err != nil {
		t.Fatal(err)
	}
	b, err := report.Markdown(kept)
	if err != nil || string(a) != string(b) || strings.Contains(kept.Spoken, "larity") {
		t.Errorf("%v: the two differ, or give something away", err)
	}
}

// A rubric that nobody calibrated as it judged is named before all else; one that was by rules is not calibrated for a model.
func TestUncalibratedRubric(t *testing.T) {
	for _, c := range []struct {
		rubric, model, degraded string
		want                    bool
	}{
		{"star@2", "", "", false}, {"star@1", "", "", true}, {"star@2", "some-model", "", true}, {"star@2", "some-model", "the model was away", false}, {"", "", "", true},
	} {
		src := small(t, []evaluate.Mark{mark("task", 3, quote(1))})
		src.Provenance.Models = map[string]string{"evaluators": c.model}
		src.Asked[0].Evaluation.Rubric, src.Asked[0].Evaluation.By, src.Asked[0].Evaluation.Degraded = c.rubric, "checklist", c.degraded
		r := build(t, src)
		if first := len(r.Notes) > 0 && r.Notes[0].Code == "uncalibrated"; first != c.want || noted(r, "uncalibrated") != c.want {
			t.Errorf("%+v: %v", c, r.Notes)
		}
	}
}
