package twostage

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// fallbackLanguage is the language of technical words everywhere, so its patterns always count.
const fallbackLanguage = "en"

// words are what the evaluator says and listens for in one language.
type words struct {
	Feedback       map[string]string    `yaml:"feedback"`
	ConclusionName string               `yaml:"conclusion_name"`
	And            string               `yaml:"and"`
	Sections       map[string]section   `yaml:"sections"`
	Conclusions    map[tier]([]pattern) `yaml:"conclusions"`
	Step           []pattern            `yaml:"step"`
	FinalStep      []pattern            `yaml:"final_step"`
	Numbers        map[string]float64   `yaml:"numbers"`
	Scales         map[string]float64   `yaml:"scales"`
	True           []string             `yaml:"true"`
	False          []string             `yaml:"false"`
	SpokenTrue     []string             `yaml:"spoken_true"`
	SpokenFalse    []string             `yaml:"spoken_false"`
	Negations      []string             `yaml:"negations"`
	Classes        map[string]string    `yaml:"classes"`
	Space          []string             `yaml:"space"`
}

// section is a part of a construction: what it is called, and how it sounds.
type section struct {
	Name string    `yaml:"name"`
	Cues []pattern `yaml:"cues"`
}

// tier says how explicit a conclusion is.
type tier string

// Tiers of conclusions, the most explicit first.
const (
	tierFinal tier = "final"
	tierSaid  tier = "said"
	tierHence tier = "hence"
)

// tags are the names of XML elements.
type tags struct {
	Sections   map[string][]string `yaml:"sections"`
	Conclusion []string            `yaml:"conclusion"`
	Step       []string            `yaml:"step"`
}

// data is what the shipped files say; it is read-only.
type data struct {
	words       map[string]*words
	ordered     []*words          // by language
	sections    map[string]string // by tag name
	conclusions map[string]bool   // tag names
	step        *regexp.Regexp    // tag names
	err         error
}

// shipped reads the embedded files once. They cannot change, and a test holds that they are sound.
var shipped = sync.OnceValue(func() *data {
	d := &data{words: make(map[string]*words), sections: make(map[string]string), conclusions: make(map[string]bool)}
	d.err = errors.Join(d.readWords(), d.readTags())
	return d
})

func (d *data) readWords() error {
	names, err := fs.Glob(files, "words/??.yaml")
	if err != nil {
		return fmt.Errorf("list the words: %w", err)
	}
	for _, name := range names {
		var w words
		if err := readYAML(name, &w); err != nil {
			return err
		}
		d.words[strings.TrimSuffix(path.Base(name), ".yaml")] = &w
		d.ordered = append(d.ordered, &w) // names come in order
	}
	return nil
}

func (d *data) readTags() error {
	var t tags
	if err := readYAML("words/tags.yaml", &t); err != nil {
		return err
	}
	for id, names := range t.Sections {
		for _, name := range names {
			d.sections[name] = id
		}
	}
	for _, name := range t.Conclusion {
		d.conclusions[name] = true
	}
	re, err := regexp.Compile("^(" + strings.Join(t.Step, "|") + ")$")
	d.step = re
	return err
}

func readYAML(name string, into any) error {
	text, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := yaml.UnmarshalWithOptions(text, into, yaml.Strict()); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// language returns the language of a locale without its region.
func language(locale string) string {
	base, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return base
}

// in returns the words of a locale, or English ones.
func (d *data) in(locale string) *words {
	if w, known := d.words[language(locale)]; known {
		return w
	}
	return d.words[fallbackLanguage]
}

// each calls do with the words of every language, in order: candidates and models mix languages.
func (d *data) each(do func(*words)) {
	for _, w := range d.ordered {
		do(w)
	}
}

// say fills in a sentence of the feedback; fields and values alternate.
func (w *words) say(id string, fields ...string) string {
	for i := 0; i+1 < len(fields); i += 2 {
		fields[i] = "{" + fields[i] + "}"
	}
	return strings.NewReplacer(fields...).Replace(w.Feedback[id])
}

func (w *words) names(sections []string) string {
	out := make([]string, len(sections))
	for i, id := range sections {
		out[i] = w.Sections[id].Name
	}
	return strings.Join(out, w.And)
}
