package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
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

func (s Scale) norm(level int) float64 { return float64(level-s.Min) / float64(s.Max-s.Min) }

// whole makes a level of what a judge answered: a number that is not whole is rounded, one outside the scale is clamped, and
// changed says so (R002-43). Nil stays nil: not assessed.
func (s Scale) whole(level *float64) (whole *int, changed bool) {
	if level == nil {
		return nil, false
	}
	n := int(math.Round(min(max(*level, float64(s.Min)), float64(s.Max))))
	return &n, float64(n) != *level
}

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
	// Rules tell a level by what words show, for judging without a model; the first that holds counts.
	Rules []levelRule `yaml:"rules"`
	// Own is evidence that must be found, or the level is at most Cap ("we" did it).
	Own string `yaml:"own"`
	Cap int    `yaml:"cap"`

	forms *state.Keyword // a keyword stands in for rules
}

func (c *RubricCriterion) weight() float64 {
	if c.Weight == 0 {
		return 1
	}
	return c.Weight
}

// during is the rubric with the criteria that apply to a sub-phase: all of them where it is not said which one it is.
func (r *Rubric) during(phaseID string) *Rubric {
	out := *r
	out.Criteria = slices.DeleteFunc(slices.Clone(r.Criteria), func(c RubricCriterion) bool {
		return phaseID != "" && len(c.Phases) > 0 && !slices.Contains(c.Phases, phaseID)
	})
	return &out
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
		c.Name = map[string]string{prompts.English: k.Phrase}
		c.Asks = strings.ReplaceAll(c.Asks, "{item}", k.Phrase)
		made.Criteria = append(made.Criteria, c)
	}
	return &made
}

// CriterionNames returns what the criteria of a shipped rubric are called in a language, by id; none for an unknown rubric.
// The locale may have a region; a language that a rubric does not speak gets English.
func CriterionNames(rubric, locale string) map[string]string {
	r, there := shipped().rubrics[rubric]
	if !there {
		return nil
	}
	out := make(map[string]string, len(r.Criteria))
	for _, c := range r.Criteria {
		out[c.ID] = prompts.In(c.Name, locale)
	}
	return out
}
