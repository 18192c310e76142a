package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// The words that parts of a stage choose from.
var (
	skipRules = []string{SkipNever, SkipAllowed, SkipForward}
	whose     = []string{"candidate", "both"}
	matches   = []string{"token", "substring"}
	decisions = []string{"next_phase", "continue"}
)

// ByProvider is the evaluator of a gate that stands for the company's own judgement.
const ByProvider = "provider"

func (f *findings) criteria(s *Stage, path string) {
	seen := make(map[string]bool)
	for i, c := range s.Criteria {
		at := fmt.Sprintf("%s.criteria[%d]", path, i)
		if c.Phrase == "" {
			f.add(at+".phrase", "say what an answer should cover, such as latency")
		}
		if c.ID != "" && seen[c.ID] {
			f.add(at+".id", "criterion %q is there twice", c.ID)
		}
		seen[c.ID] = true
		if c.Weight < 0 {
			f.add(at+".weight", "a weight cannot be negative")
		}
		for lang := range c.Aliases {
			if lang != "any" && !localePattern.MatchString(lang) {
				f.add(at+".aliases."+lang, "%q is neither a language tag such as en nor any", lang)
			}
		}
	}
}

func (f *findings) expand(d *Definition, s *Stage, path string) {
	if s.Expand == "" {
		if s.Single != nil {
			f.add(path+".single", "single is for a stage with expand: phases that got none")
		}
		return
	}
	f.oneOf(path+".expand", "expansion", s.Expand, []string{ExpandPhases})
	if d.Provider == nil {
		f.add(path+".expand", "the phases of stage %s come from a provider: say which under provider, such as {type: system_design}", s.ID)
	}
	if s.Single != nil && s.Single.Open == "" {
		f.add(path+".single.open", "stage %s has no words to open with when there are no phases", s.ID)
	}
	if s.Responder == ByExperts {
		f.add(path+".responder", "experts cannot lead a stage that is expanded")
	}
}

func (f *findings) gate(s *Stage, path string) {
	g, at := s.Gate, path+".gate"
	if g == nil {
		return
	}
	known := f.oneOf(at+".by", "evaluator", g.By, Evaluators)
	if g.Else != "" && f.oneOf(at+".else", "evaluator", g.Else, Evaluators) && !slices.Contains(substitutes(), g.Else) {
		f.add(at+".else", "%s can fail as well: %s stand in by rules", g.Else, strings.Join(substitutes(), ", "))
	}
	f.optional(at+".words", "choice", g.Words, whose)
	f.optional(at+".match", "choice", g.Match, matches)
	f.gateNumbers(g, at)
	switch {
	case known && g.By == ByProvider && s.Expand == "":
		f.add(at+".by", "a provider judges sub-phases: stage %s is not expanded", s.ID)
	case s.Reference == "" && (slices.Contains(Comparing, g.By) || slices.Contains(Comparing, g.Else)):
		f.add(at, "the gate of stage %s compares with a right answer: give the stage a reference", s.ID)
	case len(s.Criteria) == 0 && s.Expand == "" && g.Rubric == "" && !slices.Contains(Comparing, g.By):
		f.add(at, "the gate of stage %s has nothing to judge by: list criteria, or name a rubric", s.ID)
	}
}

func (f *findings) gateNumbers(g *Gate, at string) {
	f.share(at+".pass", g.Pass)
	if g.Attempts < 0 {
		f.add(at+".attempts", "it cannot be negative")
	}
	if g.Turns < 0 {
		f.add(at+".turns", "it cannot be negative")
	}
	if g.Every < 0 {
		f.add(at+".every", "it cannot be negative")
	}
	f.notNegative(at+".hold", g.Hold)
	f.notNegative(at+".budget", g.Budget)
	if g.Budget > 0 && g.Hold >= g.Budget {
		f.add(at+".hold", "whoever waits is told before the budget of %s is used up", g.Budget.Std())
	}
}

// substitutes are the evaluators that judge by rules, so that they can stand in for one that failed.
func substitutes() []string {
	return slices.DeleteFunc(registry.Names(), func(name string) bool {
		x, _ := registry.Lookup(name)
		_, rules := x.(evaluate.Evaluator)
		return !rules
	})
}

func (f *findings) skip(s *Stage, path string) {
	k, at := s.Skip, path+".skip"
	f.optional(at+".rule", "rule", k.Rule, skipRules)
	switch {
	case k.Rule == SkipNever && k.Refuse == "":
		f.add(at+".refuse", "name the prompt that says why stage %s cannot be skipped", s.ID)
	case (k.Rule == SkipAllowed || k.Rule == SkipForward) && k.Allow == "":
		f.add(at+".allow", "name the prompt that agrees to skip stage %s", s.ID)
	}
	if (k.Rule == SkipForward || k.Reorder || len(k.Parallel) > 0) && s.Expand == "" {
		f.add(at, "forward, reorder and parallel are about sub-phases: stage %s is not expanded", s.ID)
	}
	if k.After < 0 {
		f.add(at+".after", "it cannot be negative")
	}
	for i, pair := range k.Parallel {
		if len(pair) != 2 || pair[0] == pair[1] {
			f.add(fmt.Sprintf("%s.parallel[%d]", at, i), "a pair is two different ids of phases")
		}
	}
}

func (f *findings) edges(d *Definition, s *Stage, path string) {
	ids, own := make([]string, len(d.Stages)), d.Index(s.ID)
	for i := range d.Stages {
		ids[i] = d.Stages[i].ID
	}
	sure := false
	for i, e := range s.Next {
		at := fmt.Sprintf("%s.next[%d]", path, i)
		switch g := d.GroupByID(e.To); {
		case g != nil:
			f.add(at+".to", "%s is a group: name the stage in it to go to, such as %s", e.To, leaves(g.Stages, nil, nil)[0].ID)
		case !slices.Contains(ids, e.To):
			f.oneOf(at+".to", "stage", e.To, ids)
		case d.Index(e.To) <= own:
			f.add(at+".to", "stage %s does not come after %s: an interview only goes forward", e.To, s.ID)
		}
		if sure {
			f.add(at, "this way is never taken: the one before it has no condition")
		}
		sure = sure || e.When.Zero()
		if !e.When.Zero() {
			f.guard(d, s, e.When, at+".when")
		}
	}
}

// reach notes the stages that no way leads to.
func (f *findings) reach(d *Definition) {
	reached := make([]bool, len(d.Stages))
	reached[0] = true
	for i := range d.Stages {
		if !reached[i] {
			s := &d.Stages[i]
			f.add(d.Path(s.ID), "stage %s can never be reached: every way leads past it", s.ID)
			continue
		}
		for _, to := range d.ways(i) {
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
