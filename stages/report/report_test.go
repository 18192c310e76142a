package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// poor is an interview whose words were hardly understood.
func poor(t testing.TB) report.Source {
	src := small(t, csc(5, 5, 5), csc(5, 5, 5))
	for i := range src.State.Turns {
		src.State.Turns[i].Confidence = 0.3
	}
	return src
}

func score(value, least, most, norm float64) report.Score {
	return report.Score{Value: value, Min: least, Max: most, Norm: norm}
}

// R002-50, RX-13: means by criterion and overall, on their own scale and normalised.
func TestAverages(t *testing.T) {
	r := build(t, persona(t))
	want := map[string]report.Score{
		"clarity": score(4.2, 1, 5, 0.8), "specificity": score(3.6, 1, 5, 0.65), "confidence": score(3, 1, 5, 0.5),
	}
	if len(r.Averages) != len(want) {
		t.Fatalf("%+v", r.Averages)
	}
	for _, a := range r.Averages {
		if a.Score != want[a.Criterion] || a.Count != 5 || a.Of != 5 {
			t.Errorf("%+v, want %+v", a, want[a.Criterion])
		}
	}
	if r.Overall.Score != score(3.6, 1, 5, 0.65) {
		t.Errorf("overall %+v", r.Overall.Score)
	}
	if r.Status != report.Complete || len(r.Notes) != 1 || r.Notes[0].Code != "uncalibrated" {
		t.Errorf("%s, %+v", r.Status, r.Notes)
	}
}

// R002-51: each question has its text, the answer, every dimension, feedback and an improved answer.
func TestPerQuestion(t *testing.T) {
	src := persona(t)
	r := build(t, src)
	if len(r.Questions) != 5 {
		t.Fatalf("%d questions", len(r.Questions))
	}
	for i, q := range r.Questions {
		if q.Text != src.Asked[i].Text || len(q.Answer) < 80 || len(q.Marks) != 3 || q.Feedback == "" || q.Improved == "" || q.Number != i+1 {
			t.Errorf("%+v", q)
		}
	}
	if got := r.Questions[1].Score; *got != score(4.6667, 1, 5, 0.9167) {
		t.Errorf("question 2 has %+v", got)
	}
}

// RX-16: a quote is in the turn that it names, word by word; one that nobody said is gone.
func TestEvidence(t *testing.T) {
	r := build(t, persona(t))
	texts := make(map[uint64]report.Turn)
	for _, line := range r.Transcript {
		texts[line.ID] = line
	}
	n := 0
	for _, q := range r.Questions {
		for _, m := range q.Marks {
			for _, e := range m.Evidence {
				n++
				line := texts[e.Turn]
				if line.Speaker != "candidate" || !strings.Contains(line.Text, e.Text) || e.At < line.At || e.At > line.To {
					t.Errorf("%+v is not in %+v", e, line)
				}
			}
		}
	}
	if n != 15 {
		t.Errorf("%d quotes, want 15: the one that was made up is left out", n)
	}
}

// RX-16, RX-14: a level that rests on invented words alone, or an answer that is no turn, has no score.
func TestNoEvidenceNoScore(t *testing.T) {
	src := small(t,
		[]evaluate.Mark{mark("clarity", 5, evaluate.Quote{Turn: 1, Text: "I won a Nobel prize"}), mark("specificity", 2, quote(1))},
		[]evaluate.Mark{mark("clarity", 5, quote(1))}, csc(5, 5, 5))
	src.Asked[2].Turns = []uint64{77}
	r := build(t, src)
	q := r.Questions[0]
	if q.Marks[0].Score != nil || q.Marks[0].Reason.Code != report.ReasonUnquoted || *q.Score != score(2, 1, 5, 0.25) ||
		q.Reason.Code != report.ReasonSomeMissing {
		t.Errorf("%+v", q)
	}
	if q := r.Questions[1]; q.Assessed || q.Reason.Code != report.ReasonUnquoted {
		t.Errorf("words of another turn: %+v", q)
	}
	if q := r.Questions[2]; q.Assessed || q.Reason.Code != report.ReasonUnanswered || len(q.Turns) != 0 {
		t.Errorf("a turn that does not exist: %+v", q)
	}
	if r.Overall != nil || !noted(r, "no_overall") || r.Averages[0].Count != 1 || r.Averages[0].Of != 3 || r.Status != report.Partial {
		t.Errorf("%+v %+v %s", r.Overall, r.Averages, r.Status)
	}
}

