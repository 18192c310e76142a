package evaluate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/state"
)

// Rubric is a scale with a sentence of observable behaviour per level (behaviourally anchored), for each of a few
// criteria. It is read-only.
type Rubric struct {
	ID      string `yaml:"rubric"`
	Version string `yaml:"version"`
	Title   string `yaml:"title"`
	// Scale is the lowest and the highest level.
	Scale Scale `yaml:"scale"`
	// Assessed is the share of the weight that must have been assessed for a pass: one brilliant answer is no interview.
	// 0 = DefaultAssessed.
	Assessed float64           `yaml:"assessed"`
	Criteria []RubricCriterion `yaml:"criteria"`
}

// DefaultAssessed is the share of a rubric's weight that must have been assessed for a pass.
const DefaultAssessed = 0.5

// Scale is the lowest and the highest level.
type Scale struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

func (s Scale) norm(level float64) float64 { return (level - float64(s.Min)) / float64(s.Max-s.Min) }

// RubricCriterion is one thing that is judged.
type RubricCriterion struct {
	ID   string            `yaml:"id"`
	Name map[string]string `yaml:"name"` // by language, for gaps
	Asks string            `yaml:"asks"` // what is judged, for the judge
	// Shown and Advice are by language, for the candidate where no model words the feedback: what came across in an answer
	// that does well, what would make one stronger, and what one that is half way there. They hold for any answer, and claim
	// no fact about one.
	Shown   map[string]string `yaml:"shown"`
	Advice  map[string]string `yaml:"advice"`
	Further map[string]string `yaml:"further"`
	Weight  float64           `yaml:"weight"`
	// Levels are anchors; a level between two of them lies between their behaviours.
	Levels map[int]string `yaml:"levels"`
	// Phases are the sub-phases it applies to; none = all.
	Phases []string `yaml:"phases"`
	// Cues are patterns by language for a checklist by rules: said at all, and said with substance.
	Cues   map[string][]string `yaml:"cues"`
	Strong map[string][]string `yaml:"strong"`
	// Own are patterns by language of which one must be found, or the level is at most Cap ("we" did it).
	Own map[string][]string `yaml:"own"`
	Cap int                 `yaml:"cap"`

	cues, strong, own []*regexp.Regexp
	forms             *state.Keyword // a keyword stands in for cues
}

// Rubrics are rubrics by id.
type Rubrics map[string]*Rubric

// IDs lists the rubrics in order.
func (r Rubrics) IDs() []string { return slices.Sorted(maps.Keys(r)) }

// LoadRubrics reads every *.yaml of the file systems, later ones replacing earlier ones of the same id. The error joins
// the problems of all files; rubrics without problems are returned all the same.
func LoadRubrics(from ...fs.FS) (Rubrics, error) {
	out := make(Rubrics)
	var problems []error
	for _, fsys := range from {
		names, err := fs.Glob(fsys, "*.yaml")
		if err != nil {
			return nil, fmt.Errorf("list rubrics: %w", err)
		}
		for _, name := range names {
			r, err := readRubric(fsys, name)
			if err != nil {
				problems = append(problems, fmt.Errorf("rubric %s: %w", path.Base(name), err))
				continue
			}
			out[r.ID] = r
		}
	}
	return out, errors.Join(problems...)
}

// maxRubric bounds a rubric file in bytes.
const maxRubric = 1 << 18

func readRubric(fsys fs.FS, name string) (*Rubric, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if len(text) > maxRubric {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are read", len(text), maxRubric)
	}
	var r Rubric
	if err := yaml.UnmarshalWithOptions(text, &r, yaml.Strict()); err != nil {
		return nil, err
	}
	return &r, r.check()
}

// check finds everything that is wrong, and compiles the patterns.
func (r *Rubric) check() error {
	var problems []error
	add := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if r.ID == "" || r.Version == "" {
		add("rubric and version must be set")
	}
	if r.Scale.Max <= r.Scale.Min {
		add("scale: max must be above min")
	}
	if r.Assessed < 0 || r.Assessed > 1 {
		add("assessed must lie between 0 and 1")
	}
	if len(r.Criteria) == 0 {
		add("there are no criteria")
	}
	seen := make(map[string]bool)
	for i := range r.Criteria {
		c := &r.Criteria[i]
		if c.ID == "" || seen[c.ID] {
			add("criteria[%d]: id %q is missing or there twice", i, c.ID)
		}
		seen[c.ID] = true
		if err := c.check(r.Scale); err != nil {
			add("criteria[%d] %s: %w", i, c.ID, err)
		}
	}
	return errors.Join(problems...)
}

func (c *RubricCriterion) check(s Scale) error {
	var problems []error
	add := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if c.Name[fallbackLanguage] == "" || c.Asks == "" {
		add("name.en and asks must be set")
	}
	if c.Weight < 0 {
		add("weight must not be negative")
	}
	if c.Levels[s.Min] == "" || c.Levels[s.Max] == "" {
		add("levels: the lowest (%d) and the highest (%d) need an anchor", s.Min, s.Max)
	}
	for level := range c.Levels {
		if level < s.Min || level > s.Max {
			add("levels: %d is not on the scale", level)
		}
	}
	if len(c.Own) > 0 && (c.Cap < s.Min || c.Cap > s.Max) {
		add("cap must be on the scale where own is set")
	}
	for _, set := range []struct {
		name string
		from map[string][]string
		to   *[]*regexp.Regexp
	}{{"cues", c.Cues, &c.cues}, {"strong", c.Strong, &c.strong}, {"own", c.Own, &c.own}} {
		for _, language := range slices.Sorted(maps.Keys(set.from)) {
			compiled, err := compile(set.name+"."+language, set.from[language])
			*set.to = append(*set.to, compiled...)
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func (c *RubricCriterion) weight() float64 {
	if c.Weight == 0 {
		return 1
	}
	return c.Weight
}

func (c *RubricCriterion) in(language string) string {
	if name := c.Name[language]; name != "" {
		return name
	}
	return c.Name[fallbackLanguage]
}

// For returns the criteria that apply to a sub-phase.
func (r *Rubric) For(phaseID string) []RubricCriterion {
	var out []RubricCriterion
	for _, c := range r.Criteria {
		if len(c.Phases) == 0 || slices.Contains(c.Phases, phaseID) {
			out = append(out, c)
		}
	}
	return out
}

// Pin names the rubric with its version, for reports (RX-19).
func (r *Rubric) Pin() string { return r.ID + "@" + r.Version }

// of makes a rubric of an item's keywords: each is a criterion with the anchors of r's first one.
func (r *Rubric) of(keywords []state.Keyword) *Rubric {
	made := *r
	made.Criteria = nil
	for i, k := range keywords {
		c := r.Criteria[0]
		c.ID, c.Weight, c.forms = fmt.Sprintf("item_%d", i+1), max(k.Weight, 0), &keywords[i]
		c.Name = map[string]string{fallbackLanguage: k.Phrase}
		c.Asks = strings.ReplaceAll(c.Asks, "{item}", k.Phrase)
		made.Criteria = append(made.Criteria, c)
	}
	return &made
}
