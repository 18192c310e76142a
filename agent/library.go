package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
)

// Library is every interview the worker can hold, checked and ready. It is read-only.
type Library struct {
	defaultKind string
	interviews  map[string]map[string]*engine.Interview // by kind and locale
	kinds       []Kind
}

// Kind describes an interview to people who choose one.
type Kind struct {
	ID, Title, Description string
	Locales                []string
}

// LoadLibrary reads the shipped interviews and, when dir is not empty, those in dir: definitions as <kind>.yaml, words
// in dir/prompts/<catalogue>/<locale>.yaml (the shipped catalogues serve too). The error lists every problem of every file.
func LoadLibrary(dir, defaultKind string) (*Library, error) {
	sources, words := []fs.FS{kinds.FS()}, []fs.FS{prompts.Shipped()}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the interviews folder %q is not there: correct --interviews", dir)
		}
		sources = append(sources, os.DirFS(dir))
		words = append([]fs.FS{os.DirFS(filepath.Join(dir, "prompts"))}, words...)
	}
	defs, err := definition.LoadAll(sources...)
	if err != nil {
		return nil, fmt.Errorf("load interviews: %w", err)
	}
	l := &Library{defaultKind: defaultKind, interviews: make(map[string]map[string]*engine.Interview)}
	var problems []error
	for _, def := range defs {
		problems = append(problems, l.add(def, words))
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

func (l *Library) add(def *definition.Definition, words []fs.FS) error {
	l.interviews[def.Kind] = make(map[string]*engine.Interview)
	l.kinds = append(l.kinds, Kind{ID: def.Kind, Title: def.Title, Description: def.Description, Locales: def.Locales})
	var problems []error
	for _, locale := range def.Locales {
		iv, err := Compile(def, locale, words...)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		l.interviews[def.Kind][locale] = iv
	}
	return errors.Join(problems...)
}

// Compile joins a definition with its words and rules in one language; the first file system that has the catalogue
// gives it.
func Compile(def *definition.Definition, locale string, words ...fs.FS) (*engine.Interview, error) {
	var catalogue *prompts.Catalogue
	err := fs.ErrNotExist
	for _, fsys := range words {
		if catalogue, err = prompts.Load(fsys, def.Catalogue(), locale); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("interview %s in %s: %w", def.Kind, locale, err)
	}
	rules, err := understand.Load(understand.Shipped(), locale)
	if err != nil {
		return nil, fmt.Errorf("interview %s in %s: %w", def.Kind, locale, err)
	}
	return engine.New(def, catalogue, rules)
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
	lang, _, _ := strings.Cut(m.Locale, "-")
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
