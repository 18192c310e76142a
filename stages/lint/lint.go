// Package lint finds everything that is wrong with an interview before it is held: the definition, and what it names
// elsewhere — experts, problems, rubrics, rules, words in every language. It is for those who write interviews: it goes on
// after a problem, names the place, and says what was meant. An interview without findings loads; the engine makes sure of
// that again by itself.
package lint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// World is what an interview may name. The zero value is what comes with Viva.
type World struct {
	// Words are where catalogues are looked for before the shipped ones, as <catalogue>/<locale>.yaml.
	Words []fs.FS
	// Problems are where sets of problems are looked for beside the shipped ones, as <set>/<id>.yaml.
	Problems []fs.FS
	// Experts are those who may lead stages; nil = the shipped ones.
	Experts *expert.Registry
	// Rubrics are the ids of rubrics that there are beside the shipped ones.
	Rubrics []string
}

// Finding is one thing that is wrong.
type Finding struct {
	File             string
	datafile.Finding // in words, Path is the prompt's id
}

func (f Finding) String() string { return f.In(f.File) }

// Interview checks a definition file and everything that it names. The findings are in the order of the file, those about
// words after them.
func Interview(file string, text []byte, w World) []Finding {
	l := &linter{file: file, world: w}
	d, problems := definition.Read(text)
	for _, p := range problems {
		l.at(p)
	}
	l.def = d
	l.experts()
	l.problems()
	l.rubrics()
	l.facts()
	slices.SortStableFunc(l.found, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	l.words()
	return l.found
}

type linter struct {
	file    string
	world   World
	def     *definition.Definition
	secrets []string
	found   []Finding
}

func (l *linter) at(p datafile.Finding) {
	l.found = append(l.found, Finding{l.file, p})
}

// flaw notes what is wrong with the words of a language.
func (l *linter) flaw(locale, prompt, format string, args ...any) {
	l.found = append(l.found, Finding{l.wordsFile(locale), datafile.Finding{Path: prompt, Text: fmt.Sprintf(format, args...)}})
}

func (l *linter) add(path, format string, args ...any) { l.at(l.def.Finding(path, format, args...)) }

// experts checks that those who are named exist, that exactly one leads each stage that has them (R003-10), and that
// guards wait for flags that somebody raises.
func (l *linter) experts() {
	led := l.def.Led()
	if len(led) == 0 {
		return
	}
	all := l.world.Experts
	if all == nil {
		var err error
		if all, err = kinds.Experts(l.def); err != nil {
			l.add("personas", "%v", err)
			return
		}
	}
	var known []string
	for i, name := range l.def.Experts {
		if slices.Contains(all.Names(), name) {
			known = append(known, name)
			continue
		}
		l.add(fmt.Sprintf("experts[%d]", i), "%s", datafile.Unknown("expert", name, all.Names()))
	}
	if len(l.def.Experts) > 0 && len(known) == 0 {
		return
	}
	some, err := all.Only(known)
	if err != nil {
		l.add("experts", "%v", err)
		return
	}
	for _, id := range led {
		if _, err := some.For(expert.Board{CurrentStage: id}); err != nil {
			l.add(l.def.Path(id)+".responder", "%v", err)
		}
	}
}

// problems checks the set, and that each problem is there in every language of the interview.
func (l *linter) problems() {
	p := l.def.Problems
	if p == nil || p.Set == "" {
		return
	}
	set, err := problem.Load(p.Set, append([]fs.FS{problem.Shipped()}, l.world.Problems...)...)
	if err != nil {
		l.add("problems.set", "%v", err)
	}
	if set == nil {
		return
	}
	fits := len(p.Levels) == 0
	for _, id := range set.IDs() {
		one, _ := set.Find(id)
		l.secrets = append(l.secrets, one.Secrets()...)
		fits = fits || slices.Contains(p.Levels, one.Difficulty)
		for i, locale := range l.def.Locales {
			lang := prompts.Language(locale)
			if one.Text[locale] == "" && one.Text[lang] == "" {
				l.add(fmt.Sprintf("locales[%d]", i), "problem %s is not there in language %s", id, locale)
			}
		}
	}
	if !fits && len(set.IDs()) > 0 {
		l.add("problems.levels", "no problem of the set is %s", strings.Join(p.Levels, " or "))
	}
}

// facts notes what the interviewer could not answer in a language of the interview: it would be told in English, or not be
// recognised when it is asked for (RM-8).
func (l *linter) facts() {
	sheet := facts.Join(facts.Default(), l.def.Facts)
	for i, locale := range l.def.Locales {
		if language := prompts.Language(locale); !slices.Contains(facts.Languages, language) {
			continue // words says that nobody understands it
		}
		for _, lack := range sheet.Lacks(locale) {
			at := fmt.Sprintf("locales[%d]", i)
			if n := slices.IndexFunc(l.def.Facts, func(f facts.Fact) bool { return f.ID == lack.ID }); n >= 0 {
				at = fmt.Sprintf("facts[%d]", n)
			}
			l.add(at, "fact %s", lack)
		}
	}
}

func (l *linter) rubrics() {
	for i := range l.def.Stages {
		s := &l.def.Stages[i]
		if g := s.Gate; g != nil {
			l.rubric(l.def.Path(s.ID)+".gate.rubric", g.By, g.Rubric)
		}
	}
	for i := range l.def.Evaluations {
		a := &l.def.Evaluations[i]
		l.rubric(fmt.Sprintf("evaluations[%d].rubric", i), a.By, a.Rubric)
	}
}

// rubric checks that who judges has the rubric that is named.
func (l *linter) rubric(path, by, id string) {
	if id == "" {
		return
	}
	known := registry.Rubrics(by)
	if known == nil { // the company's own, or one that needs none
		known = evaluate.RubricIDs()
	}
	if known = append(slices.Clone(known), l.world.Rubrics...); !slices.Contains(known, id) {
		l.add(path, "%s", datafile.Unknown("rubric", id, known))
	}
}

// references notes where a right answer would be said aloud: prompts may use variables, and one of them holds it (RX-20).
func (l *linter) references() []string {
	var out []string
	add := func(reference string) {
		if name, is := strings.CutPrefix(reference, definition.ReferenceVar); is {
			out = append(out, "Var."+name)
		}
	}
	for i := range l.def.Stages {
		add(l.def.Stages[i].Reference)
	}
	for i := range l.def.Evaluations {
		add(l.def.Evaluations[i].Reference)
	}
	return out
}

// words checks the interview in each of its languages.
func (l *linter) words() {
	catalogues := make(map[string]*prompts.Catalogue)
	for i, locale := range l.def.Locales {
		at := fmt.Sprintf("locales[%d]", i)
		rules, err := understand.Load(understand.Shipped(), locale)
		if err != nil {
			l.add(at, "nobody understands language %s yet: %v", locale, err)
		} else {
			l.fillable(rules, locale)
		}
		c, err := l.catalogue(locale)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.add(at, "the words for language %s are missing: write %s", locale, l.wordsFile(locale))
		case err != nil:
			l.flaw(locale, "", "%v", err)
		default:
			catalogues[locale] = c
			l.spoken(c, locale)
		}
	}
	l.languages(catalogues)
}

func (l *linter) wordsFile(locale string) string {
	return "prompts/" + l.def.Catalogue() + "/" + locale + ".yaml"
}

func (l *linter) catalogue(locale string) (c *prompts.Catalogue, err error) {
	for _, fsys := range append(slices.Clone(l.world.Words), prompts.Shipped()) {
		if c, err = prompts.Load(fsys, l.def.Catalogue(), locale); !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
	}
	return nil, err
}

// fillable notes required slots that nothing can fill when no model listens.
func (l *linter) fillable(rules *understand.Rules, locale string) {
	for i := range l.def.Stages {
		s := &l.def.Stages[i]
		for k, slot := range s.Slots {
			fact := cmp.Or(slot.Find, slot.ID)
			if slot.Required && slot.MinWords == 0 && slot.OpeningWords == 0 && !rules.Knows(fact) {
				l.add(fmt.Sprintf("%s.slots[%d]", l.def.Path(s.ID), k),
					"without a model nothing fills %q in language %s: there is no rule for %q, so say with min_words how long an answer has to be", slot.ID, locale, fact)
			}
		}
	}
}
