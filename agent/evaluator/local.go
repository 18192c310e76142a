package evaluator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/agent/judgemodel"
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
	judge *judgemodel.Model // nil: there is no model
}

// NewLocal makes a judge. A nil model leaves rules only; a nil temperature is the provider's.
func NewLocal(model llm.Model, temperature *float64) *Local {
	return &Local{judge: judgemodel.New(model, temperature)}
}

// Judge has the model judge where there is one and the evaluator asks one, else its rules. Nothing is degraded here.
func (l *Local) Judge(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
	if l.judge != nil && registry.Judge(by) != nil {
		e, err := ByModel(ctx, by, it, l.judge, judgemodel.Call{})
		if !errors.Is(err, evaluate.ErrByRules) {
			return e, err
		}
	}
	return ByRules(ctx, by, it)
}

// ByRules judges by the rules of an evaluator, which need nobody.
func ByRules(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
	rules := registry.Rules(by)
	err := ctx.Err()
	switch {
	case rules == nil && registry.Judge(by) == nil:
		err = ErrUnknown
	case rules == nil:
		err = ErrNoModel
	}
	if err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("judge %s by %.64q: %w", it.ID, by, err)
	}
	e, err := rules.Evaluate(it)
	if err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("judge %s by %s: %w: %w", it.ID, by, ErrItem, err)
	}
	return evaluate.Sanitize(e), nil
}

// ByModel has a model judge by an evaluator that asks one. Of the call, the question and what is read of the answer are the
// evaluator's. An error of the model's provider keeps its kind (fault.KindOf); whether to try again is the caller's.
func ByModel(ctx context.Context, by string, it evaluate.Item, model *judgemodel.Model, c judgemodel.Call) (e evaluate.Evaluation, err error) {
	judge := registry.Judge(by)
	if judge == nil {
		return e, fmt.Errorf("judge %s by %.64q: %w", it.ID, by, ErrUnknown)
	}
	if c.Question, err = judge.Ask(it); err != nil {
		return e, fmt.Errorf("judge %s by %s: %w: %w", it.ID, by, ErrItem, err)
	}
	c.MaxTokens = cmp.Or(c.MaxTokens, c.Question.MaxTokens)
	c.Read = func(answer json.RawMessage) (err error) {
		e, err = judge.Read(it, answer)
		return err
	}
	if err := model.Ask(ctx, c); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("judge %s by %s: %w", it.ID, by, err)
	}
	return evaluate.Sanitize(e), nil
}
