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

var errBudget = errors.New("the interview's budget of tokens is spent")

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
			return e, fmt.Errorf("no model can judge by %q", by)
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
