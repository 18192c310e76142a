package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// Library is every interview the worker can hold, checked and ready. It is read-only.
type Library struct {
	defaultKind string
	interviews  map[string]map[string]*engine.Interview // by kind and locale
	kinds       []Kind
}

// Kind describes an interview to people who choose one, on the candidate's page too.
type Kind struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Locales     []string  `json:"locales,omitempty"`  // as language tags; without any, none is asked for
	Vars        []KindVar `json:"vars,omitempty"`     // what a candidate may set before it begins, by name
	Recorded    bool      `json:"recorded,omitempty"` // its sound may be kept, with consent
}

// KindVar is a value that may be set before an interview begins. The page names company, problem and difficulty in its own words;
// what else there is goes by its name.
type KindVar struct {
	Name        string   `json:"name"` // as in the interview's definition
	Description string   `json:"description,omitempty"`
	Default     string   `json:"default,omitempty"` // what holds when nothing is set
	Choices     []Choice `json:"choices,omitempty"` // the only values that are taken; none: any text
	Company     bool     `json:"-"`                 // it is the company's name
}

// Choice is one value of a KindVar.
type Choice struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"` // shown; empty shows the value
}

// LoadLibrary reads the shipped interviews and, when dir is not empty, those in dir: definitions as <kind>.yaml, and beside
// them what Beside names. The error lists every problem of every file.
func LoadLibrary(dir, defaultKind string) (*Library, error) {
	sources, parts := []fs.FS{kinds.FS()}, Parts{}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the interviews folder %q is not there: correct --interviews", dir)
		}
		sources = append(sources, os.DirFS(dir))
		parts = Beside(dir)
	}
	defs, err := definition.LoadAll(sources...)
	if err != nil {
		return nil, fmt.Errorf("load interviews: %w", err)
	}
	l := &Library{defaultKind: defaultKind, interviews: make(map[string]map[string]*engine.Interview)}
	var problems []error
	for _, def := range defs {
		problems = append(problems, l.add(def, parts))
	}
	if l.defaultKind == "" {
		l.defaultKind = kinds.Default
	}
	if l.interviews[l.defaultKind] == nil {
		problems = append(problems, fmt.Errorf("the default interview %q is not there: there are %s", l.defaultKind, l.names()))
	}
	slices.SortFunc(l.kinds, func(a, b Kind) int { return strings.Compare(a.ID, b.ID) })
	return l, errors.Join(problems...)
}

func (l *Library) add(def *definition.Definition, parts Parts) error {
	l.interviews[def.Kind] = make(map[string]*engine.Interview)
	l.kinds = append(l.kinds, Kind{ID: def.Kind, Title: def.Title, Description: def.Description, Locales: def.Locales, Recorded: def.Recording != nil})
	var problems []error
	kind := &l.kinds[len(l.kinds)-1]
	for _, locale := range def.Locales {
		iv, err := parts.Compile(def, locale)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		l.interviews[def.Kind][locale] = iv
		if kind.Vars == nil {
			kind.Vars = kindVars(iv)
		}
	}
	engine.Together(slices.Collect(maps.Values(l.interviews[def.Kind]))...)
	return errors.Join(problems...)
}

// kindVars are the variables that an interview leaves to the page. The question is always for those who dispatch.
func kindVars(iv *engine.Interview) (vars []KindVar) {
	def := iv.Def
	for _, name := range slices.Sorted(maps.Keys(def.Vars)) {
		if !def.Vars[name].Page {
			continue
		}
		v := KindVar{Name: name, Description: def.Vars[name].Description, Default: def.Vars[name].Default}
		if p := def.Provider; p != nil {
			if name == p.Question {
				continue
			}
			v.Company = name == p.Company
		}
		if def.Problems != nil && name == def.Problems.Pick {
			for _, p := range iv.Problems.All() {
				v.Choices = append(v.Choices, Choice{Value: p.ID, Title: problem.In(p.Title, iv.Words.Locale())})
			}
			slices.SortFunc(v.Choices, func(a, b Choice) int { return strings.Compare(a.Value, b.Value) })
		}
		if iv.Personas != nil && name == cast.FieldPersona {
			for _, p := range iv.Personas.Personas() {
				v.Choices = append(v.Choices, Choice{Value: p.ID, Title: p.Called(iv.Words.Locale())})
			}
		}
		vars = append(vars, v)
	}
	return vars
}

