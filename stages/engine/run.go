package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/structured"
)

// ErrNotForModel says that a Run is not for a model to answer: a provider does, or nobody can.
var ErrNotForModel = errors.New("this task is not for a model")

// Question makes the question to a model that the Run stands for: a judge's. The model's answer goes into the TaskDone as it is.
func (r Run) Question() (structured.Question, error) {
	j := r.judge()
	if j == nil {
		return structured.Question{}, fmt.Errorf("task of kind %s: %w", r.Kind, ErrNotForModel)
	}
	q, err := j.Ask(*r.Item)
	if err != nil {
		return structured.Question{}, fmt.Errorf("ask judge %s: %w", r.Evaluator, err)
	}
	return q, nil
}

// Read returns the result that Step makes of a model's answer to that question. Whoever asks the model finds out by it whether
// to ask again: the error says what is wrong with the answer, in words for structured.Repair.
func (r Run) Read(answer json.RawMessage) (json.RawMessage, error) {
	j := r.judge()
	if j == nil {
		return nil, fmt.Errorf("task of kind %s: %w", r.Kind, ErrNotForModel)
	}
	judged, err := j.Read(*r.Item, answer)
	if err != nil {
		return nil, fmt.Errorf("read the answer for judge %s: %w", r.Evaluator, err)
	}
	raw, err := json.Marshal(evaluate.Sanitize(judged))
	if err != nil {
		return nil, fmt.Errorf("encode the result of task %d: %w", r.Task, err)
	}
	return raw, nil
}

// judge is the judge that a model can answer for, or nil.
func (r Run) judge() evaluate.Judge {
	if r.Kind != TaskEvaluate || r.Item == nil {
		return nil
	}
	return registry.Judge(r.Evaluator)
}
