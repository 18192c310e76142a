package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/structured"
)

// ErrNotForModel says that a Run is not for a model to answer: a provider does, or nobody can.
var ErrNotForModel = errors.New("this task is not for a model")

// Ask makes the question to a model that the Run stands for. The model's answer goes into the TaskDone as it is.
func (r Run) Ask() (q structured.Question, err error) {
	who := "expert " + r.Expert
	switch e, j := r.modelled(), r.judge(); {
	case e != nil:
		q, err = expert.SafeAsk(e, *r.Board)
	case j != nil:
		who = "judge " + r.Evaluator
		q, err = j.Ask(*r.Item)
	default:
		return q, fmt.Errorf("task of kind %s: %w", r.Kind, ErrNotForModel)
	}
	if err != nil {
		return structured.Question{}, fmt.Errorf("ask %s: %w", who, err)
	}
	return q, nil
}

// Read returns the result that Step makes of a model's answer to Ask's question. Whoever asks the model finds out by it whether
// to ask again: the error says what is wrong with the answer, in words for structured.Repair.
func (r Run) Read(answer json.RawMessage) (json.RawMessage, error) {
	switch e, j := r.modelled(), r.judge(); {
	case e != nil:
		response, err := expert.SafeRead(e, *r.Board, answer, r.stages)
		if err != nil {
			return nil, fmt.Errorf("read the answer for expert %s: %w", r.Expert, err)
		}
		return r.encoded(response)
	case j != nil:
		judged, err := j.Read(*r.Item, answer)
		if err != nil {
			return nil, fmt.Errorf("read the answer for judge %s: %w", r.Evaluator, err)
		}
		return r.encoded(evaluate.Sanitize(judged))
	}
	return nil, fmt.Errorf("task of kind %s: %w", r.Kind, ErrNotForModel)
}

// Rules returns the result of an expert's task by the expert's own rules, for want of a model.
func (r Run) Rules() (json.RawMessage, error) {
	if r.responder == nil || r.Board == nil {
		return nil, fmt.Errorf("there is no expert %q", r.Expert)
	}
	response, err := expert.Safe(r.responder, *r.Board, r.stages)
	if err != nil {
		return nil, err
	}
	return r.encoded(response)
}

func (r Run) encoded(result any) (json.RawMessage, error) {
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode the result of task %d: %w", r.Task, err)
	}
	return raw, nil
}

// modelled is the expert that a model can answer for, or nil.
func (r Run) modelled() expert.Modelled {
	if r.Kind != TaskExpert || r.Board == nil {
		return nil
	}
	m, _ := r.responder.(expert.Modelled)
	return m
}

// judge is the judge that a model can answer for, or nil.
func (r Run) judge() evaluate.Judge {
	if r.Kind != TaskEvaluate || r.Item == nil {
		return nil
	}
	x, _ := registry.Lookup(r.Evaluator)
	j, _ := x.(evaluate.Judge)
	return j
}
