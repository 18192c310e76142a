package assessment

import (
	"context"
	"time"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/agent/judgemodel"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/evaluate"
)

// yield bounds how long a judgement waits for the live reply of its interview, which goes first.
const yield = 10 * time.Second

// maxAnswer bounds a judge's answer in tokens, beside the judge's own bound: it is longer than any reply of an interviewer.
const maxAnswer = 2000

// ByModel makes judges of a model, one for each interview. A judge asks for one repair of an answer that cannot be used, lets
// the live reply of the interview that its meter counts for go first, and asks only while that has tokens left. A nil
// temperature is left to the provider.
func ByModel(model llm.Model, temperature *float64) func(*session.Meter) Judge {
	asked := judgemodel.New(model, temperature)
	return func(m *session.Meter) Judge {
		return func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
			return evaluator.ByModel(ctx, by, it, asked, judgemodel.Call{MaxTokens: maxAnswer, Meter: m, Yield: yield})
		}
	}
}
