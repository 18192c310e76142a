package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/vivavoice/viva/agent/judgemodel"
	"github.com/vivavoice/viva/stages/engine"
)

// yield bounds how long a task waits for the interview's own live reply: that one is bounded itself, and the candidate
// waits for the task too.
const yield = 3 * time.Second

// judge has a model judge: once, and once more if its answer cannot be used (one repair).
func (r *Runner) judge(ctx context.Context, run engine.Run) (done engine.TaskDone, err error) {
	if r.pool.evaluators == nil {
		return done, errNoModel
	}
	q, err := run.Question()
	if err != nil {
		return done, fmt.Errorf("make the question: %w", err)
	}
	if err := r.turn(ctx); err != nil {
		return done, err
	}
	defer func() { <-r.pool.slots }()
	err = r.pool.evaluators.Ask(ctx, judgemodel.Call{
		Question: q, MaxTokens: judgeTokens, Meter: r.meter,
		Read: func(answer json.RawMessage) error {
			done.Answer = answer
			_, err := run.Read(answer)
			return err
		},
	})
	if err != nil {
		return engine.TaskDone{}, err
	}
	return done, nil
}

// judgeTokens bounds a judge's answer. Its question says how much it needs, which grows with the criteria: an answer that is
// cut off is none.
const judgeTokens = 4000

// turn waits until it is this task's turn to ask a model.
func (r *Runner) turn(ctx context.Context) error {
	r.meter.Yield(ctx, yield)
	select {
	case r.pool.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to ask a model: %w", ctx.Err())
	}
}
