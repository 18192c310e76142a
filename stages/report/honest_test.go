package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// ruled makes the judgements of a source those of rules, which are never sure.
func ruled(src report.Source) report.Source {
	for i := range src.Asked {
		src.Asked[i].Evaluation.Confidence = 0.4
		src.Asked[i].Evaluation.Feedback = "Well done."
	}
	return src
}

// RM-31: of scores that are only hints the report says that nobody wrote feedback, and tells none.
func TestWhatRulesScoredComesWithoutFeedback(t *testing.T) {
	quoted := func(n int, marks []evaluate.Mark) []evaluate.Mark {
		for i := range marks {
			marks[i].Evidence = []evaluate.Quote{quote(n)}
		}
		return marks
	}
	r := build(t, ruled(small(t, quoted(1, csc(5, 1, 4)), quoted(2, csc(5, 2, 4)))))
	if r.Overall == nil || len(r.Averages) != 3 || r.Questions[0].Feedback != "" {
		t.Errorf("%+v %+v %q", r.Overall, r.Averages, r.Questions[0].Feedback)
	}
	if !slices.ContainsFunc(r.Notes, func(n report.Note) bool { return n.Code == "uncertain" && strings.Contains(n.Text, "without feedback") }) {
		t.Errorf("%+v", r.Notes)
	}
}

// RX-14: a judgement that a later one replaced does not make the report uncertain, nor its rubric uncalibrated.
func TestAReplacedJudgementIsNotTalkedOf(t *testing.T) {
	src := small(t, csc(4, 3, 2), []evaluate.Mark{mark("clarity", 4, quote(2))})
	src.Asked[1].Evaluation.Confidence = 0.4
	if !noted(build(t, src), "uncertain") {
		t.Error("an uncertain one that stands is not told of")
	}
	design := design(t)
	first := design.State.Turns[slices.IndexFunc(design.State.Turns, func(t state.Turn) bool { return t.Visit == 1 && t.Speaker == state.SpeakerCandidate })]
	said := evaluate.Quote{Turn: first.ID, Text: first.Text}
	beside := func(confidence float64) report.StageJudged {
		return report.StageJudged{Stage: "QUESTIONS", Phase: "req", Judged: report.Judged{Evaluation: evaluate.Evaluation{
			Status: evaluate.StatusOK, Marks: []evaluate.Mark{mark("clarity", 4, said)}, Min: 1, Max: 5, By: "composite", Rubric: "r@1", Confidence: confidence,
		}}}
	}
	design.Beside = []report.StageJudged{beside(0.4)}
	if !noted(build(t, design), "uncertain") {
		t.Error("an uncertain one that stands is not told of")
	}
	design.Beside = append(design.Beside, beside(0.9))
	if r := build(t, design); noted(r, "uncertain") {
		t.Errorf("%+v", r.Notes)
	}
}

// RM-30: a note that the candidate took back later, in whichever part, is not told, and no finding rests on its words.
func TestWhatWasTakenBackIsNotTold(t *testing.T) {
	src := talked(t)
	src.State.Covered, src.State.Claims = nil, nil
	src.State.Visits = append(src.State.Visits, state.StageVisit{Stage: "REPORT", Visit: 2})
	src.State.Notebook = []state.Note{
		{ID: "own", Value: "led the rebuild", Quote: "I led the billing rebuild for two years", Turn: 2, Stage: "QUESTIONS"},
		{ID: "own", Value: "a colleague led it", Quote: "It fell by forty percent", Turn: 4, Stage: "REPORT", Corrects: true},
	}
	told := func() bool {
		return slices.ContainsFunc(build(t, src).Stages[1].Points, func(p report.Point) bool { return p.Quote != nil && strings.Contains(p.Quote.Text, "billing") })
	}
	if told() {
		t.Error("what was taken back is told")
	}
	if src.State.Notebook[1].Corrects = false; !told() {
		t.Error("what was only told again is not told")
	}
}

// RM-30: without a model the next answer tells: "that was a colleague" takes the words before it back. They are neither told nor said
// aloud.
func TestATakenBackAnswerIsNotTold(t *testing.T) {
	src := talked(t)
	src.State.Covered, src.State.Claims, src.State.Notebook = nil, nil, nil
	lexicon, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	src.Rules = lexicon
	src.State.Turns = src.State.Turns[:3]
	src.State.Turns[0].Text = "I am glad to be here."
	src.State.Turns[1].Text = "I led the billing rebuild for two years, with nine people in Bad Orb."
	told := func(reply string) bool {
		src.State.Turns[2].Text = reply
		return slices.ContainsFunc(build(t, src).Stages[1].Points, func(p report.Point) bool { return p.Quote != nil && p.Quote.Turn == 2 })
	}
	if !told("We finished in June of last year.") {
		t.Error("what was not taken back is not told")
	}
	if told("Actually, that was a colleague, I did not lead it.") {
		t.Error("what was taken back is told")
	}
}

