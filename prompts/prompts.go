// Package prompts holds every sentence the interviewer is told or says, by catalogue and language, as templates in
// YAML files. A Catalogue is checked when it is loaded: each template is rendered with nothing and with everything
// known, so that a hole or a misspelt field is found before any call.
package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"
	parsing "text/template/parse"

	"github.com/goccy/go-yaml"
)

//go:embed */*.yaml */lead.txt lead.txt lint.yaml
var files embed.FS

// Shipped returns the catalogues that come with Viva, as <catalogue>/<locale>.yaml.
func Shipped() fs.FS { return files }

// Form is a way of saying a prompt.
type Form string

// The forms. Say is required; the others are optional.
const (
	Say      Form = "say"      // the words themselves, in variants
	Reprompt Form = "reprompt" // the same question again after silence, gently
	Simple   Form = "simple"   // an easier question on the same matter
)

// Data is what a template may use. A missing slot or variable reads as the empty string.
type Data struct {
	Name    string            // the candidate's first name, if known
	Slot    map[string]string // values by slot id
	Var     map[string]string // variables of the definition
	Summary string            // what the stage before has learnt, one sentence
	Title   string            // title of the interview
	Minutes int               // that it is meant to take; 0 = nobody can say
	Said    int               // answers in the stage that is summed up, or that was just left
	Answers int               // answers in the interview
	// Told reports whether the candidate has told a fact, by its name in the lexicon; nil = nothing was told.
	Told func(fact string) bool

	// What follows has no stand-in: a prompt that says one of these in a state that lacks it fails with ErrMissing, so that
	// nobody ever hears a hole (R000-29). With and if test for them first; Needs tells which a prompt cannot do without.
	Phase    Phase    // the sub-phase of an expanded stage
	Company  string   // whose way of interviewing is used
	Question string   // what the interview is about
	Problem  string   // the text of the task
	Example  string   // a worked example of it
	Gap      string   // one topic that is still missing
	Gaps     []string // all of them
	Score    float64  // of the latest judgement, out of ten
	// Earlier and Later are two numbers of the same things, as they were told.
	Earlier, Later string
	Picked         string   // a short piece of what the candidate has just said, word for word
	Percent        bool     // it names a percentage
	Own            bool     // it is told of themselves
	Quotes         []string // such pieces of the whole talk, in order; at most two

	Languages string // of the interview, as a list in words
	Helpline  string // whom somebody in distress can turn to
}

// Knows reports whether the candidate has told a fact: a wording that asks for it may render to nothing then (RM-18).
func (d Data) Knows(fact string) bool { return d.Told != nil && d.Told(fact) }

// Phase is what a prompt may say of a sub-phase.
type Phase struct {
	Name, Description string
	Keywords          []string
	// First says that it is the first one that this interview holds: whoever opens it also tells the question.
	First bool
}

// Catalogue is the words of one interview in one language; it is read-only and may be shared.
type Catalogue struct {
	name, locale string
	entries      map[string]map[Form][]*template.Template
	fixed        []string        // spoken wordings without a variable
	firm         map[string]bool // ids that are spoken to the end
	lead         [2]*template.Template
	shared       map[string]bool // ids whose words every interview says
}

type entry struct {
	Say      []string `yaml:"say"`
	Reprompt []string `yaml:"reprompt"`
	Simple   []string `yaml:"simple"`
	// Uninterruptible marks words that must be heard to their end, such as a notice of consent.
	Uninterruptible bool `yaml:"uninterruptible"`
}

// Load reads <name>/<locale>.yaml from fsys and checks every template. The error lists all problems of the file.
func Load(fsys fs.FS, name, locale string) (*Catalogue, error) {
	file := path.Join(name, locale+".yaml")
	if kept, is := ready.Load(file); is && fsys == Shipped() {
		if c, is := kept.(*Catalogue); is {
			return c, nil
		}
	}
	c, err := load(fsys, name, locale, file)
	if err == nil && fsys == Shipped() {
		ready.Store(file, c)
	}
	return c, err
}

// ready are the shipped catalogues by file.
var ready sync.Map

func load(fsys fs.FS, name, locale, file string) (*Catalogue, error) {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, fmt.Errorf("read prompts %s: %w", file, err)
	}
	var entries map[string]entry
	if err := yaml.UnmarshalWithOptions(text, &entries, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("prompts %s: %w", file, err)
	}
	c := &Catalogue{
		name: name, locale: locale, entries: make(map[string]map[Form][]*template.Template, len(entries)), firm: make(map[string]bool),
	}
	shared, err := readEvery(fsys, locale)
	if err != nil {
		return nil, err
	}
	for id, e := range shared {
		if _, own := entries[id]; !own {
			entries[id] = e
			if c.shared == nil {
				c.shared = make(map[string]bool, len(shared))
			}
			c.shared[id] = true
		}
	}
	var problems []error
	for id, e := range entries {
		problems = append(problems, c.add(id, e)...)
	}
	if err := c.readLead(fsys); err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, fmt.Errorf("prompts %s: %w", file, errors.Join(problems...))
	}
	return c, nil
}

