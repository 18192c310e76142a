package composite

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate"
)

// Name is the name of the evaluator, and of the rubric that stands in where an item names none.
const Name = "composite"

//go:embed rubrics/*.yaml words/*.yaml
var files embed.FS

// Rubric says which evaluators judge together; it is data.
type Rubric struct {
	Evaluator string `yaml:"evaluator"` // composite
	ID        string `yaml:"rubric"`
	Version   string `yaml:"version"`
	Title     string `yaml:"title"`
	// Assessed is the share of the weight that must have been assessed for a pass; 0 = evaluate.DefaultAssessed.
	Assessed float64 `yaml:"assessed"`
	Parts    []Part  `yaml:"parts"`

	pin string
}

// Part is one evaluator of a composite.
type Part struct {
	ID   string            `yaml:"id"`
	Name map[string]string `yaml:"name"` // by language, for feedback; en is needed
	By   string            `yaml:"by"`   // evaluator; neither provider nor composite
	// Rubric is the id of the part's own rubric; empty = its evaluator's own choice.
	Rubric string   `yaml:"rubric"`
	Weight *float64 `yaml:"weight"` // default 1
	// ByRules keeps an evaluator that has both rules and questions to a model to its rules.
	ByRules bool `yaml:"by_rules"`
}

func (p *Part) weight() float64 {
	if p.Weight == nil {
		return 1
	}
	return *p.Weight
}

func (p *Part) in(language string) string {
	if name := p.Name[language]; name != "" {
		return name
	}
	return p.Name[fallbackLanguage]
}

func (r *Rubric) assessed() float64 {
	if r.Assessed == 0 {
		return evaluate.DefaultAssessed
	}
	return r.Assessed
}

// Pin names the rubric with its version and content (RX-19).
func (r *Rubric) Pin() string { return r.ID + "@" + r.Version + "#" + r.pin }

// World is what a composite is checked against and made of.
type World struct {
	// Find returns an evaluator by name: an evaluate.Evaluator, an evaluate.Judge, or both.
	Find func(name string) (any, bool)
	// Names are those that Find knows.
	Names []string
	// Rubrics are the ids that a part of this evaluator may name.
	Rubrics func(evaluator string) []string
}

// maxParts bounds a composite: a model is asked about all of its parts at once.
const maxParts = 8

// Parse reads and checks a rubric. The error is a *datafile.Error that lists everything that is wrong, with lines.
func Parse(file string, text []byte, w World) (*Rubric, error) {
	f := datafile.Open(file, text)
	var r Rubric
	if f.Decode(&r) {
		check(f, &r, w)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	r.pin = hex.EncodeToString(sum[:4])
	return &r, nil
}

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

func check(f *datafile.File, r *Rubric, w World) {
	if r.Evaluator != Name {
		f.Add("evaluator", "%q is not %s", r.Evaluator, Name)
	}
	if !idPattern.MatchString(r.ID) {
		f.Add("rubric", "%q must be a lower-case name", r.ID)
	}
	if r.Version == "" {
		f.Add("version", "it must be set: reports name it")
	}
	if !(r.Assessed >= 0 && r.Assessed <= 1) {
		f.Add("assessed", "it must lie between 0 and 1")
	}
	if n := len(r.Parts); n < 2 || n > maxParts {
		f.Add("parts", "there are %d: a composite has 2 to %d", n, maxParts)
	}
	sum := 0.0
	seen := make(map[string]bool)
	for i := range r.Parts {
		p, at := &r.Parts[i], fmt.Sprintf("parts[%d]", i)
		if !idPattern.MatchString(p.ID) || seen[p.ID] {
			f.Add(at+".id", "%q must be a lower-case name that no other part has", p.ID)
		}
		seen[p.ID] = true
		sum += p.weight()
		checkPart(f, p, at, w)
	}
	if len(r.Parts) > 0 && !(sum > 0) {
		f.Add("parts", "the weights add up to nothing: one must be above 0")
	}
}

func checkPart(f *datafile.File, p *Part, at string, w World) {
	if p.Name[fallbackLanguage] == "" {
		f.Add(at+".name", "the name in English (en) is missing; people read it in the feedback")
	}
	if v := p.weight(); v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		f.Add(at+".weight", "it must be a number, 0 or more")
	}
	x, there := w.Find(p.By)
	if !there || p.By == Name {
		f.Add(at+".by", "there is no evaluator %q for a part; there are %s", p.By, strings.Join(w.Names, ", "))
		return
	}
	if _, rules := x.(evaluate.Evaluator); p.ByRules && !rules {
		f.Add(at+".by_rules", "%s has no rules: it asks a model", p.By)
	}
	if known := w.Rubrics(p.By); p.Rubric != "" && !slices.Contains(known, p.Rubric) {
		f.Add(at+".rubric", "there is no rubric %q for %s; there are %s", p.Rubric, p.By, strings.Join(append(known, "none"), ", "))
	}
}

// Load reads every *.yaml of the file systems that is a composite's, the shipped ones first, later ones replacing earlier
// ones of the same id. The error joins what is wrong with all files.
func Load(w World, from ...fs.FS) (*Composite, error) {
	shipped, err := fs.Sub(files, "rubrics")
	if err != nil {
		return nil, fmt.Errorf("open the shipped composites: %w", err)
	}
	words, err := loadWords()
	if err != nil {
		return nil, err
	}
	c := &Composite{rubrics: make(map[string]*Rubric), find: w.Find, words: words}
	var problems []error
	for _, fsys := range append([]fs.FS{shipped}, from...) {
		problems = append(problems, c.read(fsys, w))
	}
	return c, errors.Join(problems...)
}

func (c *Composite) read(fsys fs.FS, w World) error {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return fmt.Errorf("list composites: %w", err)
	}
	var problems []error
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			problems = append(problems, fmt.Errorf("read composite: %w", err))
			continue
		}
		r, err := Parse(name, text, w)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		c.rubrics[r.ID] = r
	}
	return errors.Join(problems...)
}

// RubricIDs lists the composites in order.
func (c *Composite) RubricIDs() []string { return slices.Sorted(maps.Keys(c.rubrics)) }
