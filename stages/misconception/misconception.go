// Package misconception knows what people often get wrong in a subject, and for each the question or small case that lets them see it.
// An interview names its subjects; what it then hears is asked about by rules, and told to nobody as a fact (RM-19). Of some subjects it
// knows the choices, too, that people make in them, and what to ask of each.
package misconception

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/problem"
)

// Misconception is a statement that does not hold.
type Misconception struct {
	ID string `yaml:"id"`
	// Plain are ways in which people say it, by language, written as the plain words of a problem's approaches.
	Plain map[string][]string `yaml:"plain"`
	// Unless are words, of any language, with which the same sentence says something true or something else.
	Unless []string `yaml:"unless"`
	// About are words, of any language, one of which the text has to hold, in whatever sentence.
	About []string `yaml:"about"`
	// Ask is the question that lets somebody see it, by language: one sentence or two, which tell no solution.
	Ask map[string]string `yaml:"ask"`
	// Why says in a sentence what is wrong, by language, for the report.
	Why map[string]string `yaml:"why"`
}

// lists are what a file holds of one subject.
type lists struct {
	Misconceptions []Misconception `yaml:"misconceptions"`
	Probes         []Probe         `yaml:"probes"`
	Sides          []side          `yaml:"sides"`
}

// Subject is the content of one or several files, ready to be heard.
type Subject struct {
	lists
	listener, choices *problem.Listener
}

//go:embed subjects/*.yaml
var files embed.FS

// Subjects are the names of those that there are, sorted.
func Subjects() []string {
	names, err := fs.Glob(files, "subjects/*.yaml")
	if err != nil {
		return nil // the pattern is a good one
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(name, "subjects/"), ".yaml")
	}
	return names
}

// Of joins the subjects with these names. The error names one that there is not, or everything that is wrong with its file.
func Of(names ...string) (*Subject, error) {
	all := strings.Join(names, " ")
	if kept, is := ready.Load(all); is {
		if s, is := kept.(*Subject); is {
			return s, nil
		}
	}
	s, err := join(names)
	if err == nil {
		ready.Store(all, s)
	}
	return s, err
}

// ready are subjects by their names: they are read-only, and every interview in every language asks for them.
var ready sync.Map

func join(names []string) (*Subject, error) {
	all, err := read()
	if err != nil {
		return nil, err
	}
	s := &Subject{}
	for _, name := range names {
		c, there := all[name]
		if !there {
			return nil, fmt.Errorf("nobody has listed what people get wrong about %q: the subjects are %s", name, strings.Join(Subjects(), ", "))
		}
		s.Misconceptions, s.lists.Probes = append(s.Misconceptions, c.Misconceptions...), append(s.lists.Probes, c.Probes...)
		s.Sides = append(s.Sides, c.Sides...)
	}
	var wrong, made []problem.Statement
	for i := range s.Misconceptions {
		wrong = append(wrong, problem.Statement{ID: s.Misconceptions[i].ID, Plain: s.Misconceptions[i].Plain})
	}
	for i := range s.lists.Probes {
		made = append(made, problem.Statement{ID: s.lists.Probes[i].ID, Plain: s.lists.Probes[i].Plain, Named: true})
	}
	s.listener, s.choices = problem.Listen(wrong), problem.Listen(made)
	return s, nil
}

// Heard is a misconception that somebody has said, with the sentence of theirs, and the words for it in one language.
type Heard struct{ ID, Quote, Ask, Why string }

// Hear returns what of the subject a text gets wrong, in the order in which it does. What has no words in the language is left out.
func (s *Subject) Hear(text, locale string) []Heard {
	if s == nil {
		return nil
	}
	language, about := prompts.Language(locale), strings.ToLower(text)
	var out []Heard
	for _, made := range s.listener.Hear(text, locale) {
		m := &s.Misconceptions[slices.IndexFunc(s.Misconceptions, func(m Misconception) bool { return m.ID == made.ID })]
		spared := holdsAny(strings.ToLower(made.Quote), m.Unless)
		if m.Ask[language] != "" && !spared && (len(m.About) == 0 || holdsAny(about, m.About)) {
			out = append(out, Heard{m.ID, made.Quote, m.Ask[language], m.Why[language]})
		}
	}
	return out
}

func holdsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

var read = sync.OnceValues(func() (map[string]lists, error) {
	out := make(map[string]lists)
	for _, name := range Subjects() {
		text, err := files.ReadFile("subjects/" + name + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read what people get wrong about %s: %w", name, err)
		}
		if out[name], err = parse(name+".yaml", text); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// parse reads one subject; the error is a *datafile.Error with everything that is wrong.
func parse(file string, text []byte) (c lists, err error) {
	f := datafile.Open(file, text)
	if f.Decode(&c) {
		seen := make(map[string]bool)
		check := func(at, id string, plain map[string][]string, said ...map[string]string) {
			if id == "" || seen[id] {
				f.Add(at, "it needs an id of its own, not %q", id)
			}
			seen[id] = true
			for language := range plain {
				if slices.ContainsFunc(said, func(words map[string]string) bool { return words[language] == "" }) {
					f.Add(at, "%s is recognised in %s, but ask or why has no words in it", id, language)
				}
			}
			if len(plain) == 0 {
				f.Add(at, "%s lists no way to say it under plain", id)
			}
		}
		for i := range c.Misconceptions {
			m := &c.Misconceptions[i]
			check(fmt.Sprintf("misconceptions[%d]", i), m.ID, m.Plain, m.Ask, m.Why)
		}
		for i := range c.Probes {
			p := &c.Probes[i]
			check(fmt.Sprintf("probes[%d]", i), p.ID, p.Plain, p.Ask)
		}
	}
	return c, f.Err()
}
