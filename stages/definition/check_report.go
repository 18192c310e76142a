package definition

import (
	"fmt"
	"slices"
	"strings"
	"time"
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

var occasions = []string{OnAnswer, OnStage}

// leafIDs lists the stages that can be on the floor.
func (d *Definition) leafIDs() []string {
	ids := make([]string, len(d.Stages))
	for i := range d.Stages {
		ids[i] = d.Stages[i].ID
	}
	return ids
}

// named returns the stage that is named at path, or nil after noting that there is none.
func (f *findings) named(d *Definition, path, id string) *Stage {
	if g := d.GroupByID(id); g != nil {
		f.add(path, "%s is a group: name the stages in it, such as %s", id, leaves(g.Stages, nil, nil)[0].ID)
		return nil
	}
	if !f.oneOf(path, "stage", id, d.leafIDs()) {
		return nil
	}
	return d.Stage(id)
}

func (f *findings) share(path string, v float64) {
	if v < 0 || v > 1 {
		f.add(path, "%v is no share between 0 and 1", v)
	}
}

func (f *findings) evaluations(d *Definition) {
	seen := make(map[string]bool)
	for i := range d.Evaluations {
		a, at := &d.Evaluations[i], fmt.Sprintf("evaluations[%d]", i)
		if !namePattern.MatchString(a.ID) {
			f.add(at+".id", "the id %q must be a lower-case name such as answers", a.ID)
		} else if seen[a.ID] {
			f.add(at+".id", "the id %q is there twice", a.ID)
		}
		seen[a.ID] = true
		f.optional(at+".on", "occasion", a.On, occasions)
		if a.By == ByProvider {
			f.add(at+".by", "a provider judges gates only: who judges in silence is one of %s", strings.Join(Evaluators[1:], ", "))
		} else {
			f.oneOf(at+".by", "evaluator", a.By, Evaluators[1:])
		}
		f.share(at+".pass", a.Pass)
		f.notNegative(at+".budget", a.Budget)
		if a.Attempts < 0 || a.Attempts > maxAttempts {
			f.add(at+".attempts", "between 1 and %d; left out, it is %d", maxAttempts, DefaultJudgeAttempts)
		}
		f.reference(d, at+".reference", a.Reference)
		f.attached(d, a, at)
	}
}

// attached checks the stages that an attachment is about, and that there is a right answer where one is compared with.
func (f *findings) attached(d *Definition, a *Attachment, at string) {
	lacks := slices.Contains(Comparing, a.By) && a.Reference == ""
	for i, id := range a.Stages {
		path := fmt.Sprintf("%s.stages[%d]", at, i)
		s := f.named(d, path, id)
		switch {
		case s == nil:
		case slices.Index(a.Stages, id) < i:
			f.add(path, "stage %s is there twice", id)
		case s.Final || s.Responder == ByReport:
			f.add(path, "there is nothing to judge in stage %s", id)
		case lacks && s.Reference == "":
			f.add(path, "%s compares with a right answer: give stage %s a reference", a.By, id)
		}
	}
	known := slices.ContainsFunc(d.Stages, func(s Stage) bool { return s.Reference != "" })
	if lacks && len(a.Stages) == 0 && !known {
		f.add(at+".by", "%s compares with a right answer: give the attachment or a stage a reference", a.By)
	}
}

// reference checks where a right answer is to come from.
func (f *findings) reference(d *Definition, path, text string) {
	name, isVar := strings.CutPrefix(text, ReferenceVar)
	switch {
	case isVar:
		f.declared(d, path, name)
	case text == ReferenceComplexity && d.Problems == nil:
		f.add(path, "%s needs problems: name a set of them", text)
	case strings.HasPrefix(text, "problem.") && text != ReferenceComplexity:
		f.add(path, "%q is no right answer of a problem: there is %s", text, ReferenceComplexity)
	}
}

func (f *findings) report(d *Definition) {
	r := d.Report
	if r == nil {
		return
	}
	f.notNegative("report.wait", r.Wait)
	if r.Wait.Std() > maxWait {
		f.add("report.wait", "nobody waits longer than %s for a report", span(maxWait))
	}
	for i, section := range r.Sections {
		at := fmt.Sprintf("report.sections[%d]", i)
		if f.oneOf(at, "section", section, Sections) && slices.Index(r.Sections, section) < i {
			f.add(at, "section %s is there twice", section)
		}
	}
	if r.Questions < 0 {
		f.add("report.questions", "it cannot be negative")
	}
	if field, known := d.Fields[r.Code]; r.Code != "" && (!known || field.Secret) {
		f.add("report.code", "%q is no field that the candidate may see: name one of those under fields", r.Code)
	}
}

// telling checks a stage that waits for the report and tells it.
func (f *findings) telling(d *Definition, s *Stage, path string) {
	first := slices.IndexFunc(d.Stages, func(o Stage) bool { return o.Responder == ByReport })
	if own := d.Index(s.ID); own != first {
		f.add(path+".responder", "stage %s tells the report already: there is one report", d.Stages[first].ID)
	}
	if s.Final {
		f.add(path+".responder", "the goodbye cannot wait for the report: give it a stage before")
		return
	}
	if d.Report == nil {
		f.add(path+".responder", "stage %s tells the report, but none is made: say how under report, such as {wait: 30s}", s.ID)
	}
	if s.Fallback == "" {
		f.add(path+".fallback", "name the prompt that says that the report will follow, for when it is late")
	}
	if least := d.Report.Budget(); s.Limits.Hard > 0 && s.Limits.Hard.Std() < least {
		f.add(path+".limits.hard", "the wait for the report alone is %s", span(least))
	}
	for _, k := range []struct {
		key string
		set bool
	}{
		{"slots", s.Slots != nil}, {"gate", s.Gate != nil}, {"done", !s.Done.Zero()}, {"no_input", s.NoInput != nil},
		{"expand", s.Expand != ""}, {"criteria", s.Criteria != nil}, {"hints", s.Hints != nil}, {"reference", s.Reference != ""},
	} {
		if k.set {
			f.add(path+"."+k.key, "stage %s waits for the report and asks nothing: leave %s out", s.ID, k.key)
		}
	}
}

func (f *findings) recording(d *Definition) {
	r := d.Recording
	if r == nil {
		return
	}
	switch {
	case r.Stage == "" && r.Slot == "":
		return // the page and dispatch metadata can give consent all the same
	case r.Stage == "":
		f.add("recording.stage", "say in which stage the slot %s asks for consent", r.Slot)
		return
	case r.Slot == "":
		f.add("recording.slot", "say which slot of stage %s holds the consent", r.Stage)
	}
	s := f.named(d, "recording.stage", r.Stage)
	if s == nil || r.Slot == "" || s.Slot(r.Slot) != nil {
		return
	}
	ids := make([]string, len(s.Slots))
	for i := range s.Slots {
		ids[i] = s.Slots[i].ID
	}
	f.add("recording.slot", "stage %s has no slot %q%s", s.ID, r.Slot, Meant(r.Slot, ids))
}

func (f *findings) personas(d *Definition) {
	p := d.Personas
	if p == nil {
		return
	}
	if p.Count < 0 || p.Count > maxQuestions {
		f.add("personas.count", "between 1 and %d questions; left out, there are %d", maxQuestions, DefaultQuestions)
	}
	if p.Questions == "" {
		f.add("personas.questions", "name the stage in which the persona asks")
	}
	for _, x := range []struct{ key, id string }{{"menu", p.Menu}, {"questions", p.Questions}} {
		at := "personas." + x.key
		if x.id == "" {
			continue
		}
		if s := f.named(d, at, x.id); s != nil && s.Responder != ByExperts {
			f.add(at, "personas are experts: give stage %s responder: experts", x.id)
		}
	}
	if m, q := d.Index(p.Menu), d.Index(p.Questions); m >= 0 && q >= 0 && m >= q {
		f.add("personas.menu", "the persona is chosen before it asks: stage %s does not come before %s", p.Menu, p.Questions)
	}
}
