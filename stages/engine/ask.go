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
func (r Run) Ask() (structured.Question, error) {
	switch r.Kind {
	case TaskExpert:
		e, err := r.modelled()
		if err != nil {
			return structured.Question{}, err
		}
		q, err := expert.SafeAsk(e, *r.Board)
		if err != nil {
			return structured.Question{}, fmt.Errorf("ask expert %s: %w", r.Expert, err)
		}
		return q, nil
	case TaskEvaluate:
		j, err := r.judge()
		if err != nil {
			return structured.Question{}, err
		}
		q, err := j.Ask(*r.Item)
		if err != nil {
			return structured.Question{}, fmt.Errorf("ask judge %s: %w", r.Evaluator, err)
		}
		return q, nil
	}
	return structured.Question{}, fmt.Errorf("task of kind %s: %w", r.Kind, ErrNotForModel)
}

// Read returns the result that Step makes of a model's answer to Ask's question. Whoever asks the model finds out by it whether
// to ask again: the error says what is wrong with the answer, in words for structured.Repair.
func (r Run) Read(answer json.RawMessage) (json.RawMessage, error) {
	var result any
	switch r.Kind {
	case TaskExpert:
		e, err := r.modelled()
		if err != nil {
			return nil, err
		}
		if result, err = expert.SafeRead(e, *r.Board, answer, r.stages); err != nil {
			return nil, fmt.Errorf("read the answer for expert %s: %w", r.Expert, err)
		}
	case TaskEvaluate:
		j, err := r.judge()
		if err != nil {
			return nil, err
		}
		e, err := j.Read(*r.Item, answer)
		if err != nil {
			return nil, fmt.Errorf("read the answer for judge %s: %w", r.Evaluator, err)
		}
		result = evaluate.Sanitize(e)
	default:
		return nil, fmt.Errorf("task of kind %s: %w", r.Kind, ErrNotForModel)
	}
	return r.encoded(result)
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

func (r Run) modelled() (expert.Modelled, error) {
	if m, is := r.responder.(expert.Modelled); is && r.Board != nil {
		return m, nil
	}
	return nil, fmt.Errorf("expert %q: %w", r.Expert, ErrNotForModel)
}

func (r Run) judge() (evaluate.Judge, error) {
	x, _ := registry.Lookup(r.Evaluator)
	if j, is := x.(evaluate.Judge); is && r.Item != nil {
		return j, nil
	}
	return nil, fmt.Errorf("evaluator %q: %w", r.Evaluator, ErrNotForModel)
}
