package definition

import (
	"fmt"
	"slices"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// ByProvider is the evaluator of a gate that stands for the company's own judgement.
const ByProvider = "provider"

func (f *findings) criteria(s *Stage, path string) {
	for i, c := range s.Criteria {
		languages(f, fmt.Sprintf("%s.criteria[%d].aliases", path, i), c.Aliases)
	}
	f.Distinct(path+".criteria", ".id", "criterion", datafile.Names(s.Criteria, func(c *Criterion) string { return c.ID }))
}

func (f *findings) expand(s *Stage, path string) {
	if s.Expand == "" {
		if s.Single != nil {
			f.Add(path+".single", "single is for a stage with expand: phases that got none")
		}
		return
	}
	if f.def.Provider == nil {
		f.Add(path+".expand", "the phases of stage %s come from a provider: say which under provider, such as {type: system_design}", s.ID)
	}
	if s.Single != nil && s.Single.Open == "" {
		f.Add(path+".single.open", "stage %s has no words to open with when there are no phases", s.ID)
	}
	if s.Responder == ByExperts {
		f.Add(path+".responder", "experts cannot lead a stage that is expanded")
	}
}

func (f *findings) gate(s *Stage, path string) {
	g, at := s.Gate, path+".gate"
	if g == nil {
		return
	}
	if g.Budget > 0 && g.Hold >= g.Budget {
		f.Add(at+".hold", "whoever waits is told before the budget of %s is used up", g.Budget.Std())
	}
	switch {
	case g.By == ByProvider && s.Expand == "":
		f.Add(at+".by", "a provider judges sub-phases: stage %s is not expanded", s.ID)
	case s.Reference == "" && (slices.Contains(Comparing, g.By) || slices.Contains(Comparing, g.Else)):
		f.Add(at, "the gate of stage %s compares with a right answer: give the stage a reference", s.ID)
	case len(s.Criteria) == 0 && s.Expand == "" && g.Rubric == "" && !slices.Contains(Comparing, g.By):
		f.Add(at, "the gate of stage %s has nothing to judge by: list criteria, or name a rubric", s.ID)
	}
}

// substitutes are the evaluators that judge by rules, so that they can stand in for one that failed.
func substitutes() []string {
	return slices.DeleteFunc(registry.Names(), func(name string) bool {
		return registry.Rules(name) == nil
	})
}

func (f *findings) skip(s *Stage, path string) {
	k, at := s.Skip, path+".skip"
	switch {
	case k.Rule == SkipNever && k.Refuse == "":
		f.Add(at+".refuse", "name the prompt that says why stage %s cannot be skipped", s.ID)
	case (k.Rule == SkipAllowed || k.Rule == SkipForward) && k.Allow == "":
		f.Add(at+".allow", "name the prompt that agrees to skip stage %s", s.ID)
	}
	if (k.Rule == SkipForward || k.Reorder || len(k.Parallel) > 0) && s.Expand == "" {
		f.Add(at, "forward, reorder and parallel are about sub-phases: stage %s is not expanded", s.ID)
	}
	for i, pair := range k.Parallel {
		if len(pair) != 2 || pair[0] == pair[1] {
			f.Add(fmt.Sprintf("%s.parallel[%d]", at, i), "a pair is two different ids of phases")
		}
	}
}

func (f *findings) edges(s *Stage, path string) {
	own := f.def.Index(s.ID)
	sure := false
	for i, e := range s.Next {
		at := fmt.Sprintf("%s.next[%d]", path, i)
		if to := f.stageAt(at+".to", e.To); to != nil && f.def.Index(e.To) <= own {
			f.Add(at+".to", "stage %s does not come after %s: an interview only goes forward", e.To, s.ID)
		}
		if sure {
			f.Add(at, "this way is never taken: the one before it has no condition")
		}
		sure = sure || e.When.Zero()
		if !e.When.Zero() {
			f.guard(s, e.When, at+".when")
		}
	}
}

// reach notes the stages that no way leads to.
func (f *findings) reach() {
	reached := make([]bool, len(f.def.Stages))
	reached[0] = true
	for i := range f.def.Stages {
		if !reached[i] {
			s := &f.def.Stages[i]
			f.Add(f.def.Path(s.ID), "stage %s can never be reached: every way leads past it", s.ID)
			continue
		}
		for _, to := range f.def.ways(i) {
			reached[to.stage] = true
		}
	}
}

// way is a possible move from one stage to another; when is nil for the one without a condition.
type way struct {
	stage int
	when  *Guard
}

// ways lists where stage i may lead, in the order in which it is tried.
func (d *Definition) ways(i int) []way {
	var out []way
	s := &d.Stages[i]
	for k := range s.Next {
		to := d.Index(s.Next[k].To)
		if to < 0 {
			continue
		}
		if s.Next[k].When.Zero() {
			return append(out, way{stage: to})
		}
		out = append(out, way{stage: to, when: &s.Next[k].When})
	}
	if i+1 < len(d.Stages) {
		out = append(out, way{stage: i + 1})
	}
	return out
}
