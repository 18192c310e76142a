package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// titlePrompt is the prompt that holds the interview's title in a language other than the definition's.
const titlePrompt = "title"

// Gather puts together what a report of an interview in this state is made of, from the state alone (RM-30). result says what came
// of something that was sent to be judged; nil = what the state holds. The caller adds what a state cannot know: the journal,
// when it began, where the candidate can read the report.
func Gather(iv *engine.Interview, u *state.UserData, result func(state.Judgement) Judged) Source {
	def := iv.Def
	if result == nil {
		result = Kept
	}
	iv = iv.Speaking(u) // the report is in the language in which the talk ended
	src := Source{Definition: def, State: u, Locale: u.Locale, Rules: iv.Rules, Title: title(iv)}
	if iv.Words != nil && prompts.Language(iv.Words.Locale()) != prompts.Language(u.Locale) {
		src.Locale = iv.Words.Locale()
	}
	src.Names = names(iv, src.Locale)
	if def.Report != nil {
		src.Expected, src.Sections = def.Report.Questions, def.Report.Sections
	}
	if src.Expected == 0 && def.Personas != nil {
		src.Expected = def.Personas.Count
	}
	if p := iv.Problem(u.Problem); p != nil {
		src.Cost = p.Complexity
	}
	src.fill(u, result)
	src.leave(u)
	return src
}

// Kept is what a state holds of a judgement; one that is out is late.
func Kept(j state.Judgement) Judged {
	out := Judged{Missing: cmp.Or(j.Missing, ReasonLate)}
	if len(j.Evaluation) > 0 {
		out = judged(j.Evaluation)
	}
	out.Item = j.Item
	return out
}

// judged reads a judgement that a state holds.
func judged(raw json.RawMessage) (j Judged) {
	if json.Unmarshal(raw, &j.Evaluation) != nil {
		return Judged{Missing: ReasonUnreadable}
	}
	return j
}

// title is that of the interview in its language; "" where its catalogue has none.
func title(iv *engine.Interview) string {
	if iv.Words == nil || !iv.Words.Has(titlePrompt, prompts.Say) {
		return ""
	}
	text, err := iv.Words.Render(titlePrompt, prompts.Say, 0, prompts.Data{})
	if err != nil {
		return ""
	}
	return text
}

// names are those of the criteria of all rubrics that the definition goes by, but for those that reports know already.
func names(iv *engine.Interview, locale string) map[string]string {
	out := make(map[string]string)
	for _, a := range iv.Def.Evaluations {
		maps.Copy(out, evaluate.CriterionNames(a.Rubric, locale))
	}
	for i := range iv.Def.Stages {
		if g := iv.Def.Stages[i].Gate; g != nil {
			maps.Copy(out, evaluate.CriterionNames(g.Rubric, locale))
		}
	}
	known := Speak(locale)
	maps.DeleteFunc(out, func(id, _ string) bool { return known.Has("criterion." + id) })
	return out
}

// fill adds what was judged beside the talk: answers, and whole stages.
func (src *Source) fill(u *state.UserData, result func(state.Judgement) Judged) {
	answers := make(map[string]int) // places in src.Asked, by question and turns
	var judges []int                // how many have judged the answer at each place
	for _, j := range u.Judgements {
		judged := result(j)
		if j.Question == "" {
			src.Beside = append(src.Beside, StageJudged{Stage: j.Stage, Phase: phaseOf(u, j.Visit), Judged: judged})
			continue
		}
		key := fmt.Sprintf("%s %d %q %v", j.Stage, j.Number, j.Question, j.Turns)
		at, there := answers[key]
		if !there {
			answers[key] = len(src.Asked)
			src.Asked, judges = append(src.Asked, Asked{Text: j.Question, Turns: j.Turns, Judged: judged}), append(judges, 1)
			continue
		}
		src.Asked[at].Judged = joined(src.Asked[at].Judged, judged, judges[at])
		judges[at]++
	}
}

// leave adds the question that was put last where the talk ended before it was done with.
func (src *Source) leave(u *state.UserData) {
	var put []string
	if json.Unmarshal(u.Fields[expert.FieldQuestions].Value, &put) != nil || len(put) == 0 {
		return
	}
	last := put[len(put)-1]
	heard := slices.ContainsFunc(u.Turns, func(t state.Turn) bool { return t.Speaker == state.SpeakerAgent && strings.Contains(t.Text, last) })
	if heard && !slices.ContainsFunc(src.Asked, func(a Asked) bool { return a.Text == last || strings.HasPrefix(last, a.Text) }) {
		src.Asked = append(src.Asked, Asked{Text: last, Judged: Judged{Missing: ReasonOpen}})
	}
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
func joined(a, b Judged, n int) Judged {
	switch {
	case b.Missing != "" || !b.Evaluation.Assessed():
		return lacking(a, b.Missing)
	case a.Missing != "" || !a.Evaluation.Assessed():
		b.Item = a.Item
		return lacking(b, a.Missing)
	}
	x, y := a.Evaluation, b.Evaluation
	x.Marks, x.Evidence = slices.Concat(marksOf(x), marksOf(y)), slices.Concat(x.Evidence, y.Evidence)
	x.Hits, x.Gaps = slices.Concat(x.Hits, y.Hits), slices.Concat(x.Gaps, y.Gaps)
	x.Feedback = strings.TrimSpace(x.Feedback + " " + y.Feedback)
	x.Improved, x.Degraded = cmp.Or(x.Improved, y.Improved), cmp.Or(x.Degraded, y.Degraded)
	for _, f := range y.Flags {
		x.Flags = add(x.Flags, f)
	}
	x.Norm = (x.Norm*float64(n) + y.Norm) / float64(n+1)
	x.Score, x.Min, x.Max = x.Norm, 0, 1
	x.Parts = slices.Concat(x.Parts, y.Parts)
	x.By, x.Rubric = both(x.By, y.By), both(x.Rubric, y.Rubric)
	a.Evaluation = x
	return a
}

// marksOf are the marks of an evaluation; one without any is a mark itself, so that it can stand beside those of another.
func marksOf(e evaluate.Evaluation) []evaluate.Mark {
	if len(e.Marks) > 0 {
		return e.Marks
	}
	const steps = 100 // a mark has whole levels
	return []evaluate.Mark{{
		Criterion: e.By, Status: evaluate.StatusOK, Level: int(e.Norm*steps + 0.5), Max: steps, Norm: e.Norm, Evidence: e.Evidence,
	}}
}

func lacking(j Judged, why string) Judged {
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
