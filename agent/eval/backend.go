package eval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// patience is how long a task or a judgement may really take: whoever answers for a model may be a person.
const patience = time.Hour

// backend words, carries out tasks, judges and reports as a worker does, for one talk and one thing at a time. It belongs to the
// goroutine of its talk.
type backend struct {
	h        *holding
	composer *session.Composer
	service  *assessment.Service
	judging  *assessment.Assessor
}

var (
	_ simulate.Interviewer = (*backend)(nil)
	_ simulate.Runner      = (*backend)(nil)
)

func (h *holding) newBackend() (*backend, error) {
	b := &backend{h: h}
	meter := session.NewMeter(h.Interview.Def.Budget.SessionTokens)
	pool, err := tasks.New(tasks.Options{Evaluators: h.role(h.Models.Evaluator)})
	if err != nil {
		return nil, fmt.Errorf("prepare the tasks of a talk: %w", err)
	}
	if b.service, err = assessment.New(assessment.Options{Software: "viva eval", Logger: zap.NewNop()}); err != nil {
		return nil, fmt.Errorf("prepare judging and the report: %w", err)
	}
	c := assessment.Case{
		Session: "eval", Room: "eval", Interview: h.Interview, Models: h.named(),
		Journal: func(context.Context) ([]state.Entry, error) { return h.minutes.entries, nil },
	}
	if by := h.role(h.Models.Evaluator); by.Model != nil {
		c.Model = assessment.ByModel(by.Model, by.Temperature)(meter)
	}
	b.judging = b.service.Open(c)
	who := design.Candidate{Session: "eval", Name: h.Scenario.Metadata.Candidate.Name, Locale: h.Interview.Words.Locale()}
	b.composer = session.NewComposer(session.ComposerOptions{
		Interview: h.Interview, Model: h.watch(h.Models.Interviewer), Meter: meter, Wait: patience,
		Tasks: pool.For(who, meter).Reporting(b.judging),
	})
	return b, nil
}

// named are the models that a report tells of. A recording may not know what its evaluator was called: that it was a model is known.
func (h *holding) named() map[string]string {
	out := make(map[string]string)
	if h.Models.Interviewer != nil {
		out["interviewer"] = cmp.Or(h.Model, unnamed)
	}
	if h.Models.Evaluator.Model != nil {
		out["evaluators"] = cmp.Or(h.Evaluator, unnamed)
	}
	return out
}

// unnamed stands for the name of a model that a recording does not tell.
const unnamed = "a model without a name"

// close waits for whatever the backend has started; it was told to end.
func (b *backend) close() { b.service.Close() }

func (b *backend) Word(_ *state.UserData, e engine.Say) simulate.Wording {
	c, err := b.composer.Compose(b.h.ctx, e)
	if err != nil {
		return simulate.Wording{Text: e.Text, Latency: b.h.Pace.Words, Degraded: err.Error()}
	}
	return simulate.Wording{Text: c.Text, Latency: b.h.Pace.Words, Worded: c.Worded, Degraded: c.Degraded, Reading: c.Reading}
}

// Do implements simulate.Runner. What takes no model takes no time.
func (b *backend) Do(r engine.Run) (engine.TaskDone, time.Duration) {
	after := 100 * time.Millisecond
	switch {
	case r.Kind == engine.TaskEvaluate && b.h.Models.Evaluator.Model != nil:
		after = min(b.h.Pace.Task, r.Budget)
	case r.Kind == engine.TaskReport:
		after = min(b.h.Pace.Judgement, r.Budget)
	}
	r.Budget = patience
	ctx, cancel := context.WithTimeout(b.h.ctx, patience)
	defer cancel()
	done := b.composer.CarryOut(ctx, r)
	return done, after
}

// Judge implements simulate.Runner: it waits for what a talk would not wait for, so that talks come out the same again.
func (b *backend) Judge(e engine.Judge) (engine.Judged, time.Duration) {
	e.Budget, e.Attempts = patience, max(1, e.Attempts)
	came := make(chan engine.Judged, 1)
	b.judging.Judge(e, func(j engine.Judged) { came <- j })
	select {
	case j := <-came:
		return j, b.h.Pace.Judgement
	case <-b.h.ctx.Done():
		return engine.Judged{Item: e.Item.ID, Missing: report.ReasonLate}, b.h.Pace.Judgement
	}
}

// finish ends the backend's work and returns the report as Markdown; "" where the interview makes none.
func (b *backend) finish(u *state.UserData) string {
	b.judging.Close(u)
	ctx, cancel := context.WithTimeout(b.h.ctx, patience)
	defer cancel()
	if err := b.service.Wait(ctx); err != nil {
		b.h.fail(fmt.Errorf("wait for the report: %w", err))
	}
	made := b.judging.Made()
	if b.h.Interview.Def.Report == nil || made == nil {
		return ""
	}
	text, err := report.Markdown(made)
	if err != nil {
		b.h.fail(fmt.Errorf("write the report: %w", err))
	}
	return string(text)
}
