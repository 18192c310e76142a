package conclusion

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed words/*.yaml
var files embed.FS

// wordsFile is words/LANGUAGE.yaml. A phrase is words; (a|b|) is one of them or nothing; … is up to five words, or ten characters
// of a script without spaces, within one sentence; * is any word, {item} one of that class, visit~ any form of that verb.
type wordsFile struct {
	// Named are names of growths, a claim wherever they are said ("linear"). Key: the form, or none for what only sounds like one.
	Named map[string][]string `yaml:"named"`
	Bare  map[string][]string `yaml:"bare"` // named ones that also mean other things: only where a cost is spoken of
	Marks map[string][]string `yaml:"marks"`
	Of    map[string][]string `yaml:"of"`    // words for time, space, both; none: words that only sound like it
	Signs map[string][]string `yaml:"signs"` // words for signs of a formula
	Nouns map[string][]string `yaml:"nouns"` // words for variables
	// Classes are words that mean the same in descriptions ("each item"); frames, which all languages share, are put together from them.
	Classes map[string][]string `yaml:"classes"`
	Frames  []string            `yaml:"frames"`
	// Lists are words by what they do beside a form: a copula before a letter makes it a claim ("it's n"), adverbs may stand between,
	// what closes may follow it, units are what is counted ("tests").
	Lists      map[string][]string `yaml:"lists"`
	Conditions map[string][]string `yaml:"conditions"`
}

// lexicon are the phrases of all languages, compiled. It is read-only.
type lexicon struct {
	forms, marks, of, signs, nouns, conditions, classes phrases
	frames                                              []frame
	lists                                               map[string]map[string]bool
}

// shipped compiles the embedded words once; a test holds that they are sound.
var shipped = sync.OnceValues(func() (*lexicon, error) {
	names, err := fs.Glob(files, "words/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the words of conclusions: %w", err)
	}
	l := &lexicon{lists: make(map[string]map[string]bool)}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		var f wordsFile
		if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		l.add(&f)
	}
	return l, nil
})

// words returns the lexicon, which is sound where the tests have passed.
func words() *lexicon {
	l, err := shipped()
	if err != nil {
		panic(err) //nolint:forbidigo // the files are part of the program, and their test reads them
	}
	return l
}

func (l *lexicon) add(f *wordsFile) {
	for _, c := range []struct {
		kind string
		from map[string][]string
	}{{kindNamed, f.Named}, {kindBare, f.Bare}} {
		for _, form := range slices.Sorted(maps.Keys(c.from)) {
			l.forms.add(entry{c.kind, form}, f.expanded(c.from[form]))
		}
	}
	for _, c := range []struct {
		into *phrases
		from map[string][]string
	}{{&l.marks, f.Marks}, {&l.of, f.Of}, {&l.signs, f.Signs}, {&l.nouns, f.Nouns}, {&l.conditions, f.Conditions}, {&l.classes, f.Classes}} {
		for _, name := range slices.Sorted(maps.Keys(c.from)) {
			c.into.add(entry{name, name}, f.expanded(c.from[name]))
		}
	}
	for _, line := range f.Frames {
		l.frames = append(l.frames, frameOf(line))
	}
	for name, list := range f.Lists {
		if l.lists[name] == nil {
			l.lists[name] = make(map[string]bool)
		}
		for _, w := range list {
			l.lists[name][w] = true
		}
	}
}

// is reports whether a word is on a list.
func is(list, word string) bool { return words().lists[list][word] }

// references are names of classes within phrases, {item}, and verbs of which all forms are meant, visit~.
var references = regexp.MustCompile(`\{[^}]+\}|\pL+~`)

// expanded puts into phrases what they refer to.
func (f *wordsFile) expanded(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = references.ReplaceAllStringFunc(text, func(ref string) string {
			if verb, ok := strings.CutSuffix(ref, "~"); ok {
				return "(" + inflected(verb) + ")"
			}
			return "(" + strings.Join(f.expanded(f.Classes[strings.Trim(ref, "{}")]), "|") + ")"
		})
	}
	return out
}

// inflected are the forms of a regular English verb.
func inflected(verb string) string {
	stem, es, ed := verb, "s", "ed"
	switch last := verb[len(verb)-1]; {
	case last == 'e':
		stem, ed = verb[:len(verb)-1], "ed"
	case strings.ContainsRune("shxz", rune(last)):
		es = "es"
	}
	return strings.Join([]string{verb, verb + es, stem + ed, stem + "ing"}, "|")
}

// Kinds of forms.
const (
	kindNamed = "named"
	kindTime  = "described time"
	kindSpace = "described space"
	kindBare  = "bare"
	none      = "none"
)

// entry is what a phrase means.
type entry struct{ kind, value string }
