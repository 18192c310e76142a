package debrief

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vivavoice/viva/agent/adviser"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// yield bounds how long a judgement waits for the live reply of its interview, which goes first.
const yield = 10 * time.Second

var (
	errBudget  = errors.New("the interview's budget of tokens is spent")
	errUnknown = errors.New("there is no such evaluator here")
)

// maxAnswer bounds a judge's answer in tokens, beside the judge's own bound: it is longer than any reply of an interviewer.
const maxAnswer = 2000

// ByModel makes judges of a model, one for each interview. A judge asks for one repair of an answer that cannot be used, lets
// the live reply of the interview that its meter counts for go first, and asks only while that has tokens left. A nil
// temperature is left to the provider.
func ByModel(model llm.Model, temperature *float64) func(*session.Meter) Judge {
	asked := adviser.New(model, temperature)
	return func(m *session.Meter) Judge { return byModel(asked, m) }
}

func byModel(model *adviser.Adviser, meter *session.Meter) Judge {
	unspent := func() error {
		if meter.Spent() {
			return errBudget
		}
		return nil
	}
	return func(ctx context.Context, by string, it evaluate.Item) (e evaluate.Evaluation, err error) {
		known, _ := registry.Lookup(by)
		judge, is := known.(evaluate.Judge)
		if !is {
			return e, fmt.Errorf("judge by %q: %w", by, errUnknown)
		}
		if err := unspent(); err != nil {
			return e, err
		}
		q, err := judge.Ask(it)
		if err != nil {
			return e, fmt.Errorf("make the question for %s: %w", by, err)
		}
		meter.Yield(ctx, yield)
		err = model.Ask(ctx, adviser.Call{
			Question: q, MaxTokens: maxAnswer, Count: meter.Add, Repair: unspent,
			Read: func(answer json.RawMessage) (err error) {
				e, err = judge.Read(it, answer)
				return err
			},
		})
		return e, err
	}
}

// byRules judges by the rules of an evaluator, which need nobody.
func byRules(_ context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
	known, _ := registry.Lookup(by)
	rules, is := known.(evaluate.Evaluator)
	if !is {
		return evaluate.Evaluation{}, fmt.Errorf("judge by %q: %w", by, errUnknown)
	}
	return rules.Evaluate(it)
}

// can reports what an evaluator is: one that a model can judge by, one that rules can.
func can(by string) (model, rules bool) {
	known, _ := registry.Lookup(by)
	_, model = known.(evaluate.Judge)
	_, rules = known.(evaluate.Evaluator)
	return model, rules
}
