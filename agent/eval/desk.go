package eval

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/debrief"
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

// desk words, carries out tasks, judges and reports as a worker does, for one talk and one thing at a time. It belongs to the
// goroutine of its talk.
type desk struct {
	h        *holding
	composer *session.Composer
	service  *debrief.Service
	judging  *debrief.Desk
}

var (
	_ simulate.Interviewer = (*desk)(nil)
	_ simulate.Desk        = (*desk)(nil)
)

func (h *holding) newDesk() (*desk, error) {
	d := &desk{h: h}
	meter := session.NewMeter(h.Interview.Def.Budget.SessionTokens)
	pool, err := tasks.New(tasks.Options{Evaluators: h.role(h.Models.Evaluator)})
	if err != nil {
		return nil, fmt.Errorf("prepare the tasks of a talk: %w", err)
	}
	if d.service, err = debrief.New(debrief.Options{Software: "viva eval", Logger: zap.NewNop()}); err != nil {
		return nil, fmt.Errorf("prepare judging and the report: %w", err)
	}
	c := debrief.Case{
		Session: "eval", Room: "eval", Interview: h.Interview,
		Journal: func(context.Context) ([]state.Entry, error) { return h.minutes.entries, nil },
	}
	if by := h.role(h.Models.Evaluator); by.Model != nil {
		c.Model = debrief.ByModel(by.Model, by.Temperature)(meter)
	}
	d.judging = d.service.Open(c)
	who := design.Candidate{Session: "eval", Name: h.Scenario.Metadata.Candidate.Name, Locale: h.Interview.Words.Locale()}
	d.composer = session.NewComposer(session.ComposerOptions{
		Interview: h.Interview, Model: h.watch(h.Models.Interviewer), Meter: meter, Wait: patience,
		Tasks: pool.For(who, meter).Reporting(d.judging),
	})
	return d, nil
}

// close waits for whatever the desk has started; it was told to end.
func (d *desk) close() { d.service.Close() }

func (d *desk) Word(_ *state.UserData, e engine.Say) simulate.Wording {
	c, err := d.composer.Compose(d.h.ctx, e)
	if err != nil {
		return simulate.Wording{Text: e.Text, Latency: d.h.Pace.Words, Degraded: err.Error()}
	}
	return simulate.Wording{Text: c.Text, Latency: d.h.Pace.Words, Worded: c.Worded, Degraded: c.Degraded, Reading: c.Reading}
}

// Do implements simulate.Desk. What takes no model takes no time.
func (d *desk) Do(r engine.Run) (engine.TaskDone, time.Duration) {
	after := 100 * time.Millisecond
	switch {
	case r.Kind == engine.TaskEvaluate && d.h.Models.Evaluator.Model != nil:
		after = min(d.h.Pace.Task, r.Budget)
	case r.Kind == engine.TaskReport:
		after = min(d.h.Pace.Judgement, r.Budget)
	}
	r.Budget = patience
	ctx, cancel := context.WithTimeout(d.h.ctx, patience)
	defer cancel()
	done := d.composer.CarryOut(ctx, r)
	return done, after
}

// Judge implements simulate.Desk: it waits for what a talk would not wait for, so that talks come out the same again.
func (d *desk) Judge(e engine.Judge) (engine.Judged, time.Duration) {
	e.Budget, e.Attempts = patience, max(1, e.Attempts)
	came := make(chan engine.Judged, 1)
	d.judging.Judge(e, func(j engine.Judged) { came <- j })
	select {
	case j := <-came:
		return j, d.h.Pace.Judgement
	case <-d.h.ctx.Done():
		return engine.Judged{Item: e.Item.ID, Missing: report.ReasonLate}, d.h.Pace.Judgement
	}
}

// finish ends the desk's work and returns the report as Markdown; "" where the interview makes none.
func (d *desk) finish(u *state.UserData) string {
	d.judging.Close(u)
	ctx, cancel := context.WithTimeout(d.h.ctx, patience)
	defer cancel()
	if err := d.service.Wait(ctx); err != nil {
		d.h.fail(fmt.Errorf("wait for the report: %w", err))
	}
	made := d.judging.Made()
	if d.h.Interview.Def.Report == nil || made == nil {
		return ""
	}
	text, err := report.Markdown(made)
	if err != nil {
		d.h.fail(fmt.Errorf("write the report: %w", err))
	}
	return string(text)
}
