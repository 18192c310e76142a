package composite

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate"
)

// Name is the name of the evaluator, and of its rubric.
const Name = "composite"

//go:embed composite.yaml words/*.yaml
var files embed.FS

// rubric says which evaluators judge together; it is data.
type rubric struct {
	Evaluator string `yaml:"evaluator"` // composite
	ID        string `yaml:"rubric"`
	Version   string `yaml:"version"`
	Title     string `yaml:"title"`
	// Assessed is the share of the weight that must have been assessed for a pass.
	Assessed float64 `yaml:"assessed"`
	Parts    []part  `yaml:"parts"`

	pin string // with version and content, for reports (RX-19)
}

// part is one evaluator of a composite.
type part struct {
	ID   string            `yaml:"id"`
	Name map[string]string `yaml:"name"` // by language, for feedback
	By   string            `yaml:"by"`   // evaluator; neither provider nor composite
	// Rubric is the id of the part's own rubric; empty = its evaluator's own choice.
	Rubric string  `yaml:"rubric"`
	Weight float64 `yaml:"weight"` // default 1
	// ByRules keeps an evaluator that has both rules and questions to a model to its rules.
	ByRules bool `yaml:"by_rules"`
}

// words are what a composite says in one language.
type words struct {
	Part    string `yaml:"part"`
	Missing string `yaml:"missing"`
	Nothing string `yaml:"nothing"`
	And     string `yaml:"and"`
}

// Shipped is the composite that comes with Viva. find returns an evaluator by name: an evaluate.Evaluator, an evaluate.Judge, or
// both.
func Shipped(find func(name string) any) (*Composite, error) {
	text, err := files.ReadFile("composite.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the composite: %w", err)
	}
	return New(text, find)
}

// New makes a composite of a rubric in YAML.
func New(text []byte, find func(name string) any) (*Composite, error) {
	r := rubric{Assessed: evaluate.DefaultAssessed}
	if err := yaml.UnmarshalWithOptions(text, &r, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read a composite: %w", err)
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		if find(p.By) == nil {
			return nil, fmt.Errorf("composite %s: there is no evaluator %q for part %s", r.ID, p.By, p.ID)
		}
		p.Weight = cmp.Or(p.Weight, 1)
	}
	sum := sha256.Sum256(text)
	r.pin = r.ID + "@" + r.Version + "#" + hex.EncodeToString(sum[:4])
	return &Composite{rubric: r, find: find, words: datafile.Shipped[words](files, "words/*.yaml")}, nil
}
