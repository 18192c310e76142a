package report_test

import (
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// RX-7, RX-14: a stage that was judged beside the talk has its assessment, or the reason why there is none; of several the latest
// counts (RM-31). The stage in which the report itself is told is no part of it.
func TestJudgedBeside(t *testing.T) {
	of := func(score float64) report.StageJudged {
		return report.StageJudged{Stage: "QUESTIONS", Judged: report.Judged{Item: "x", Evaluation: evaluate.Evaluation{
			Status: evaluate.StatusOK, Score: score, Max: 10, By: "two_stage", Evidence: []evaluate.Quote{quote(1)},
		}}}
	}
	missing := report.StageJudged{Stage: "QUESTIONS", Judged: report.Judged{Item: "x", Missing: report.ReasonNoJudge}}
	elsewhere := report.StageJudged{Stage: "QUESTIONS", Phase: "another", Judged: of(9).Judged}
	for name, c := range map[string]struct {
		beside []report.StageJudged
		score  float64 // 0 = not assessed
		reason string
	}{
		"one":           {[]report.StageJudged{of(6)}, 6, ""},
		"the latest":    {[]report.StageJudged{of(3), of(8), of(6)}, 6, ""},
		"missing":       {[]report.StageJudged{missing}, 0, report.ReasonNoJudge},
		"one of two":    {[]report.StageJudged{missing, of(6)}, 6, ""},
		"another phase": {[]report.StageJudged{elsewhere, of(6)}, 6, ""},
	} {
		src := small(t, csc(4, 4, 4))
		src.Asked, src.Beside = nil, c.beside
		src.State.Visits = []state.StageVisit{{Stage: "QUESTIONS", Visit: 2, Turns: 1}}
		def := *src.Definition
		def.Stages = slices.Clone(def.Stages)
		def.Stages[2].Responder = definition.ByReport
		src.Definition = &def
		r := build(t, src)
		if slices.ContainsFunc(r.Stages, func(s report.Stage) bool { return s.ID == "WAIT" }) {
			t.Errorf("%s: the stage of the report is in the report", name)
		}
		s := r.Stages[slices.IndexFunc(r.Stages, func(s report.Stage) bool { return s.ID == "QUESTIONS" })]
		switch {
		case !s.Judged || s.Decision != "" || s.Assessed != (c.score > 0):
			t.Errorf("%s: %+v", name, s)
		case c.score > 0 && s.Score.Value != c.score:
			t.Errorf("%s: %+v", name, s.Score)
		case c.score == 0 && (s.Reason == nil || s.Reason.Code != c.reason || s.Reason.Text == ""):
			t.Errorf("%s: %+v", name, s.Reason)
		}
	}
}
