package assessment

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/report"
)

// Waits between the tries of one judge.
const (
	firstPause  = 2 * time.Second
	longestWait = 30 * time.Second // whatever a provider asks for
)

// result is what came of an item: a judgement, or why there is none.
type result struct {
	evaluation evaluate.Evaluation
	missing    string // a reason of package report; empty = there is a judgement
}

func (r result) status() string {
	if r.missing != "" {
		return r.missing
	}
	return r.evaluation.Status
}

// judged is the answer to the session.
func (r result) judged(item string) engine.Judged {
	if r.missing != "" {
		return engine.Judged{Item: item, Missing: r.missing}
	}
	e := r.evaluation
	return engine.Judged{Item: item, Evaluation: &e}
}

// judge has an item judged: by the first judge who can, by the next where one cannot, until ctx ends.
func (d *Assessor) judge(ctx context.Context, e engine.Judge) result {
	judges := d.judges(e.By)
	if len(judges) == 0 {
		return result{missing: report.ReasonNoJudge}
	}
	var failed error
	for _, judge := range judges {
		got, err := d.try(ctx, judge, e)
		switch {
		case err == nil && failed != nil:
			return result{evaluation: evaluate.Degrade(got, fault.KindOf(failed).String())}
		case err == nil:
			return result{evaluation: got}
		case ctx.Err() != nil:
			return result{missing: report.ReasonLate}
		case errors.Is(err, evaluate.ErrByRules): // nobody failed: it was never for a model
			continue
		}
		failed = err
		d.log.Warn("judgement.failed", zap.String("attachment", e.Attachment), zap.String("by", e.By), zap.String("kind", fault.KindOf(err).String()))
	}
	return result{missing: missing(failed)}
}

// missing is the reason of an item that nobody could judge.
func missing(err error) string {
	switch {
	case fault.KindOf(err) == fault.Timeout:
		return report.ReasonLate
	case fault.KindOf(err) == fault.Malformed:
		return report.ReasonUnreadable
	}
	return report.ReasonFailed
}

// judges are those who may judge by an evaluator, in the order in which they are asked.
func (d *Assessor) judges(by string) (list []Judge) {
	if d.service.o.Judge != nil {
		list = append(list, d.service.o.Judge)
	}
	if registry.Judge(by) != nil && d.c.Model != nil {
		list = append(list, d.c.Model)
	}
	if registry.Rules(by) != nil {
		list = append(list, evaluator.ByRules)
	}
	return list
}

// try asks one judge, and again where that may help: after 2, 4 and 8 s (R003-84).
func (d *Assessor) try(ctx context.Context, judge Judge, e engine.Judge) (evaluate.Evaluation, error) {
	attempts := e.Attempts
	if attempts <= 0 {
		attempts = definition.DefaultJudgeAttempts
	}
	pause := firstPause
	for n := 1; ; n++ {
		got, err := d.once(ctx, judge, e)
		if err == nil || n == attempts || !fault.Retryable(err) || ctx.Err() != nil {
			return got, err
		}
		wait := pause
		if known, is := errors.AsType[*fault.Error](err); is {
			wait = max(wait, min(known.RetryAfter, longestWait))
		}
		if !fault.Sleep(ctx, wait) {
			return got, context.Cause(ctx)
		}
		pause = min(2*pause, 4*firstPause)
	}
}

// once asks a judge once, when it is this judgement's turn. A panic is a failure like any other.
func (d *Assessor) once(ctx context.Context, judge Judge, e engine.Judge) (got evaluate.Evaluation, err error) {
	select {
	case d.service.slots <- struct{}{}:
	case <-ctx.Done():
		return got, context.Cause(ctx)
	}
	defer func() { <-d.service.slots }()
	budget := e.Budget
	if budget <= 0 {
		budget = definition.DefaultJudgeBudget
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	err = d.service.o.Guard.Try("judgement", func() error {
		made, err := judge(ctx, e.By, e.Item)
		if err == nil {
			got = evaluate.Verified(made, e.Item)
		}
		return err
	})
	return got, err
}
