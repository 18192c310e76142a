package twostage

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
)

// words are what the evaluator says and listens for in one language.
type words struct {
	Feedback       map[string]string  `yaml:"feedback"`
	ConclusionName string             `yaml:"conclusion_name"`
	MemoryName     string             `yaml:"memory_name"`
	And            string             `yaml:"and"`
	Sections       map[string]section `yaml:"sections"`
	Conclusions    map[tier][]pattern `yaml:"conclusions"`
	Step           []pattern          `yaml:"step"`
	FinalStep      []pattern          `yaml:"final_step"`
	Numbers        map[string]float64 `yaml:"numbers"`
	Scales         map[string]float64 `yaml:"scales"`
	True           []string           `yaml:"true"`
	False          []string           `yaml:"false"`
	SpokenTrue     []string           `yaml:"spoken_true"`
	SpokenFalse    []string           `yaml:"spoken_false"`
	Negations      []string           `yaml:"negations"`
}

// section is a part of a construction: what it is called in tables, what people who thought aloud are told that it is, and how it sounds.
type section struct {
	Name  string    `yaml:"name"`
	Plain string    `yaml:"plain"`
	Cues  []pattern `yaml:"cues"`
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
	words       map[string]*words // by language
	all         []*words          // in order: candidates and models mix languages
	sections    map[string]string // by tag name
	conclusions map[string]bool   // tag names
	step        *regexp.Regexp    // tag names
}

// shipped reads the embedded files once.
var shipped = sync.OnceValue(func() *data {
	t := datafile.Shipped[tags](files, "words/tags.yaml")["tags"]
	d := &data{
		words: datafile.Shipped[words](files, "words/??.yaml"), sections: make(map[string]string), conclusions: make(map[string]bool),
		step: regexp.MustCompile("^(" + strings.Join(t.Step, "|") + ")$"),
	}
	for _, language := range slices.Sorted(maps.Keys(d.words)) {
		d.all = append(d.all, d.words[language])
	}
	for id, names := range t.Sections {
		for _, name := range names {
			d.sections[name] = id
		}
	}
	for _, name := range t.Conclusion {
		d.conclusions[name] = true
	}
	return d
})

// say fills in a sentence of the feedback; fields and values alternate.
func (w *words) say(id string, fields ...string) string {
	for i := 0; i+1 < len(fields); i += 2 {
		fields[i] = "{" + fields[i] + "}"
	}
	return strings.NewReplacer(fields...).Replace(w.Feedback[id])
}

// plain are sections as people are told of them.
func (w *words) plain(sections []string) []string {
	out := make([]string, len(sections))
	for i, id := range sections {
		out[i] = w.Sections[id].Plain
	}
	return out
}

func (w *words) names(sections []string) string {
	out := make([]string, len(sections))
	for i, id := range sections {
		out[i] = w.Sections[id].Name
	}
	return strings.Join(out, w.And)
}
