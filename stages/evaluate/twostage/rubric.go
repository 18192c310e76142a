package twostage

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/prompts"
)

// Name is the name of the evaluator, and of its shipped rubric.
const Name = "two_stage"

// The sections of a construction, in the order in which feedback names them (R004-13).
const (
	Entities       = "entities"
	StateVariables = "state_variables"
	Actions        = "actions"
	Constraints    = "constraints"
)

// Sections lists all sections in order.
func Sections() []string { return []string{Entities, StateVariables, Actions, Constraints} }

// Values of Missing.Both: what neither construction nor reasoning means.
const (
	BothCorrectness = "correctness" // both scores follow the correctness of the prediction
	BothSeparate    = "separate"    // the construction is missing, as it is where reasoning was given
)

// Rubric says how the two stages are scored; it is data. The zero value of every field but Evaluator is its default.
type Rubric struct {
	Evaluator string `yaml:"evaluator"` // two_stage
	ID        string `yaml:"rubric"`    // default: the evaluator's name
	Version   string `yaml:"version"`   // default: 1
	// Weights of the two stages; they are scaled to sum to 1. Default 0.5 and 0.5.
	Weights *Weights `yaml:"weights"`
	// Sections that count, default all four; each has the same share of the score.
	Sections []string `yaml:"sections"`
	// GoodEnough is the construction score from which on a construction is good enough, inclusive. Default 0.75.
	GoodEnough *float64 `yaml:"good_enough"`
	// Normaliser names the kinds of values in the order in which they are tried. Default boolean, number,
	// complexity_class, text.
	Normaliser []string `yaml:"normaliser"`
	Missing    Missing  `yaml:"missing"`
	// Expects names what every sample is expected to have: construction, reasoning.
	Expects []string `yaml:"expects"`
	// Locale is the language of the feedback in tables. Default en.
	Locale string `yaml:"locale"`

	pin string
}

// Weights of the two stages in the overall score.
type Weights struct {
	Construction float64 `yaml:"construction"`
	Reasoning    float64 `yaml:"reasoning"`
}

// Missing says what an absent construction scores.
type Missing struct {
	Both         string  `yaml:"both"`         // default correctness
	Construction float64 `yaml:"construction"` // default 0
}

// DefaultGoodEnough is three of four sections (R004-64).
const DefaultGoodEnough = 0.75

func (w Weights) check() error {
	sum := w.Construction + w.Reasoning
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return errors.New("weights must be finite numbers")
	case w.Construction < 0 || w.Reasoning < 0:
		return errors.New("weights must not be negative")
	case sum == 0:
		return errors.New("weights: one of construction and reasoning must be above 0")
	}
	return nil
}

//go:embed rubrics/*.yaml words/*.yaml judge.tmpl
var files embed.FS

// maxRubric bounds a rubric file in bytes.
const maxRubric = 1 << 16

// ParseRubric reads a rubric. The error tells all problems at once, with lines where the YAML itself is at fault.
func ParseRubric(text []byte) (Rubric, error) {
	if len(text) > maxRubric {
		return Rubric{}, fmt.Errorf("the rubric has %d bytes; at most %d are read", len(text), maxRubric)
	}
	var r Rubric
	if err := yaml.UnmarshalWithOptions(text, &r, yaml.Strict()); err != nil {
		return Rubric{}, fmt.Errorf("read the rubric: %w", err)
	}
	if err := r.check(); err != nil {
		return Rubric{}, err
	}
	sum := sha256.Sum256(bytes.TrimSpace(text))
	r.pin = hex.EncodeToString(sum[:4])
	return r, nil
}

func (r *Rubric) check() error {
	var problems []error
	add := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if r.Evaluator != Name {
		add("evaluator: %q is not %s", r.Evaluator, Name)
	}
	if r.Weights != nil {
		problems = append(problems, r.Weights.check())
	}
	for i, s := range r.Sections {
		if !slices.Contains(Sections(), s) || slices.Index(r.Sections, s) != i {
			add("sections[%d]: %q is unknown or there twice; known are %s", i, s, strings.Join(Sections(), ", "))
		}
	}
	for i, x := range r.Expects {
		if x != ColumnConstruction && x != ColumnReasoning {
			add("expects[%d]: %q is neither construction nor reasoning", i, x)
		}
	}
	if g := r.GoodEnough; g != nil && !(*g >= 0 && *g <= 1) {
		add("good_enough must lie between 0 and 1")
	}
	if m := r.Missing.Construction; !(m >= 0 && m <= 1) {
		add("missing.construction must lie between 0 and 1")
	}
	if !slices.Contains([]string{"", BothCorrectness, BothSeparate}, r.Missing.Both) {
		add("missing.both: %q is neither %s nor %s", r.Missing.Both, BothCorrectness, BothSeparate)
	}
	if r.Locale != "" && shipped().words[prompts.Language(r.Locale)] == nil {
		add("locale: there are no words for %q", r.Locale)
	}
	return errors.Join(problems...)
}

// withDefaults fills in what was left out. The sections come in the fixed order, and the weights add up to 1.
func (r Rubric) withDefaults() Rubric {
	r.ID, r.Version, r.Locale = cmp.Or(r.ID, r.Evaluator), cmp.Or(r.Version, "1"), cmp.Or(r.Locale, prompts.English)
	r.Missing.Both = cmp.Or(r.Missing.Both, BothCorrectness)
	if r.Weights == nil {
		r.Weights = &Weights{1, 1}
	}
	sum := r.Weights.Construction + r.Weights.Reasoning
	r.Weights = &Weights{r.Weights.Construction / sum, r.Weights.Reasoning / sum}
	if r.GoodEnough == nil {
		r.GoodEnough = new(DefaultGoodEnough)
	}
	if len(r.Normaliser) == 0 {
		r.Normaliser = []string{KindBoolean, KindNumber, KindComplexity, KindText}
	}
	counted := r.Sections
	r.Sections = slices.DeleteFunc(Sections(), func(s string) bool { return len(counted) > 0 && !slices.Contains(counted, s) })
	return r
}

// Pin names the rubric with its version, and its content where it came from a file (RX-19).
func (r Rubric) Pin() string {
	pin := r.ID + "@" + r.Version
	if r.pin != "" {
		pin += "#" + r.pin
	}
	return pin
}
