package definition

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/datafile"
)

// Sections are the blocks that a report may be made of; stages/report has them.
var Sections = []string{
	"averages", "strengths", "improvements", "next_steps", "timeline", "per_question", "per_stage", "delivery", "hints", "coverage",
	"transcript", "provenance",
}

// Comparing are the evaluators that compare what was said with a right answer: without one they cannot judge.
var Comparing = []string{"two_stage", "classification"}

// ReferenceComplexity is the reference that stands for the complexity of the problem's solution; ReferenceVar begins one
// that stands for the value of a variable.
const (
	ReferenceComplexity = "problem.complexity"
	ReferenceVar        = "var."
)

// The bounds of what is judged and reported.
const (
	maxAttempts  = 10
	maxWait      = 10 * time.Minute
	maxQuestions = 50
)

// stageAt returns the stage that is named at path, or nil after noting that there is none.
func (f *findings) stageAt(path, id string) *Stage {
	if g := f.def.GroupByID(id); g != nil {
		f.Add(path, "%s is a group: name a stage in it, such as %s", id, leaves(g.Stages, nil, nil)[0].ID)
		return nil
	}
	f.OneOf(path, "stage", id, datafile.Names(f.def.Stages, func(s *Stage) string { return s.ID }))
	return f.def.Stage(id)
}

func (f *findings) evaluations() {
	for i := range f.def.Evaluations {
		a, at := &f.def.Evaluations[i], fmt.Sprintf("evaluations[%d]", i)
		if a.Attempts > maxAttempts {
			f.Add(at+".attempts", "between 1 and %d; left out, it is %d", maxAttempts, DefaultJudgeAttempts)
		}
		f.reference(at+".reference", a.Reference)
		f.attached(a, at)
	}
	f.Distinct("evaluations", ".id", "the id", datafile.Names(f.def.Evaluations, func(a *Attachment) string { return a.ID }))
}

// attached checks the stages that an attachment is about, and that there is a right answer where one is compared with.
func (f *findings) attached(a *Attachment, at string) {
	f.Distinct(at+".stages", "", "stage", a.Stages)
	lacks := slices.Contains(Comparing, a.By) && a.Reference == ""
	for i, id := range a.Stages {
		path := fmt.Sprintf("%s.stages[%d]", at, i)
		s := f.stageAt(path, id)
		switch {
		case s == nil:
		case s.Final || s.Responder == ByReport:
			f.Add(path, "there is nothing to judge in stage %s", id)
		case lacks && s.Reference == "":
			f.Add(path, "%s compares with a right answer: give stage %s a reference", a.By, id)
		}
	}
	known := slices.ContainsFunc(f.def.Stages, func(s Stage) bool { return s.Reference != "" })
	if lacks && len(a.Stages) == 0 && !known {
		f.Add(at+".by", "%s compares with a right answer: give the attachment or a stage a reference", a.By)
	}
}

// reference checks where a right answer is to come from.
func (f *findings) reference(path, text string) {
	name, isVar := strings.CutPrefix(text, ReferenceVar)
	switch {
	case isVar:
		f.declared(path, name)
	case text == ReferenceComplexity && f.def.Problems == nil:
		f.Add(path, "%s needs problems: name a set of them", text)
	case strings.HasPrefix(text, "problem.") && text != ReferenceComplexity:
		f.Add(path, "%q is no right answer of a problem: there is %s", text, ReferenceComplexity)
	}
}

func (f *findings) report() {
	r := f.def.Report
	if r == nil {
		return
	}
	if r.Wait.Std() > maxWait {
		f.Add("report.wait", "nobody waits longer than %s for a report", span(maxWait))
	}
	f.Distinct("report.sections", "", "section", r.Sections)
	if field, known := f.def.Fields[r.Code]; r.Code != "" && (!known || field.Secret) {
		f.Add("report.code", "%q is no field that the candidate may see: name one of those under fields", r.Code)
	}
}

// telling checks a stage that waits for the report and tells it.
func (f *findings) telling(s *Stage, path string) {
	first := slices.IndexFunc(f.def.Stages, func(o Stage) bool { return o.Responder == ByReport })
	if own := f.def.Index(s.ID); own != first {
		f.Add(path+".responder", "stage %s tells the report already: there is one report", f.def.Stages[first].ID)
	}
	if s.Final {
		f.Add(path+".responder", "the goodbye cannot wait for the report: give it a stage before")
		return
	}
	if f.def.Report == nil {
		f.Add(path+".responder", "stage %s tells the report, but none is made: say how under report, such as {wait: 30s}", s.ID)
	}
	if s.Fallback == "" {
		f.Add(path+".fallback", "name the prompt that says that the report will follow, for when it is late")
	}
	if least := f.def.Report.Budget(); s.Limits.Hard > 0 && s.Limits.Hard.Std() < least {
		f.Add(path+".limits.hard", "the wait for the report alone is %s", span(least))
	}
	for _, k := range []struct {
		key string
		set bool
	}{
		{"slots", s.Slots != nil}, {"gate", s.Gate != nil}, {"done", !s.Done.Zero()}, {"no_input", s.NoInput != nil},
		{"expand", s.Expand != ""}, {"criteria", s.Criteria != nil}, {"hints", s.Hints != nil}, {"reference", s.Reference != ""},
	} {
		if k.set {
			f.Add(path+"."+k.key, "stage %s waits for the report and asks nothing: leave %s out", s.ID, k.key)
		}
	}
}

func (f *findings) recording() {
	r := f.def.Recording
	if r == nil {
		return
	}
	switch {
	case r.Stage == "" && r.Slot == "":
		return // the page and dispatch metadata can give consent all the same
	case r.Stage == "":
		f.Add("recording.stage", "say in which stage the slot %s asks for consent", r.Slot)
		return
	case r.Slot == "":
		f.Add("recording.slot", "say which slot of stage %s holds the consent", r.Stage)
	}
	if s := f.stageAt("recording.stage", r.Stage); s != nil && r.Slot != "" {
		f.slot("recording.slot", s, r.Slot)
	}
}

func (f *findings) personas() {
	p := f.def.Personas
	if p == nil {
		return
	}
	if p.Count > maxQuestions {
		f.Add("personas.count", "between 1 and %d questions; left out, there are %d", maxQuestions, DefaultQuestions)
	}
	for _, x := range []struct{ key, id string }{{"menu", p.Menu}, {"questions", p.Questions}} {
		at := "personas." + x.key
		if x.id == "" {
			continue
		}
		if s := f.stageAt(at, x.id); s != nil && s.Responder != ByExperts {
			f.Add(at, "personas are experts: give stage %s responder: experts", x.id)
		}
	}
	if m, q := f.def.Index(p.Menu), f.def.Index(p.Questions); m >= 0 && q >= 0 && m >= q {
		f.Add("personas.menu", "the persona is chosen before it asks: stage %s does not come before %s", p.Menu, p.Questions)
	}
}
