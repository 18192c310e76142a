package agent

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// handOverWait is how long the interviewer stays in the room for a report that the candidate's page has not got yet.
const handOverWait = 2 * time.Second

// newAssessment makes the service that judges and reports for all interviews.
func newAssessment(o *Options) (*assessment.Service, func(*session.Meter) assessment.Judge, error) {
	d := assessment.Options{
		Judge: o.Judge, Webhook: o.Webhook, Software: "viva " + o.Version, Logger: o.Logger, Refused: o.refused.Found,
		Metrics: o.Metrics, Guard: guard.New(o.Logger, o.Metrics.panicked),
	}
	if o.Archive != nil {
		d.Archive = o.Archive
	}
	service, err := assessment.New(d)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare judging and reports: %w", err)
	}
	if by := o.Engines.Evaluators; by.Model != nil {
		return service, assessment.ByModel(by.Model, by.Temperature), nil
	}
	return service, nil, nil
}

// Close waits until the reports of interviews that have ended are built and kept, until ctx ends; then they are built with
// the judgements that are there. Call it after the worker has ended.
func (i *Interviewer) Close(ctx context.Context) {
	defer i.leaseholder.close()
	if err := i.assessment.Wait(ctx); err != nil {
		i.o.Logger.Warn("report.hurried", zap.Error(err))
	}
	i.assessment.Close()
}

// assessor opens the assessor of the interview.
func (a *attendance) assessor(held *beginning, meter *session.Meter, recorded func() *report.Recording) *assessment.Assessor {
	id := held.start.Session
	c := assessment.Case{
		Session: id, Room: a.job.RoomName, Began: held.began(), Interview: a.interview, Models: a.i.o.Engines.Models, Link: a.i.o.Link,
		Journal: func(ctx context.Context) ([]state.Entry, error) { return a.i.o.Store.Read(ctx, id) },
		Publish: a.handout.publish,
		Over:    func() { a.forget(id) }, Recording: recorded,
	}
	if a.i.judges != nil {
		c.Model = a.i.judges(meter.Beside())
	}
	a.handout.send = func(topic, text string) error { return a.room.SendText(topic, text) }
	return a.i.assessment.Open(c)
}

// began is when the interview's own clock began.
func (o *beginning) began() time.Time {
	if o.resume == nil {
		return time.Now()
	}
	return time.Now().Add(-o.resume.Gap - o.resume.Last.Duration())
}

// observer counts what happens in the interview; words of self-harm go to the operator's program as well, at once. That is done beside
// the talk, once; the attendance waits for it as for what it files.
func (a *attendance) observer(ctx context.Context, assessor *assessment.Assessor) func(engine.Fact) {
	var once sync.Once
	return func(f engine.Fact) {
		a.i.o.Metrics.Observe(f)
		if f.Name == "candidate.distress" {
			a.log.Warn("candidate.distress")
			once.Do(func() {
				a.guard.Beside(&a.filing.WaitGroup, "distress", func() { assessor.Distress(context.WithoutCancel(ctx)) })
			})
		}
	}
}

// conclude closes the assessor of an interview that is over, and stays for a moment so that its report reaches the page. One whose
// journal failed, or that never began (u is nil), is not over: another worker may take it up.
func (a *attendance) conclude(ctx context.Context, assessor *assessment.Assessor, u *state.UserData, reason string, err error) {
	if err != nil && reason == "" || u == nil {
		assessor.Drop()
		return
	}
	assessor.Close(u)
	if a.interview.Def.Report == nil || reason == "candidate_left" || reason == "disconnected" {
		return
	}
	timer := time.NewTimer(handOverWait)
	defer timer.Stop()
	select {
	case <-assessor.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// handout is the report as the candidate's page gets it: when it is made, and again when a page asks for it or comes back.
type handout struct {
	send func(topic, text string) error // set before anybody publishes

	mu    sync.Mutex
	text  string // guarded by mu: what was published; empty = nothing yet
	asked seldom
}

func (h *handout) publish(topic string, text []byte) error {
	h.mu.Lock()
	h.text = string(text)
	h.mu.Unlock()
	return h.send(topic, string(text))
}

// again sends what was published once more, not too often.
func (h *handout) again() {
	h.mu.Lock()
	text := h.text
	h.mu.Unlock()
	if text == "" || !h.asked.now() {
		return
	}
	_ = h.send(assessment.Topic, text) // a room that cannot take it now is asked again by the page
}
