package report_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// RX-14: keywords that were not heard may have been said in other words, so of them alone nothing is assessed.
func TestKeywordsAreNoScore(t *testing.T) {
	src := design(t)
	for i := range src.State.Evaluations {
		e := &src.State.Evaluations[i]
		e.Evaluation = []byte(strings.Replace(string(e.Evaluation), `"reading"`, `"`+evaluate.KeywordCoverage+`"`, 1))
	}
	r := build(t, src)
	if len(r.NextSteps) > 0 {
		t.Errorf("%+v", r.NextSteps)
	}
	if req := r.Stages[1]; req.Assessed || req.Reason.Code != report.ReasonNoJudge || len(req.Gaps) > 0 || r.Overall != nil {
		t.Errorf("%+v, %+v", req.Assessment, r.Overall)
	}
}

// RX-14: a judge that is not sure gives a level for words only; what it says of them is left out.
func TestUnsureWithoutWords(t *testing.T) {
	src := small(t, []evaluate.Mark{mark("clarity", 4, quote(1)), mark("confidence", 4)}, []evaluate.Mark{mark("confidence", 1)})
	for i := range src.Asked {
		e := &src.Asked[i].Evaluation
		e.Confidence, e.Feedback, e.Hits = 0.4, "You stand behind what you did.", []string{"what is done"}
	}
	r := build(t, src)
	a := r.Questions[0].Assessment
	if a.Score == nil || a.Score.Value != 4 || a.Marks[1].Score != nil || a.Feedback != "" || len(a.Hits) > 0 {
		t.Errorf("%+v", a)
	}
	if b := r.Questions[1].Assessment; b.Assessed || b.Reason.Code != report.ReasonNothing {
		t.Errorf("%+v", b)
	}
}

// RX-16: a criterion of the only answer is shown by its own words, and by no other's.
func TestOwnWordsOfTheOnlyAnswer(t *testing.T) {
	r := build(t, small(t, []evaluate.Mark{mark("clarity", 5), mark("specificity", 5, quote(1))}))
	for _, f := range r.Strengths {
		if f.Criterion == "clarity" && len(f.Evidence) > 0 || f.Criterion == "specificity" && len(f.Evidence) == 0 {
			t.Errorf("%+v", f)
		}
	}
	if len(r.Strengths) == 0 {
		t.Error("there are no strengths")
	}
}

// What was touched in a part is nothing that was not noticed there.
func TestTouchedIsNoGap(t *testing.T) {
	src := design(t)
	src.State.Covered = []state.Cover{{Criterion: "caching", Level: 1, Quote: "store", Turn: 1, Stage: "QUESTIONS", Part: "req"}}
	r := build(t, src)
	if len(r.Stages[1].Gaps) != 0 {
		t.Errorf("%q", r.Stages[1].Gaps)
	}
	src.State.Covered = nil
	if r = build(t, src); len(r.Stages[1].Gaps) != 1 {
		t.Errorf("%q", r.Stages[1].Gaps)
	}
}

// R002-63: who leaves when everything was answered did not end early.
func TestLeftAfterTheLastAnswer(t *testing.T) {
	src := small(t, csc(4, 3, 2), csc(4, 3, 2))
	src.State.Ended = "candidate_left"
	if r := build(t, src); r.Coverage.Early || noted(r, "early") {
		t.Errorf("%+v %+v", r.Coverage, r.Notes)
	}
}

// RM-30: what rules took for a fact is not called so: it may be about something else. Its most particular words are told, if it has any.
func TestFactsByRulesAreNotNamed(t *testing.T) {
	src := talked(t)
	def := *src.Definition
	def.Stages = append(def.Stages[:0:0], def.Stages...)
	def.Stages[1].Slots = []definition.Slot{{ID: "role"}, {ID: "highlight"}}
	src.Definition, src.State.Notebook, src.State.Covered, src.State.Claims = &def, nil, nil, nil
	src.State.Turns[1].Text = "Oh, where do I start, I drove a concrete mixer in Bad Orb for nine years."
	src.State.Turns[2].Text = "Sorry, could we go back to the first question?"
	src.State.Slots = map[string]state.Slot{
		"role":      {Status: state.SlotFilled, Value: "oh, where do I start", Turn: 2, By: "answer"},
		"highlight": {Status: state.SlotFilled, Value: "could we go back to the first question", Turn: 3, By: "answer"},
	}
	var got []string
	for _, p := range build(t, src).Stages[1].Points {
		got = append(got, p.Name+": "+p.Quote.Text)
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], ": ") || !strings.Contains(got[0], "concrete mixer") {
		t.Errorf("%q", got)
	}
	src.State.Slots["role"] = state.Slot{Status: state.SlotFilled, Value: "a concrete mixer", Turn: 2, By: "model"}
	if p := build(t, src).Stages[1].Points; len(p) != 1 || p[0].Name != "your role" {
		t.Errorf("%+v", p)
	}
}
