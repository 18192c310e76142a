package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// findings collects what is wrong with one file and knows where in it each path stands.
type findings struct {
	*datafile.File
	def *Definition
}

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

// check finds what is wrong beyond single values.
func (f *findings) check() {
	if len(f.def.Locales) == 0 {
		f.Add("locales", "name at least one language, such as [en]")
	}
	f.Distinct("locales", "", "language", f.def.Locales)
	f.fields()
	f.experts()
	f.input()
	f.evaluations()
	f.report()
	f.recording()
	f.personas()
	f.def.Facts.Check("facts", f.Add) // what an answer lacks in a language of the interview is a matter of package lint
	f.stages()
}

// declared notes a variable that is named but not declared.
func (f *findings) declared(path, name string) {
	f.OneOf(path, "variable", name, slices.Sorted(maps.Keys(f.def.Vars)))
}

func (f *findings) fields() {
	for _, id := range slices.Sorted(maps.Keys(f.def.Fields)) {
		field, at := f.def.Fields[id], "fields."+id
		if !namePattern.MatchString(id) {
			f.Add(at, "field id %q must be a lower-case name", id)
		}
		name, isVar := strings.CutPrefix(field.From, "var.")
		switch {
		case isVar:
			f.declared(at+".from", name)
		case field.From != "" && f.OneOf(at+".from", "source", field.From, Sources) && f.def.Problems == nil:
			f.Add(at+".from", "%s needs problems: name a set of them", field.From)
		}
	}
}

// experts checks the names' shape only: which experts there are is known to those who register them.
func (f *findings) experts() {
	led := len(f.def.Led()) > 0
	if len(f.def.Experts) > 0 && !led {
		f.Add("experts", "experts are named, but no stage has responder: experts")
	}
	if led && len(f.def.Fields) == 0 {
		f.Add("fields", "experts share a blackboard: declare its fields, such as user_approach: {type: text}")
	}
	for i, name := range f.def.Experts {
		at := fmt.Sprintf("experts[%d]", i)
		if !stagePattern.MatchString(name) {
			f.Add(at, "%q is not a name of an expert", name)
		}
	}
	f.Distinct("experts", "", "expert", f.def.Experts)
}

func (f *findings) input() {
	in := f.def.Input
	for _, name := range slices.Sorted(maps.Keys(in.Lexicons)) {
		languages(f, "input.lexicons."+name, in.Lexicons[name])
	}
	if !in.Check {
		return
	}
	for _, p := range []struct{ name, id string }{
		{"empty", in.Empty}, {"short", in.Short}, {"repeated", in.Repeated}, {"help_mode", in.HelpMode},
	} {
		if p.id == "" {
			f.Add("input."+p.name, "with check: true, name the prompt that is said then")
		}
	}
	if in.OffTopic && in.Off == "" {
		f.Add("input.off", "with off_topic: true, name the prompt that is said then")
	}
}

// languages notes keys of a table by language that are none.
func languages[T any](f *findings, path string, table map[string]T) {
	for lang := range table {
		if lang != "any" && !localePattern.MatchString(lang) {
			f.Add(path+"."+lang, "%q is neither a language tag such as en nor any", lang)
		}
	}
}
