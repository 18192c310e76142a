package debrief

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// source puts together what the report is made of. It is called once, after the last result was taken.
func (d *Desk) source(ctx context.Context) report.Source {
	d.mu.Lock()
	u, results := d.ending, maps.Clone(d.results)
	d.mu.Unlock()
	def := d.c.Interview.Def
	src := report.Source{
		Definition: def, State: u, Began: d.c.Began, Expected: def.Report.Questions, Sections: def.Report.Sections,
		Names:      d.names(u.Locale),
		Page:       d.link() != "",
		Provenance: report.Provenance{Software: d.service.o.Software, Models: d.c.Models},
	}
	if d.service.o.Refused != nil {
		src.Provenance.Refused = d.service.o.Refused()
	}
	if src.Expected == 0 && def.Personas != nil {
		src.Expected = def.Personas.Count
	}
	if d.c.Recording != nil {
		src.Recording = d.c.Recording()
	}
	if d.c.Journal != nil {
		ctx, cancel := context.WithTimeout(ctx, archiveLimit)
		defer cancel()
		var err error
		if src.Journal, err = d.c.Journal(ctx); err != nil {
			d.log.Warn("report.without_journal", zap.Error(err))
		}
	}
	d.fill(&src, u, results)
	return src
}

// names are those of the criteria of all rubrics that the definition goes by, but for those that reports know already.
func (d *Desk) names(locale string) map[string]string {
	out := make(map[string]string)
	for _, a := range d.c.Interview.Def.Evaluations {
		maps.Copy(out, evaluate.CriterionNames(a.Rubric, locale))
	}
	for i := range d.c.Interview.Def.Stages {
		if g := d.c.Interview.Def.Stages[i].Gate; g != nil {
			maps.Copy(out, evaluate.CriterionNames(g.Rubric, locale))
		}
	}
	if known, err := report.Speak(locale); err == nil {
		maps.DeleteFunc(out, func(id, _ string) bool { return known.Has("criterion." + id) })
	}
	return out
}

// fill adds what was judged beside the talk: answers, and whole stages.
func (d *Desk) fill(src *report.Source, u *state.UserData, results map[string]result) {
	answers := make(map[string]int) // places in src.Asked, by question and turns
	var judges []int                // how many have judged the answer at each place
	for _, j := range u.Judgements {
		judged := d.resultOf(j, results)
		if j.Question == "" {
			src.Beside = append(src.Beside, report.StageJudged{Stage: j.Stage, Phase: phaseOf(u, j.Visit), Judged: judged})
			continue
		}
		key := answerKey(j)
		at, there := answers[key]
		if !there {
			answers[key] = len(src.Asked)
			src.Asked = append(src.Asked, report.Asked{ID: j.Item, Text: j.Question, Turns: j.Turns})
			src.Judged, judges = append(src.Judged, judged), append(judges, 1)
			continue
		}
		judged.Item = src.Asked[at].ID
		src.Judged[at] = joined(src.Judged[at], judged, judges[at])
		judges[at]++
	}
}

// resultOf is what came of a judgement: here, or in the state that an earlier worker left.
func (d *Desk) resultOf(j state.Judgement, results map[string]result) report.Judged {
	out := report.Judged{Item: j.Item}
	if r, there := results[j.Item]; there {
		out.Evaluation, out.Missing = r.evaluation, r.missing
		return out
	}
	switch {
	case len(j.Evaluation) > 0 && json.Unmarshal(j.Evaluation, &out.Evaluation) == nil:
	case len(j.Evaluation) > 0:
		out.Missing = report.ReasonUnreadable
	case j.Missing != "":
		out.Missing = j.Missing
	default:
		if r, kept := d.earlier()[j.Item]; kept {
			out.Evaluation = r.evaluation
			return out
		}
		out.Missing = report.ReasonLate
	}
	return out
}

// answerKey is the same for all judgements of one answer.
func answerKey(j state.Judgement) string {
	raw, err := json.Marshal([]any{j.Stage, j.Number, j.Question, j.Turns})
	if err != nil {
		return j.Item
	}
	return string(raw)
}

// phaseOf is the sub-phase in which a visit was spent.
func phaseOf(u *state.UserData, visit uint64) string {
	i := slices.IndexFunc(u.Visits, func(v state.StageVisit) bool { return v.Visit == visit })
	if i < 0 {
		return ""
	}
	return u.Visits[i].Item
}

// joined adds one more judgement of the same answer to that of n: the marks of all, on their own scales, and the plain mean of
// their scores. Where only one of them is there, it stands for itself, and says what is missing.
func joined(a, b report.Judged, n int) report.Judged {
	switch {
	case b.Missing != "" || !b.Evaluation.Assessed():
		return lacking(a, b.Missing)
	case a.Missing != "" || !a.Evaluation.Assessed():
		b.Item = a.Item
		return lacking(b, a.Missing)
	}
	x, y := a.Evaluation, b.Evaluation
	x.Marks = append(marksOf(x), marksOf(y)...)
	x.Evidence = append(slices.Clone(x.Evidence), y.Evidence...)
	x.Hits, x.Gaps = append(slices.Clone(x.Hits), y.Hits...), append(slices.Clone(x.Gaps), y.Gaps...)
	x.Feedback = strings.TrimSpace(x.Feedback + " " + y.Feedback)
	if x.Improved == "" {
		x.Improved = y.Improved
	}
	for _, f := range y.Flags {
		flag(&x, f)
	}
	x.Norm = (x.Norm*float64(n) + y.Norm) / float64(n+1)
	x.Score, x.Min, x.Max = x.Norm, 0, 1
	x.Parts = append(slices.Clone(x.Parts), y.Parts...)
	x.By, x.Rubric = both(x.By, y.By), both(x.Rubric, y.Rubric)
	if x.Degraded == "" {
		x.Degraded = y.Degraded
	}
	a.Evaluation = x
	return a
}

// marksOf are the marks of an evaluation; one without any is a mark itself, so that it can stand beside those of another.
func marksOf(e evaluate.Evaluation) []evaluate.Mark {
	if len(e.Marks) > 0 {
		return slices.Clone(e.Marks)
	}
	const steps = 100 // a mark has whole levels
	return []evaluate.Mark{{
		Criterion: e.By, Status: evaluate.StatusOK, Level: int(e.Norm*steps + 0.5), Max: steps, Norm: e.Norm, Evidence: e.Evidence,
	}}
}

func lacking(j report.Judged, why string) report.Judged {
	if why != "" && j.Missing == "" && j.Evaluation.Degraded == "" {
		j.Evaluation.Degraded = why
	}
	return j
}

func both(a, b string) string {
	if b == "" || a == b {
		return a
	}
	return a + ", " + b
}