// Parts are where the parts of an interview are looked for besides those that come with Viva.
type Parts struct {
	Words []fs.FS // <catalogue>/<locale>.yaml; the first that has the catalogue gives it, the shipped ones come last
	// Companies are folders with companies/*.yaml and questions/*.yaml, for what interviewers know of them.
	Companies []fs.FS
	Problems  []fs.FS // <set>/<id>.yaml; a later one replaces an earlier or shipped one of the same id
}

// Beside are the parts in a folder of definitions: words in prompts/, problems in problems/, companies with their questions in
// companies/ and questions/.
func Beside(dir string) Parts {
	return Parts{
		Words: []fs.FS{os.DirFS(filepath.Join(dir, "prompts"))}, Problems: []fs.FS{os.DirFS(filepath.Join(dir, "problems"))},
		Companies: []fs.FS{os.DirFS(dir)},
	}
}

// Compile joins a definition with its words, rules and problems in one language.
func (p Parts) Compile(def *definition.Definition, locale string) (*engine.Interview, error) {
	catalogue, err := p.words(def, locale)
	if err != nil {
		return nil, fmt.Errorf("interview %s in %s: %w", def.Kind, locale, err)
	}
	rules, err := understand.Load(understand.Shipped(), locale)
	if err != nil {
		return nil, fmt.Errorf("interview %s in %s: %w", def.Kind, locale, err)
	}
	var options []engine.Option
	if def.Provider != nil {
		known, err := design.NewKnown(p.Companies...)
		if err != nil {
			return nil, fmt.Errorf("interview %s: %w", def.Kind, err)
		}
		options = append(options, engine.WithSheets(known.Sheet))
	}
	if def.Problems == nil {
		return kinds.New(def, catalogue, rules, options...)
	}
	set, err := problem.Load(def.Problems.Set, append([]fs.FS{problem.Shipped()}, p.Problems...)...)
	if err != nil {
		return nil, fmt.Errorf("interview %s: %w", def.Kind, err)
	}
	return kinds.New(def, catalogue, rules, append(options, engine.WithProblems(set))...)
}

func (p Parts) words(def *definition.Definition, locale string) (catalogue *prompts.Catalogue, err error) {
	for _, fsys := range append(slices.Clone(p.Words), prompts.Shipped()) {
		if catalogue, err = prompts.Load(fsys, def.Catalogue(), locale); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return catalogue, err
}

// Kinds lists the interviews by id.
func (l *Library) Kinds() []Kind { return slices.Clone(l.kinds) }

// DefaultKind is the interview that a job without metadata gets.
func (l *Library) DefaultKind() string { return l.defaultKind }

// Find returns the interview that the metadata asks for. The error says what there is instead.
func (l *Library) Find(m Metadata) (*engine.Interview, error) {
	kind := m.Interview
	if kind == "" {
		kind = l.defaultKind
	}
	locales, ok := l.interviews[kind]
	if !ok {
		return nil, fmt.Errorf("there is no interview %.64q: there are %s", kind, l.names())
	}
	if m.Locale == "" {
		for _, k := range l.kinds {
			if k.ID == kind && len(k.Locales) > 0 {
				return locales[k.Locales[0]], nil
			}
		}
	}
	if iv := locales[m.Locale]; iv != nil {
		return iv, nil
	}
	lang := prompts.Language(m.Locale)
	if iv := locales[lang]; iv != nil {
		return iv, nil
	}
	return nil, fmt.Errorf("interview %s is not there in language %.32q", kind, m.Locale)
}

func (l *Library) names() string {
	names := make([]string, 0, len(l.kinds))
	for _, k := range l.kinds {
		names = append(names, k.ID)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
