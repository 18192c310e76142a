package evaluator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vivavoice/viva/stages/evaluate"
)

// accept reads a service's answer: what is no evaluation is an error; scores off their scale are brought back to it and
// flagged, and quotes that the candidate did not say are dropped (RX-13, RX-16).
func accept(text []byte, it evaluate.Item) (evaluate.Evaluation, error) {
	var e evaluate.Evaluation
	if err := json.Unmarshal(text, &e); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not an evaluation in JSON: %w", err)
	}
	if err := complete(e); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not an evaluation: %w", err)
	}
	return evaluate.Verified(e, it), nil
}

// complete reports what an evaluation needs at least: JSON of any other shape decodes too.
func complete(e evaluate.Evaluation) error {
	known := []string{evaluate.StatusOK, evaluate.StatusDegraded, evaluate.StatusFailed, evaluate.StatusNotAssessed}
	switch {
	case !slices.Contains(known, e.Status):
		return fmt.Errorf("status %.40q is unknown", e.Status)
	case e.By == "":
		return errors.New("by is missing")
	case e.Max <= e.Min:
		return fmt.Errorf("the scale from %v to %v is none", e.Min, e.Max)
	}
	return nil
}