// RX-19: who judged nothing is not among the evaluators, and its model is not among those that had a part; a model that spoke is.
func TestProvenanceTellsWhoTookPart(t *testing.T) {
	models := map[string]string{"interviewer": "m-1", "evaluators": "m-2"}
	src := small(t, csc(4, 3, 2))
	src.Provenance.Models = models
	if p := build(t, src).Provenance; len(p.Models) != 2 || len(p.Judges) != 1 || len(p.Rubrics) != 1 {
		t.Errorf("%+v", p)
	}
	src.Asked[0].Evaluation.By = evaluate.KeywordCoverage
	if p := build(t, src).Provenance; len(p.Models) != 1 || p.Models["interviewer"] != "m-1" || len(p.Judges) != 0 || len(p.Rubrics) != 0 {
		t.Errorf("%+v", p)
	}
	src = small(t, csc(4, 3, 2))
	src.Provenance.Models, src.Asked[0].Evaluation.By = models, engine.ByReading
	if p := build(t, src).Provenance; len(p.Models) != 1 || len(p.Judges) != 1 {
		t.Errorf("%+v", p)
	}
	if len(models) != 2 {
		t.Error("the caller's models were changed")
	}
}

// RM-31: no language says of what nobody heard, asked or permitted that it was so.
func TestWordsClaimNoMoreThanIsKnown(t *testing.T) {
	for locale, never := range map[string][]string{
		"en": {"permission", "too little to go by", "did not come up", "taken first", "all follow-up", "in the transcript"},
		"zh": {"经同意", "内容太少", "没有谈到", "先进行"},
		"vi": {"được phép", "chưa nghe thấy", "quá ít nội dung", "chưa được nói đến", "làm trước"},
	} {
		w := report.Speak(locale)
		for _, key := range []string{"left.skipped", "left.reordered", "step.gaps", "step.open", "point.open", "point.unanswered", "spoken.unscored", "left.followups", "note.no_evidence"} {
			text := strings.ToLower(w.Say(key, "name", "x", "gaps", "y"))
			for _, phrase := range never {
				if strings.Contains(text, phrase) {
					t.Errorf("%s %s: %s", locale, key, text)
				}
			}
		}
	}
}

// RX-14: a part that was left out, or left before its end, was judged by nobody: the report says which, and names no evaluator for it.
func TestAPartLeftOutWasNotJudged(t *testing.T) {
	src := design(t)
	raw := []byte(`{"status":"not_assessed","by":"candidate"}`)
	src.State.Evaluations = []state.EvaluationRecord{{Stage: "QUESTIONS", Item: "api", Visit: 2, Evaluation: raw}}
	src.State.Visits[1].Skipped, src.State.Visits[1].Reason = true, "skipped"
	r := build(t, src)
	if s := r.Stages[2]; s.Status != report.Held || s.Reason == nil || s.Reason.Code != report.ReasonBrokenOff || len(r.Provenance.Judges) > 0 || strings.Contains(s.Left.Text, "left out") {
		t.Errorf("%+v %q", s, r.Provenance.Judges)
	}
	src.State.Turns = src.State.Turns[:1]
	r = build(t, src)
	if s := r.Stages[2]; s.Status != report.Skipped || s.Reason == nil || s.Reason.Code != report.ReasonLeftOut || len(r.Provenance.Judges) > 0 {
		t.Errorf("%+v %q", s, r.Provenance.Judges)
	}
}

// RM-31: a criterion that a judge names in the language that the talk had then is no gap either: it has a mark.
func TestACriterionInAnotherLanguageIsNoGap(t *testing.T) {
	src := small(t, csc(4, 3, 2), csc(4, 3, 2))
	def := *src.Definition
	def.Locales, src.Definition = []string{"en", "zh"}, &def
	e := &src.Asked[0].Evaluation
	e.Rubric, e.Gaps = "clarity_specificity_confidence@3", []string{"清晰", "checks before publishing"}
	if got := build(t, src).Questions[0].Gaps; !slices.Equal(got, []string{"checks before publishing"}) {
		t.Errorf("%q", got)
	}
}
