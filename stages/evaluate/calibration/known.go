package calibration

import (
	"embed"
	"slices"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
)

// Rules is the grader that needs no model.
const Rules = "rules"

// Bar is the kappa from which on a rubric counts as calibrated.
const Bar = 0.55

// Calibration is what was measured of a rubric, on answers that its rules were not bettered with.
type Calibration struct {
	Rubric   string  `yaml:"rubric"` // with its version: another version is not calibrated by it
	By       string  `yaml:"by"`     // Rules, or a model's name
	On       string  `yaml:"on"`
	Answers  int     `yaml:"answers"`
	Levels   int     `yaml:"levels"`
	Assessed int     `yaml:"assessed"`
	Kappa    float64 `yaml:"kappa"`
	Low      float64 `yaml:"low"`
	High     float64 `yaml:"high"`
}

//go:embed calibrations.yaml
var files embed.FS

// shipped are the calibrations that come with Viva.
var shipped = sync.OnceValue(func() []Calibration {
	return *datafile.Shipped[[]Calibration](files, "calibrations.yaml")["calibrations"]
})

// Reached reports whether a rubric of this version, judged by rules or a model, agrees well enough with the raters of the labelled answers.
func Reached(rubric, by string) bool {
	return slices.ContainsFunc(shipped(), func(c Calibration) bool { return c.Rubric == rubric && c.By == by && c.Kappa >= Bar })
}
