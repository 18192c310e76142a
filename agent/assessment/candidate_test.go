package assessment_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// RX-20: the page of a candidate who left before the end gets nothing that the interview still hides, whoever wrote it, and no
// flag of a judge; the operator's report has all of it. What the candidate said themselves stays.
func TestPageGetsNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
			e := rated(it)
			e.Feedback, e.Improved = "Well told. A sliding window was wanted.", "Use a sliding window."
			e.Gaps, e.Hits = []string{"sliding window", "numbers"}, []string{"latency"}
			e.Flags = []string{evaluate.FlagInstructs}
			return e, nil
		}, func(_ *assessment.Options, c *assessment.Case) {
			c.Interview.Def.Fields = map[string]definition.BoardField{"pattern": {Secret: true}}
		})
		u := finished(1, "candidate_left")
		u.Stage = "QUESTIONS"
		u.Fields = map[string]state.Field{"pattern": {Value: json.RawMessage(`"sliding_window"`)}}
		b.judge(1)
		<-b.ask(u)
		raw, err := json.Marshal(b.published[0])
		if err != nil {
			t.Fatal(err)
		}
		page, full := strings.ToLower(string(raw)), b.full()
		if strings.Contains(page, "sliding") || strings.Contains(page, evaluate.FlagInstructs) {
			t.Errorf("the page gets %s", raw)
		}
		if len(full.Withheld) == 0 || b.published[0].Report.Withheld != nil {
			t.Errorf("kept as withheld: %q", full.Withheld)
		}
		kept, err := json.Marshal(report.Own(full))
		if err != nil || strings.Contains(strings.ToLower(string(kept)), "sliding") {
			t.Errorf("%v: by their link the candidate reads %s", err, kept)
		}
		q, own := full.Questions[0], b.published[0].Report.Questions[0]
		if own.Feedback != "Well told." || own.Improved != "" || len(own.Gaps) != 1 || len(own.Marks) != 3 || own.Answer != said(1) {
			t.Errorf("the page gets %+v", own)
		}
		if !strings.Contains(q.Feedback, "sliding window") || len(q.Gaps) != 2 || len(q.Flags) != 1 {
			t.Errorf("the operator gets %+v", q.Assessment)
		}
		b.assessor.Close(u)
		b.service.Close()
	})
}

// RX-20: where nothing is hidden, the page gets the report as it is but for flags, and the report itself is not changed by it.
func TestPageGetsTheRest(t *testing.T) {
	r := &report.Report{
		Spoken: "Well done.", Strengths: []report.Finding{{Name: "Clarity", Text: "Clear."}}, NextSteps: []report.Step{{Text: "Go on."}},
		Questions: []report.Question{{Assessment: report.Assessment{Flags: []string{"x"}, Feedback: "Good.", Gaps: []string{"a"}, Marks: []report.Mark{{Name: "Clarity"}}}}},
		Stages:    []report.Stage{{ID: "A", Assessment: report.Assessment{Flags: []string{"y"}}}}, Averages: []report.Average{{Name: "Clarity"}},
	}
	before, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	own := report.ForCandidate(r, func(string) bool { return false })
	if after, err := json.Marshal(r); err != nil || string(after) != string(before) {
		t.Errorf("%v: the report became %s", err, after)
	}
	if own.Questions[0].Flags != nil || own.Stages[0].Flags != nil {
		t.Error("flags are there")
	}
	own.Questions[0].Flags, own.Stages[0].Flags = r.Questions[0].Flags, r.Stages[0].Flags
	own.Questions[0].Hits = r.Questions[0].Hits
	got, err := json.Marshal(own)
	if err != nil || string(got) != string(before) {
		t.Errorf("%v: the page gets %s", err, got)
	}
	none := report.ForCandidate(r, func(string) bool { return true })
	if none.Spoken != "" || len(none.Strengths)+len(none.NextSteps)+len(none.Averages)+len(none.Questions[0].Marks) != 0 {
		t.Errorf("all is hidden: %+v", none)
	}
	if !reflect.DeepEqual(none.Provenance, r.Provenance) {
		t.Error("the versions are gone") // RX-19
	}
}
