package evaluator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/agent/adviser"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// Judge judges an item by the evaluator of this name, until ctx ends.
type Judge = func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error)

// Why an item is not judged, whoever is asked.
var (
	// ErrItem says that the evaluator cannot judge this item, now or later: it has no reference answer, for example.
	ErrItem = errors.New("the item cannot be judged by this evaluator")
	// ErrUnknown says that there is no evaluator of this name.
	ErrUnknown = errors.New("there is no such evaluator")
	// ErrNoModel says that the evaluator needs a model, and there is none.
	ErrNoModel = errors.New("the evaluator needs a model, and there is none")
	// ErrBroken says that the evaluator panicked.
	ErrBroken = errors.New("the evaluator broke")
)

// Local judges in this process.
type Local struct {
	adviser *adviser.Adviser // nil: there is no model
}

// NewLocal makes a judge. A nil model leaves rules only; a nil temperature is the provider's.
func NewLocal(model llm.Model, temperature *float64) *Local {
	if model == nil {
		return &Local{}
	}
	return &Local{adviser: adviser.New(model, temperature)}
}

// Judge has the model judge where there is one and the evaluator asks one, else its rules. An error of the model's provider
// keeps its kind (fault.KindOf); whether to try again is the caller's. Nothing is degraded here.
func (l *Local) Judge(ctx context.Context, by string, it evaluate.Item) (out evaluate.Evaluation, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			out, err = evaluate.Evaluation{}, fmt.Errorf("judge %s by %s: %w: %v", it.ID, by, ErrBroken, broken)
		}
	}()
	x, there := registry.Lookup(by)
	if !there {
		return out, fmt.Errorf("judge %s by %.64q: %w", it.ID, by, ErrUnknown)
	}
	if judge, is := x.(evaluate.Judge); is && l.adviser != nil {
		out, err = l.ask(ctx, judge, it)
		if !errors.Is(err, evaluate.ErrByRules) {
			return out, err
		}
	}
	rules, is := x.(evaluate.Evaluator)
	if !is {
		return out, fmt.Errorf("judge %s by %s: %w", it.ID, by, ErrNoModel)
	}
	if err := ctx.Err(); err != nil {
		return out, fmt.Errorf("judge %s by %s: %w", it.ID, by, err)
	}
	if out, err = rules.Evaluate(it); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("judge %s by %s: %w: %w", it.ID, by, ErrItem, err)
	}
	return evaluate.Sanitize(out), nil
}

func (l *Local) ask(ctx context.Context, judge evaluate.Judge, it evaluate.Item) (out evaluate.Evaluation, err error) {
	q, err := judge.Ask(it)
	if err != nil {
		return out, fmt.Errorf("judge %s by %s: %w: %w", it.ID, judge.Name(), ErrItem, err)
	}
	err = l.adviser.Ask(ctx, adviser.Call{
		Question: q, MaxTokens: q.MaxTokens,
		Read: func(answer json.RawMessage) (err error) {
			out, err = judge.Read(it, answer)
			return err
		},
	})
	if err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("judge %s by %s: %w", it.ID, judge.Name(), err)
	}
	return evaluate.Sanitize(out), nil
}
