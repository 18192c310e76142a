package twostage

import (
	"fmt"
	"strings"
)

// Names of the columns and fields of a sample.
const (
	ColumnInput        = "input_text"
	ColumnPrediction   = "prediction"
	ColumnGroundtruth  = "groundtruth"
	ColumnConstruction = "construction"
	ColumnReasoning    = "reasoning"
	ColumnAnswer       = "answer"
)

// Sample is what is judged.
type Sample struct {
	InputText   string `json:"input_text"`  // the problem; required
	Prediction  string `json:"prediction"`  // what was answered; required where there is no Answer
	Groundtruth string `json:"groundtruth"` // what should have been answered; required
	// Construction is XML with the four sections, Reasoning XML or text. Both are optional; blank is the same as absent.
	Construction string `json:"construction,omitempty"`
	Reasoning    string `json:"reasoning,omitempty"`
	// Answer is what was said where nothing was written: it stands in for whichever of Prediction, Construction and
	// Reasoning is blank, by the rules of Frame.
	Answer string `json:"answer,omitempty"`
}

// ValidationError says which column of a sample cannot be judged, and why.
type ValidationError struct {
	Column  string
	Problem string
}

// Error implements error.
func (e *ValidationError) Error() string { return e.Column + " " + e.Problem }

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// Validate returns a *ValidationError for the first column that cannot be judged: what is required is blank, or the
// ground truth is of no kind that the rubric knows.
func (e *Evaluator) Validate(s Sample) error {
	for _, required := range []struct{ column, value string }{
		{ColumnInput, s.InputText}, {ColumnPrediction, s.Prediction + s.Answer}, {ColumnGroundtruth, s.Groundtruth},
	} {
		if blank(required.value) {
			return &ValidationError{required.column, "must not be empty"}
		}
	}
	if kind, _ := e.chain.read(s.Groundtruth); kind == nil {
		return &ValidationError{ColumnGroundtruth, fmt.Sprintf("%q is not in an expected format (%s)",
			shorten(s.Groundtruth), strings.Join(e.chain.names(), ", "))}
	}
	return nil
}