// R002-48, RX-14: what was not assessed has its reason, is never zero, and is in no mean.
func TestNotAssessed(t *testing.T) {
	for code, change := range map[string]func(*report.Source){
		report.ReasonLate:       func(s *report.Source) { s.Asked[1].Judged = report.Judged{Item: "q2", Missing: report.ReasonLate} },
		report.ReasonFailed:     func(s *report.Source) { s.Asked[1].Evaluation.Status = evaluate.StatusFailed },
		report.ReasonNothing:    func(s *report.Source) { s.Asked[1].Evaluation.Status = evaluate.StatusNotAssessed },
		report.ReasonUnreadable: func(s *report.Source) { s.Asked[1].Evaluation = evaluate.Evaluation{} },
		report.ReasonUnanswered: func(s *report.Source) { s.Asked[1].Turns = nil },
		report.ReasonShort:      func(s *report.Source) { s.State.Turns[1].Text = "No." },
		report.ReasonPoor:       func(s *report.Source) { s.State.Turns[1].Confidence = 0.2; s.State.Turns[0].Confidence = 1 },
	} {
		t.Run(code, func(t *testing.T) {
			src := small(t, csc(4, 4, 4), csc(1, 1, 1), csc(4, 4, 4))
			change(&src)
			r := build(t, src)
			q := r.Questions[1]
			if q.Assessed || q.Score != nil || q.Marks != nil || q.Reason == nil || q.Reason.Code != code || strings.HasPrefix(q.Reason.Text, "note.") {
				t.Errorf("%+v, reason %+v", q.Assessment, q.Reason)
			}
			if r.Overall.Score.Value != 4 || r.Overall.Count != 2 || r.Overall.Of != 3 || r.Status != report.Partial {
				t.Errorf("overall %+v, %s", r.Overall, r.Status)
			}
		})
	}
}

// R002-48, R002-51: a report that is partial for criteria alone says which, and in how many answers.
func TestPartialSaysWhy(t *testing.T) {
	without := func(m []evaluate.Mark) []evaluate.Mark {
		m[2].Status = evaluate.StatusNotAssessed
		return m
	}
	r := build(t, small(t, without(csc(4, 4, 4)), without(csc(4, 3, 3)), csc(3, 3, 3)))
	at := slices.IndexFunc(r.Notes, func(n report.Note) bool { return n.Code == "incomplete" })
	if r.Status != report.Partial || r.Overall.Count != 3 || at < 0 || !strings.Contains(r.Notes[at].Text, "Confidence of wording in 2 of 3 assessed answers") {
		t.Errorf("%s %+v", r.Status, r.Notes)
	}
	r = build(t, small(t, without(csc(4, 4, 4))))
	at = slices.IndexFunc(r.Notes, func(n report.Note) bool { return n.Code == "incomplete" })
	if at < 0 || !strings.Contains(r.Notes[at].Text, "Confidence of wording.") {
		t.Errorf("one answer: %+v", r.Notes)
	}
}

// RX-13: scales are never mixed silently.
func TestMixedScales(t *testing.T) {
	ten := []evaluate.Mark{{Criterion: "clarity", Status: evaluate.StatusOK, Level: 5, Min: 0, Max: 10}}
	r := build(t, small(t, []evaluate.Mark{mark("clarity", 5)}, ten))
	if !r.Overall.Mixed || r.Overall.Score != score(0.75, 0, 1, 0.75) || !r.Averages[0].Mixed || !noted(r, "mixed_scales") {
		t.Errorf("%+v %+v %+v", r.Overall, r.Averages, r.Notes)
	}
	if r.Questions[1].Score.Max != 10 || r.Questions[0].Score.Max != 5 {
		t.Error("a score lost its own scale")
	}
}

