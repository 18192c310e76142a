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

// Ask makes the question to a model that a Run stands for. It is for whoever carries out Runs; Read makes the Result of
// the TaskDone of the answer.
func (iv *Interview) Ask(r Run) (structured.Question, error) {
	switch r.Kind {
	case TaskExpert:
		e, err := iv.modelled(r)
		if err != nil {
			return structured.Question{}, err
		}
		q, err := expert.SafeAsk(e, *r.Board)
		if err != nil {
			return structured.Question{}, fmt.Errorf("ask expert %s: %w", r.Expert, err)
		}
		return q, nil
	case TaskEvaluate:
		j, err := judgeFor(r)
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

// Read turns a model's answer to Ask's question into the Result of a TaskDone. The error says what is wrong with the
// answer, in words for structured.Repair.
func (iv *Interview) Read(r Run, answer json.RawMessage) (json.RawMessage, error) {
	var result any
	switch r.Kind {
	case TaskExpert:
		e, err := iv.modelled(r)
		if err != nil {
			return nil, err
		}
		if result, err = expert.SafeRead(e, *r.Board, answer, iv.known); err != nil {
			return nil, fmt.Errorf("read the answer for expert %s: %w", r.Expert, err)
		}
	case TaskEvaluate:
		j, err := judgeFor(r)
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
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode the result of task %d: %w", r.Task, err)
	}
	return raw, nil
}

func (iv *Interview) modelled(r Run) (expert.Modelled, error) {
	if iv.Experts != nil && r.Board != nil {
		if e, there := iv.Experts.Find(r.Expert); there {
			if m, is := e.(expert.Modelled); is {
				return m, nil
			}
		}
	}
	return nil, fmt.Errorf("expert %q: %w", r.Expert, ErrNotForModel)
}

func judgeFor(r Run) (evaluate.Judge, error) {
	x, _ := registry.Lookup(r.Evaluator)
	if j, is := x.(evaluate.Judge); is && r.Item != nil {
		return j, nil
	}
	return nil, fmt.Errorf("evaluator %q: %w", r.Evaluator, ErrNotForModel)
}
