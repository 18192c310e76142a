package knowledge

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/understand"
)

//go:embed graph/*.yaml
var files embed.FS

// Shipped returns the graph that comes with Viva, as *.yaml.
func Shipped() fs.FS {
	sub, err := fs.Sub(files, "graph")
	if err != nil {
		return files // cannot be: the name is valid
	}
	return sub
}

var shipped = sync.OnceValues(func() (*Graph, error) { return Load(Shipped()) })

// Default returns the shipped graph, read once.
func Default() (*Graph, error) { return shipped() }

// MaxQuestion is how many words a question may have: more cannot be kept in mind by somebody who only hears it.
const MaxQuestion = 40

// file is what a file holds.
type file struct {
	// Predicates are the kinds of facts, each with the names of its arguments; name:number is a number.
	Predicates map[string][]string `yaml:"predicates"`
	// Facts are lists of arguments by predicate.
	Facts map[string][]any `yaml:"facts"`
	// Labels are names by identifier and language.
	Labels map[string]map[string]string `yaml:"labels"`
	// Questions are the bank. Each question also becomes facts.
	Questions []group `yaml:"questions"`
}

// group is the questions that a persona may ask about a topic.
type group struct {
	Persona string  `yaml:"persona"`
	Topic   string  `yaml:"topic"`
	Ask     []asked `yaml:"ask"`
}

type asked struct {
	ID      string   `yaml:"id"`
	Skills  []string `yaml:"skills"`
	Opening bool     `yaml:"opening"`
	EN      string   `yaml:"en"`
	ZH      string   `yaml:"zh"`
	VI      string   `yaml:"vi"`
}

func (a *asked) texts() map[string]string {
	all := map[string]string{"en": a.EN, "zh": a.ZH, "vi": a.VI}
	maps.DeleteFunc(all, func(_, text string) bool { return strings.TrimSpace(text) == "" })
	return all
}

// source is a file that is being read into a graph.
type source struct {
	*datafile.File
	data file
	good bool
}

