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

// Subject is a list of them, ready to be heard.
type Subject struct {
	list     []Misconception
	listener *problem.Listener
	probes   []Probe
	choices  *problem.Listener
	sides    []side
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
	choices, err := readProbes()
	if err != nil {
		return nil, err
	}
	s := &Subject{}
	var statements []problem.Statement
	for _, name := range names {
		list, there := all[name]
		if !there {
			return nil, fmt.Errorf("nobody has listed what people get wrong about %q: the subjects are %s", name, strings.Join(Subjects(), ", "))
		}
		s.list = append(s.list, list...)
		s.probes, s.sides = append(s.probes, choices[name].Probes...), append(s.sides, choices[name].Sides...)
	}
	s.choices = listen(s.probes)
	for i := range s.list {
		statements = append(statements, problem.Statement{ID: s.list[i].ID, Plain: s.list[i].Plain})
	}
	s.listener = problem.Listen(statements)
	return s, nil
}

// Heard is a misconception that somebody has said, with the sentence of theirs, and the words for it in one language.
type Heard struct{ ID, Quote, Ask, Why string }

// Hear returns what of the subject a text gets wrong, in the order in which it does. What has no words in the language is left out.
func (s *Subject) Hear(text, locale string) []Heard {
	if s == nil {
		return nil
	}
	language := prompts.Language(locale)
	var out []Heard
	for _, made := range s.listener.Hear(text, locale) {
		i := slices.IndexFunc(s.list, func(m Misconception) bool { return m.ID == made.ID })
		if m := &s.list[i]; m.Ask[language] != "" && !m.spared(made.Quote) && m.concerns(text) {
			out = append(out, Heard{m.ID, made.Quote, m.Ask[language], m.Why[language]})
		}
	}
	return out
}

// spared reports whether a sentence holds what makes something else of it.
func (m *Misconception) spared(sentence string) bool {
	sentence = strings.ToLower(sentence)
	return slices.ContainsFunc(m.Unless, func(word string) bool { return strings.Contains(sentence, word) })
}

// concerns reports whether a text speaks of what the statement has to be about.
func (m *Misconception) concerns(text string) bool {
	text = strings.ToLower(text)
	return len(m.About) == 0 || slices.ContainsFunc(m.About, func(word string) bool { return strings.Contains(text, word) })
}

var read = sync.OnceValues(func() (map[string][]Misconception, error) {
	out := make(map[string][]Misconception)
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
func parse(file string, text []byte) ([]Misconception, error) {
	f := datafile.Open(file, text)
	var content struct {
		Misconceptions []Misconception `yaml:"misconceptions"`
	}
	if f.Decode(&content) {
		seen := make(map[string]bool)
		for i := range content.Misconceptions {
			m, at := &content.Misconceptions[i], fmt.Sprintf("misconceptions[%d]", i)
			switch {
			case m.ID == "":
				f.Add(at, "it has no id")
			case seen[m.ID]:
				f.Add(at+".id", "%s is there already", m.ID)
			}
			seen[m.ID] = true
			for language := range m.Plain {
				if m.Ask[language] == "" || m.Why[language] == "" {
					f.Add(at, "%s is recognised in %s, but ask or why has no words in it", m.ID, language)
				}
			}
			if len(m.Plain) == 0 {
				f.Add(at, "%s lists no way to say it under plain", m.ID)
			}
		}
	}
	return content.Misconceptions, f.Err()
}
