package definition

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate/registry"
)

var (
	kindPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	stagePattern  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	localePattern = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
	namePattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// The closed sets that a definition chooses from. What stands behind the names is elsewhere; tests hold the lists equal.
var (
	// Intents are the meanings that a guard may wait for; stages/understand recognises them.
	Intents = []string{"done", "think", "repeat", "refuse", "end", "answer", "frustrated", "skip", "hint", "yes", "no"}
	// Evaluators are who may judge: those that are registered, and before them "provider", which is the company itself.
	Evaluators = append([]string{ByProvider}, registry.Names()...)
	// Lexicons are the word lists that every language has; a definition may add its own under input.lexicons.
	Lexicons = []string{"complexity", "short", "work"}
	// Sources are what a field of the blackboard may be filled from, beside var.<name>.
	Sources = []string{"problem.id", "problem.text", "problem.title", "problem.difficulty", "problem.pattern", "problem.complexity"}
)

var (
	difficulties = []string{"easy", "medium", "hard"}
	fieldTypes   = []string{"text", "list", "number", "flag"}
)

// check finds what is wrong beyond the shape.
func (f *findings) check(d *Definition) {
	if !kindPattern.MatchString(d.Kind) {
		f.add("kind", "kind %q must be a lower-case name such as two_stage", d.Kind)
	}
	if d.Title == "" {
		f.add("title", "give the interview a title: people choose it by that")
	}
	f.locales(d)
	f.provider(d)
	f.problemSet(d)
	f.fields(d)
	f.experts(d)
	f.input(d)
	f.recovery(d)
	f.evaluations(d)
	f.report(d)
	f.recording(d)
	f.personas(d)
	f.facts(d)
	f.stages(d)
}

// facts checks the sheet of the kind; what an answer lacks in a language of the interview is a matter of package lint.
func (f *findings) facts(d *Definition) { d.Facts.Check("facts", f.add) }

// oneOf notes a word that is not among those there are.
func (f *findings) oneOf(path, what, got string, known []string) bool {
	if slices.Contains(known, got) {
		return true
	}
	there := "there is none"
	if len(known) > 0 {
		there = "there are " + strings.Join(known, ", ")
	}
	f.add(path, "unknown %s %q: %s%s", what, got, there, Meant(got, known))
	return false
}

// optional is oneOf for a word that may be left out.
func (f *findings) optional(path, what, got string, known []string) {
	if got != "" {
		f.oneOf(path, what, got, known)
	}
}

func (f *findings) locales(d *Definition) {
	if len(d.Locales) == 0 {
		f.add("locales", "name at least one language, such as [en]")
	}
	for i, l := range d.Locales {
		at := fmt.Sprintf("locales[%d]", i)
		if !localePattern.MatchString(l) {
			f.add(at, "%q is not a language tag such as en or zh-CN", l)
		}
		if slices.Index(d.Locales, l) < i {
			f.add(at, "language %s is there twice", l)
		}
	}
}

// declared notes a variable that is named but not declared.
func (f *findings) declared(d *Definition, path, name string) {
	if _, ok := d.Vars[name]; !ok {
		f.oneOf(path, "variable", name, slices.Sorted(maps.Keys(d.Vars)))
	}
}

func (f *findings) provider(d *Definition) {
	p := d.Provider
	if p == nil {
		return
	}
	if p.Type == "" {
		f.add("provider.type", "say which type of interview the provider is asked for, such as system_design")
	}
	if p.Company != "" {
		f.declared(d, "provider.company", p.Company)
	}
	if p.Question != "" {
		f.declared(d, "provider.question", p.Question)
	}
	f.notNegative("provider.wait", p.Wait)
}

func (f *findings) problemSet(d *Definition) {
	p := d.Problems
	if p == nil {
		return
	}
	if p.Set == "" {
		f.add("problems.set", "name the set of problems, such as algorithm")
	}
	if p.Pick != "" {
		f.declared(d, "problems.pick", p.Pick)
	}
	for i, level := range p.Levels {
		f.oneOf(fmt.Sprintf("problems.levels[%d]", i), "difficulty", level, difficulties)
	}
}

func (f *findings) fields(d *Definition) {
	for _, id := range slices.Sorted(maps.Keys(d.Fields)) {
		field, at := d.Fields[id], "fields."+id
		if !namePattern.MatchString(id) {
			f.add(at, "field id %q must be a lower-case name", id)
		}
		f.optional(at+".type", "type", field.Type, fieldTypes)
		name, isVar := strings.CutPrefix(field.From, "var.")
		switch {
		case isVar:
			f.declared(d, at+".from", name)
		case field.From != "" && f.oneOf(at+".from", "source", field.From, Sources) && d.Problems == nil:
			f.add(at+".from", "%s needs problems: name a set of them", field.From)
		}
	}
}

// experts checks the names' shape only: which experts there are is known to those who register them.
func (f *findings) experts(d *Definition) {
	led := slices.ContainsFunc(d.Stages, func(s Stage) bool { return s.Responder == ByExperts })
	if len(d.Experts) > 0 && !led {
		f.add("experts", "experts are named, but no stage has responder: experts")
	}
	if led && len(d.Fields) == 0 {
		f.add("fields", "experts share a blackboard: declare its fields, such as user_approach: {type: text}")
	}
	for i, name := range d.Experts {
		at := fmt.Sprintf("experts[%d]", i)
		if !stagePattern.MatchString(name) {
			f.add(at, "%q is not a name of an expert", name)
		}
		if slices.Index(d.Experts, name) < i {
			f.add(at, "expert %s is there twice: each stage needs exactly one", name)
		}
	}
}

func (f *findings) input(d *Definition) {
	in := d.Input
	for _, n := range []struct {
		name  string
		value int
	}{{"short_below", in.ShortBelow}, {"repeat_window", in.RepeatWindow}, {"help", in.Help}} {
		if n.value < 0 {
			f.add("input."+n.name, "it cannot be negative")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Lexicons)) {
		for lang := range in.Lexicons[name] {
			if lang != "any" && !localePattern.MatchString(lang) {
				f.add("input.lexicons."+name+"."+lang, "%q is neither a language tag such as en nor any", lang)
			}
		}
	}
	if !in.Check {
		return
	}
	for _, p := range []struct{ name, id string }{
		{"empty", in.Empty}, {"short", in.Short}, {"repeated", in.Repeated}, {"help_mode", in.HelpMode},
	} {
		if p.id == "" {
			f.add("input."+p.name, "with check: true, name the prompt that is said then")
		}
	}
	if in.OffTopic && in.Off == "" {
		f.add("input.off", "with off_topic: true, name the prompt that is said then")
	}
}

func (f *findings) recovery(d *Definition) {
	f.notNegative("recovery.hold", d.Recovery.Hold)
	f.notNegative("recovery.budget", d.Recovery.Budget)
	if d.Budget.SessionTokens < 0 {
		f.add("budget.session_tokens", "it cannot be negative")
	}
}

func (f *findings) notNegative(path string, span Duration) {
	if span < 0 {
		f.add(path, "a time span cannot be negative")
	}
}