// Load reads the *.yaml files of the file systems; a file of a later one takes the place of an earlier one's of the same
// name, any other adds to what is there. Files are read in the order of file systems and names, which is the order of
// facts. The error joins the *datafile.Error of all files.
func Load(from ...fs.FS) (*Graph, error) {
	sources, err := read(from)
	if err != nil {
		return nil, err
	}
	g := &Graph{
		predicates: make(map[string]*Predicate), facts: make(map[string][][]string),
		labels: make(map[string]map[string]string),
	}
	for _, step := range []func(*source){g.declare, g.assert, g.bank, g.check} {
		for _, s := range sources {
			if s.good {
				step(s)
			}
		}
	}
	wrong := make([]error, len(sources))
	for i, s := range sources {
		wrong[i] = s.Err()
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return g, nil
}

// read opens the files.
func read(from []fs.FS) ([]*source, error) {
	var names []string
	texts := make(map[string][]byte)
	err := datafile.Each("*.yaml", from, func(name string, text []byte) error {
		if _, replaced := texts[name]; !replaced {
			names = append(names, name)
		}
		texts[name] = text
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the knowledge graph: %w", err)
	}
	sources := make([]*source, len(names))
	for i, name := range names {
		sources[i] = &source{File: datafile.Open(name, texts[name])}
		sources[i].good = sources[i].Decode(&sources[i].data)
	}
	return sources, nil
}

// declare takes the predicates.
func (g *Graph) declare(s *source) {
	for _, name := range slices.Sorted(maps.Keys(s.data.Predicates)) {
		p := &Predicate{Name: name}
		for _, a := range s.data.Predicates[name] {
			argument, isNumber := strings.CutSuffix(a, numberArgument)
			p.Arguments, p.numbers = append(p.Arguments, argument), append(p.numbers, isNumber)
		}
		known := g.predicates[name]
		switch {
		case len(p.Arguments) == 0:
			s.Add("predicates."+name, "name its arguments, such as [persona, skill]")
		case known == nil:
			g.predicates[name], g.order = p, append(g.order, name)
		case !slices.Equal(known.Arguments, p.Arguments) || !slices.Equal(known.numbers, p.numbers):
			s.Add("predicates."+name, "it is declared elsewhere with other arguments: %s", strings.Join(known.Arguments, ", "))
		}
	}
}

// assert takes the facts and labels.
func (g *Graph) assert(s *source) {
	for _, pred := range slices.Sorted(maps.Keys(s.data.Facts)) {
		for i, raw := range s.data.Facts[pred] {
			at := fmt.Sprintf("facts.%s[%d]", pred, i)
			list, ok := raw.([]any)
			if !ok {
				s.Add(at, "a fact is a list of arguments, such as [hr, communication]")
				continue
			}
			args := make([]string, len(list))
			for j, v := range list {
				args[j] = atom(v)
			}
			g.add(s, at, pred, args)
		}
	}
	for id, texts := range s.data.Labels {
		if g.labels[id] == nil {
			g.labels[id] = make(map[string]string)
		}
		maps.Copy(g.labels[id], texts)
	}
}

// atom writes a scalar as the graph keeps it; "" = it is none.
func atom(v any) string {
	switch x := v.(type) {
	case string:
		return strings.TrimSpace(x)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case bool, int, int64, uint64:
		return fmt.Sprint(x)
	}
	return ""
}

// add puts a fact into the graph, or says why not.
func (g *Graph) add(s *source, at, pred string, args []string) {
	p := g.predicates[pred]
	switch {
	case p == nil:
		s.Add(at, "there is no predicate %q: declare it under predicates, or use one of %s", pred, strings.Join(g.order, ", "))
		return
	case len(args) != len(p.Arguments):
		s.Add(at, "%s takes %d arguments (%s), not %d", pred, len(p.Arguments), strings.Join(p.Arguments, ", "), len(args))
		return
	}
	for i, a := range args {
		if a == "" || strings.HasPrefix(a, variable) {
			s.Add(at, "the argument %s must be a name or a number", p.Arguments[i])
			return
		}
		if _, err := strconv.ParseFloat(a, 64); p.numbers[i] && err != nil {
			s.Add(at, "the argument %s must be a number, not %q", p.Arguments[i], a)
			return
		}
	}
	if slices.ContainsFunc(g.facts[pred], func(f []string) bool { return slices.Equal(f, args) }) {
		s.Add(at, "the fact is there already")
		return
	}
	g.facts[pred] = append(g.facts[pred], args)
}

// bank takes the questions, and the facts that they are.
func (g *Graph) bank(s *source) {
	for i, group := range s.data.Questions {
		for j := range group.Ask {
			a := &group.Ask[j]
			at := fmt.Sprintf("questions[%d].ask[%d]", i, j)
			q := Question{
				ID: strings.Join([]string{group.Persona, group.Topic, a.ID}, "."), Persona: group.Persona, Topic: group.Topic,
				Skills: a.Skills, Opening: a.Opening, Text: a.texts(),
			}
			if a.ID == "" || slices.ContainsFunc(g.questions, func(o Question) bool { return o.ID == q.ID }) {
				s.Add(at+".id", "give the question an id of its own")
				continue
			}
			if len(a.Skills) == 0 {
				s.Add(at, "name the skills that an answer shows")
			}
			g.spoken(s, at, q.Text)
			g.questions = append(g.questions, q)
			g.add(s, at, QuestionPersona, []string{q.ID, q.Persona})
			g.add(s, at, QuestionTopic, []string{q.ID, q.Topic})
			for _, skill := range q.Skills {
				g.add(s, at, QuestionSkill, []string{q.ID, skill})
			}
		}
	}
}

// spoken checks that a question can be asked aloud.
func (g *Graph) spoken(s *source, at string, texts map[string]string) {
	if texts["en"] == "" {
		s.Add(at, "the text in English (en) is missing")
	}
	for _, lang := range slices.Sorted(maps.Keys(texts)) {
		text := texts[lang]
		if n := understand.QuestionMarks(text); n != 1 {
			s.Add(at+"."+lang, "it asks %d questions: ask exactly one", n)
		}
		if n := understand.Words(text); n > MaxQuestion {
			s.Add(at+"."+lang, "it has %d words; at most %d can be kept in mind by ear", n, MaxQuestion)
		}
	}
}

// check looks at what the facts say together.
func (g *Graph) check(s *source) {
	seen := make(map[string]bool)
	for i, raw := range s.data.Facts[PersonaPriority] {
		list, _ := raw.([]any)
		if len(list) != 3 {
			continue // said already
		}
		at, pair := fmt.Sprintf("facts.%s[%d]", PersonaPriority, i), atom(list[0])+" "+atom(list[1])
		if seen[pair] {
			s.Add(at, "the topic has a weight for this persona already")
		}
		seen[pair] = true
		if w, err := strconv.ParseFloat(atom(list[2]), 64); err == nil && (w <= 0 || w > 1) {
			s.Add(at, "the weight %v must be above 0 and at most 1", w)
		}
	}
	for i, group := range s.data.Questions {
		if g.predicates[PersonaPriority] != nil && len(g.Match(PersonaPriority, group.Persona, group.Topic, anything)) == 0 {
			s.Add(fmt.Sprintf("questions[%d]", i), "persona %q gives the topic %q no weight, so it would never ask about it: add a fact %s",
				group.Persona, group.Topic, PersonaPriority)
		}
	}
}