func noted(r *report.Report, code string) bool {
	return slices.ContainsFunc(r.Notes, func(n report.Note) bool { return n.Code == code && n.Text != "note."+code })
}

// No score is made of a transcript that was hardly understood, and the report says that it is nobody's fault.
func TestPoorTranscript(t *testing.T) {
	r := build(t, poor(t))
	if r.Status != report.Unscored || r.Overall != nil || r.Quality.OK || !noted(r, report.ReasonPoor) {
		t.Errorf("%s %+v %+v", r.Status, r.Quality, r.Notes)
	}
}

// R002-63: after an early end there is a report over what exists, with coverage; without an assessed answer no scores.
func TestEarlyLeave(t *testing.T) {
	src := small(t, csc(4, 3, 2), csc(4, 3, 2))
	src.Expected, src.State.Ended = 5, "candidate_left"
	r := build(t, src)
	want := &report.Coverage{Expected: 5, Asked: 2, Answered: 2, Assessed: 2, Answers: 2, Stages: 3, Held: 1, Skipped: 1, Early: true,
		Ended: &report.Note{Code: "candidate_left", Text: "The candidate left."}}
	if diff := cmp.Diff(want, r.Coverage); diff != "" {
		t.Error(diff)
	}
	if r.Status != report.Partial || !noted(r, "early") || r.Overall.Count != 2 {
		t.Errorf("%s %+v", r.Status, r.Notes)
	}
	src = small(t)
	src.Expected, src.State.Ended = 5, "candidate_left"
	r = build(t, src)
	if r.Status != report.Unscored || r.Overall != nil || r.Averages != nil || r.Strengths != nil || r.Improvements != nil || len(r.NextSteps) != 1 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Spoken, "nothing is scored") || !noted(r, "nothing_said") { // RM-17, RM-31
		t.Errorf("said: %s", r.Spoken)
	}
}