func (c *Catalogue) add(id string, e entry) []error {
	forms := map[Form][]string{Say: e.Say, Reprompt: e.Reprompt, Simple: e.Simple}
	var problems []error
	parsed := make(map[Form][]*template.Template, len(forms))
	for form, texts := range forms {
		for n, text := range texts {
			t, err := compile(text)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s, %s %d: %w", id, form, n+1, err))
				continue
			}
			parsed[form] = append(parsed[form], t)
			c.addFixed(t)
		}
	}
	if len(e.Say) == 0 {
		problems = append(problems, fmt.Errorf("%s has no words: give it a list under say", id))
	}
	c.entries[id], c.firm[id] = parsed, e.Uninterruptible
	return problems
}

// addFixed remembers a spoken wording that holds nothing but text.
func (c *Catalogue) addFixed(t *template.Template) {
	var b strings.Builder
	for _, n := range t.Root.Nodes {
		text, ok := n.(*parsing.TextNode)
		if !ok {
			return
		}
		b.Write(text.Text)
	}
	c.fixed = append(c.fixed, strings.Join(strings.Fields(b.String()), " "))
}

// Fixed reports whether text is, or is part of, a spoken wording that is the same in every interview.
func (c *Catalogue) Fixed(text string) bool {
	return slices.ContainsFunc(c.fixed, func(f string) bool { return strings.Contains(f, text) })
}

// compile reads a template and renders it with nothing known, and with everything. That something is missing is found when
// the prompt is joined with the interview that uses it.
func compile(text string) (*template.Template, error) {
	t, err := template.New("prompt").Option("missingkey=zero").Funcs(functions).Parse(text)
	if err != nil {
		return nil, err
	}
	require(t.Root)
	bare := sample()
	bare.Name, bare.Slot, bare.Var, bare.Summary = "", nil, nil, ""
	for _, d := range []Data{{Said: 1, Answers: 1}, bare, sample()} { // what sums up has nothing to say where nothing was said
		out, err := render(t, d)
		if errors.Is(err, ErrMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if out == "" {
			return nil, errors.New("it comes out empty")
		}
	}
	return t, nil
}

func sample() Data {
	return Data{
		Name: "Ada", Slot: map[string]string{"role": "engineer"}, Var: map[string]string{"v": "x"}, Summary: "You build.", Title: "T", Said: 1, Answers: 2,
		Phase:     Phase{Name: "P", Description: "D", Keywords: []string{"k"}, First: true},
		Languages: "English", Helpline: "Call somebody.", Company: "C", Question: "Q", Problem: "X", Example: "E", Gap: "g", Gaps: []string{"g"}, Earlier: "four shops", Later: "three shops", Score: 5, Picked: "the old lamp", Quotes: []string{"the old lamp", "a blue door"},
	}
}

func render(t *template.Template, d any) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n"), nil
}

// Has reports whether the catalogue has the prompt in that form.
func (c *Catalogue) Has(id string, f Form) bool { return len(c.entries[id][f]) > 0 }

// Variants returns in how many wordings the form exists.
func (c *Catalogue) Variants(id string, f Form) int { return len(c.entries[id][f]) }

// Uninterruptible reports whether the prompt, in whatever form, has to be heard to its end.
func (c *Catalogue) Uninterruptible(id string) bool { return c.firm[id] }

// Locale returns the catalogue's language.
func (c *Catalogue) Locale() string { return c.locale }

// Render returns variant n (counted from 0; beyond the last it starts over), as one line of text. It fails for an unknown prompt or form, and with ErrMissing where the prompt says something that d does not have.
func (c *Catalogue) Render(id string, f Form, n int, d Data) (string, error) {
	texts := c.entries[id][f]
	if len(texts) == 0 {
		return "", fmt.Errorf("prompt %s has no %s in %s/%s.yaml", id, f, c.name, c.locale)
	}
	out, err := render(texts[n%len(texts)], d)
	var m *missing
	if errors.As(err, &m) {
		err = m
	}
	if err != nil {
		return "", fmt.Errorf("render prompt %s: %w", id, err)
	}
	return strings.ReplaceAll(out, "\n", " "), nil
}

// IDs returns the ids of the catalogue's own prompts in order.
func (c *Catalogue) IDs() []string {
	ids := make([]string, 0, len(c.entries))
	for id := range c.entries {
		if !c.shared[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