// RX-19: the report pins what made it.
func TestProvenance(t *testing.T) {
	src := persona(t)
	p := build(t, src).Provenance
	want := report.Provenance{
		Software: "viva 0.4.0", Definition: "persona_interview", DefinitionVersion: "3", DefinitionHash: src.State.DefHash,
		Prompts: "persona_interview@9f31c2", Rubrics: []string{"clarity_specificity_confidence@1"}, Judges: []string{"llm_rubric"},
		Models: map[string]string{"interviewer": "gpt-4.1-mini", "evaluator": "qwen3-32b"}, Thresholds: report.Thresholds{Strength: 0.75, Area: 0.5},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

// R002-49: the same source gives the same bytes, and is not changed by it.
func TestBuildIsPure(t *testing.T) {
	src := persona(t)
	before, _ := json.Marshal(src)
	first, _ := json.Marshal(build(t, src))
	for range 20 {
		again, _ := json.Marshal(build(t, src))
		if !bytes.Equal(first, again) {
			t.Fatal("another report of the same interview")
		}
	}
	if after, _ := json.Marshal(src); !bytes.Equal(before, after) {
		t.Error("the source was changed")
	}
	var back report.Report
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(&back); !bytes.Equal(first, again) {
		t.Error("a report does not survive JSON")
	}
}

func TestSections(t *testing.T) {
	src := persona(t)
	src.Sections = []string{"strengths", "timeline"}
	r := build(t, src)
	if len(r.Strengths) == 0 || r.Timeline == nil || r.Questions != nil || r.Overall != nil || r.Transcript != nil || r.Coverage != nil ||
		r.Improvements != nil || r.NextSteps != nil || r.Stages != nil || r.Delivery != nil {
		t.Errorf("%+v", r)
	}
	if _, err := report.HTML(r, report.Page{}); err != nil {
		t.Error(err)
	}
	for _, name := range definition.Sections { // each can be left out, but what made the report
		src.Sections = slices.DeleteFunc(slices.Clone(definition.Sections), func(s string) bool { return s == name })
		var keys map[string]any
		raw, err := json.Marshal(build(t, src))
		if err == nil {
			err = json.Unmarshal(raw, &keys)
		}
		if _, there := keys[name]; err != nil || there != (name == "provenance") {
			t.Errorf("without %s it is there: %v (%v)", name, there, err)
		}
	}
}

// design is an interview without questions: its stages are judged, one of them twice and in sub-phases.
func design(t testing.TB) report.Source {
	t.Helper()
	record := func(item string, attempt int, norm float64, quote string) state.EvaluationRecord {
		e := evaluate.Evaluation{Status: evaluate.StatusOK, Decision: evaluate.DecisionContinue, Score: norm * 10, Max: 10, Norm: norm,
			Gaps: []string{"caching"}, By: "reading", Evidence: []evaluate.Quote{{Turn: 1, Text: quote}}}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return state.EvaluationRecord{Stage: "QUESTIONS", Item: item, Visit: 1, Attempt: attempt, Evaluation: raw, Decision: e.Decision}
	}
	u := &state.UserData{Locale: "en", Ended: "done", Now: 9000,
		SubPhases: &state.SubPhases{Stage: "QUESTIONS", Items: []state.Phase{{ID: "req", Name: "Requirements"}, {ID: "api", Name: "The API"}, {ID: "cost"}}, Skipped: []string{"cost"}},
		Visits: []state.StageVisit{
			{Stage: "QUESTIONS", Item: "req", Visit: 1, Entered: 0, Left: 5000, Turns: 1, Reason: "passed",
				Absence: state.Absence{Absent: 1000}, Help: state.Help{HintLevel: 2, Supported: true}},
			{Stage: "QUESTIONS", Item: "api", Visit: 2, Entered: 5000, Left: 9000, Turns: 1, Reason: "deadline"},
		},
		Turns: []state.Turn{
			{ID: 1, Speaker: state.SpeakerCandidate, Visit: 1, Text: "We need to store ten million short links."},
			{ID: 2, Speaker: state.SpeakerCandidate, Visit: 2, Text: "Two routes, one to make and one to follow."},
		},
	}
	u.Evaluations = []state.EvaluationRecord{
		record("req", 1, 0.4, "ten million"), record("req", 2, 0.8, "ten million short links"), record("req", 3, 0.5, "store"), record("api", 1, 0.9, "invented"),
	}
	return report.Source{Definition: define(t), State: u}
}

// Stages are reported with time, the latest judgement of several beside the first (RM-31), sub-phases, hints and what was skipped.
func TestStages(t *testing.T) {
	r := build(t, design(t))
	req, api, cost := r.Stages[1], r.Stages[2], r.Stages[3]
	if req.Title != "Requirements" || req.Score.Value != 5 || req.First.Value != 4 || req.Attempts != 3 || req.Time != 4000 || req.Left.Code != "passed" || req.Evidence[0].Text != "store" {
		t.Errorf("%+v", req)
	}
	if api.Assessed || !api.Judged || api.Reason.Code != report.ReasonUnquoted {
		t.Errorf("%+v", api)
	}
	if cost.Status != report.Skipped || r.Stages[0].Status != report.Skipped || cost.Judged {
		t.Errorf("%+v", cost)
	}
	if want := []report.Hint{{Stage: "QUESTIONS", Title: "Requirements", Level: 2, Supported: true}}; !cmp.Equal(want, r.Hints) {
		t.Errorf("%+v", r.Hints)
	}
	if r.Overall != nil || !noted(r, "no_overall") || r.Coverage.Assessed != 1 {
		t.Errorf("%+v", r.Overall)
	}
	if !strings.Contains(r.Spoken, "1 of 3 parts") && !strings.Contains(r.Spoken, "2 of") {
		t.Errorf("said: %s", r.Spoken)
	}
}
