package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
)

const (
	// AnswerBudget limits Handler.Accept: it leaves the server two of its three seconds for a dispatch.
	AnswerBudget = time.Second
	// AssignmentTimeout frees an accepted job's place if the server does not assign it. It is that of LiveKit's own frameworks.
	AssignmentTimeout = 7500 * time.Millisecond
	// leaveTimeout is how long the server waits after a termination before it removes the agent itself.
	leaveTimeout = 3 * time.Second
	// deliverTimeout bounds the wait for the server's receipt of a result; the agent then leaves all the same.
	deliverTimeout = time.Second
	// resultDelay is the least time between assignment and result. Servers up to 1.13.3 at least enter the job in their
	// books only after they have written the assignment, and ignore a result that is faster.
	resultDelay = 250 * time.Millisecond
)

// attendance is a job on its way: what the goroutine that carries it knows.
type attendance struct {
	job    Job
	place  *place
	link   *link // the one that brought the offer, and must bring the assignment
	logger *zap.Logger
	guard  *guard.Guard // a panic of the handler's ends its own job; the goroutines that it starts are its own to guard
}

// offered answers at once if the worker cannot take the job; otherwise a goroutine of its own carries it on.
func (w *Worker) offered(jobsCtx context.Context, l *link, offer *livekit.AvailabilityRequest) {
	job := newJob(offer.GetJob(), w.opts.URL)
	ctx, cancel := context.WithCancelCause(jobsCtx)
	p, err := w.reserve(job.ID, cancel)
	if err != nil {
		cancel(err)
		w.logger.Info("job.refused", zap.Inline(job), zap.NamedError("reason", err))
		w.results.WithLabelValues(resultRefused).Inc()
		w.sendOrLog(l, refusal(job.ID))
		return
	}
	logger := w.logger.With(zap.Inline(job))
	a := &attendance{job: job, place: p, link: l, logger: logger, guard: guard.New(logger, nil)}
	a.logger.Info("job.offered")
	w.jobs.Go(func() {
		defer cancel(nil)
		w.attend(ctx, a)
	})
}

// reserve takes a place for the job unless the machine is too busy or the roster refuses.
func (w *Worker) reserve(jobID string, cancel context.CancelCauseFunc) (*place, error) {
	o := w.roster.occupancy()
	if w.assess(o).full && !o.draining {
		return nil, errFull
	}
	return w.roster.reserve(jobID, cancel)
}

// attend carries a job from its offer to its end.
func (w *Worker) attend(ctx context.Context, a *attendance) {
	defer w.askStatus()
	defer w.roster.release(a.place)
	w.askStatus()
	decision, accepted := w.answer(ctx, a)
	if !accepted {
		decision.void()
		w.results.WithLabelValues(resultRefused).Inc()
		return
	}
	assignment, err := w.awaitAssignment(ctx, a)
	if err != nil {
		a.logger.Warn("job.unassigned", zap.Error(err))
		decision.void()
		w.results.WithLabelValues(resultUnassigned).Inc()
		return
	}
	a.job.Token = assignment.GetToken()
	if url := assignment.GetUrl(); url != "" {
		a.job.URL = url
	}
	result := w.work(ctx, a)
	w.results.WithLabelValues(result).Inc()
}

// answer asks the handler and tells the server, within the answer budget; it returns what the handler decided, and whether the job was
// accepted. The place stays taken until the handler has returned, so that a handler that hangs fills the worker instead of memory.
func (w *Worker) answer(ctx context.Context, a *attendance) (d Decision, accepted bool) {
	ctx, cancel := context.WithTimeout(ctx, AnswerBudget)
	defer cancel()
	decided := make(chan Decision, 1)
	job := a.job
	w.jobs.Go(func() { decided <- w.decide(ctx, job, a.guard) })
	select {
	case d = <-decided:
		return d, w.tell(ctx, a, d)
	case <-ctx.Done():
		w.tell(ctx, a, Decision{})
		return <-decided, false
	}
}

// decide calls the handler. One that panics has refused.
func (w *Worker) decide(ctx context.Context, job Job, g *guard.Guard) (d Decision) {
	err := g.Try("job.accept", func() error {
		d = w.handler.Accept(ctx, job)
		return nil
	})
	if err != nil {
		return Decision{Reason: "handler panicked"}
	}
	return d
}

// tell sends the answer. An acceptance that comes too late to be one becomes a refusal.
func (w *Worker) tell(ctx context.Context, a *attendance, d Decision) bool {
	if !d.Accept || ctx.Err() != nil {
		a.logger.Info("job.refused", zap.String("reason", d.Reason), zap.NamedError("interrupted", context.Cause(ctx)))
		w.sendOrLog(a.link, refusal(a.job.ID))
		return false
	}
	if err := a.link.send(acceptance(a.job.ID, a.job.Identity, w.opts.AgentName, d)); err != nil {
		a.logger.Warn("job.answer.lost", zap.Error(err))
		return false
	}
	return true
}

// awaitAssignment waits for what follows an acceptance. Without its link the offer is void: the server asks elsewhere.
func (w *Worker) awaitAssignment(ctx context.Context, a *attendance) (*livekit.JobAssignment, error) {
	timer := time.NewTimer(AssignmentTimeout)
	defer timer.Stop()
	var err error
	select {
	case assignment := <-a.place.assigned:
		return assignment, nil
	case <-timer.C:
		err = fmt.Errorf("no assignment within %v of accepting", AssignmentTimeout)
	case <-a.link.done:
		err = errLinkClosed
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if w.roster.expire(a.place) {
		return nil, err
	}
	return <-a.place.assigned, nil // it came at the same moment
}

// work joins, runs, reports and leaves, in this order, and returns the result for the metrics.
func (w *Worker) work(ctx context.Context, a *attendance) (result string) {
	started := time.Now()
	left := make(chan struct{})
	defer close(left)
	w.jobs.Go(func() { watchLeaving(ctx, left, a.logger) })

	a.logger.Info("job.started", zap.String("as", a.job.Identity))
	w.announce(a.job.ID)
	presence, err := w.join(ctx, a)
	if err == nil {
		err = a.guard.Try("job.run", func() error { return presence.Run(ctx) })
	}
	result = w.conclude(ctx, a, started, err)
	if presence != nil {
		w.leave(ctx, a, presence)
	}
	a.logger.Info("job.ended", zap.String("result", result), zap.Duration("took", time.Since(started)), zap.Error(err))
	return result
}

// announce tells the server that the job runs, which it believes anyway; nothing is owed if there is no connection.
func (w *Worker) announce(jobID string) {
	if l := w.link(); l != nil {
		w.sendOrLog(l, jobUpdate(jobID, livekit.JobStatus_JS_RUNNING, ""))
	}
}

func (w *Worker) join(ctx context.Context, a *attendance) (presence Attendance, err error) {
	err = a.guard.Try("job.join", func() error {
		presence, err = w.handler.Join(ctx, a.job)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("join room: %w", err)
	}
	if presence == nil {
		return nil, errors.New("join room: handler returned nothing to run")
	}
	return presence, nil
}

// conclude finds the job's result and reports it. A terminated job is not reported: the server has closed its books.
func (w *Worker) conclude(ctx context.Context, a *attendance, started time.Time, err error) string {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrTerminated) {
		return resultTerminated
	}
	fault.Sleep(context.WithoutCancel(ctx), resultDelay-time.Since(started))
	if err == nil {
		w.report(ctx, a, jobUpdate(a.job.ID, livekit.JobStatus_JS_SUCCESS, ""))
		return resultSuccess
	}
	if cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	w.report(ctx, a, jobUpdate(a.job.ID, livekit.JobStatus_JS_FAILED, err.Error()))
	return resultFailed
}

// report brings a result to the server before the agent leaves the room. Without a connection the result waits for the
// next one, and the agent leaves.
func (w *Worker) report(ctx context.Context, a *attendance, msg *livekit.WorkerMessage) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deliverTimeout)
	defer cancel()
	var failed *link
	for {
		l := w.linkOrBacklog(failed, msg)
		if l == nil {
			a.logger.Info("job.result.postponed")
			return
		}
		err := l.deliver(ctx, msg)
		if !errors.Is(err, errLinkClosed) {
			if err != nil {
				a.logger.Info("job.result.unconfirmed", zap.Error(err))
			}
			return
		}
		failed = l
	}
}

// linkOrBacklog returns a link other than the failed one, or puts the message by for the next and returns nil.
func (w *Worker) linkOrBacklog(failed *link, msg *livekit.WorkerMessage) *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != nil && w.current != failed {
		return w.current
	}
	w.backlog = append(w.backlog, msg)
	return nil
}

func (w *Worker) leave(ctx context.Context, a *attendance, presence Attendance) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	err := a.guard.Try("job.leave", func() error { return presence.Leave(ctx) })
	if err != nil {
		a.logger.Warn("job.leave.failed", zap.Error(err))
	}
}

// watchLeaving complains about a job that stays in the room after its context was cancelled.
func watchLeaving(ctx context.Context, left <-chan struct{}, logger *zap.Logger) {
	select {
	case <-left:
		return
	case <-ctx.Done():
	}
	timer := time.NewTimer(leaveTimeout)
	defer timer.Stop()
	select {
	case <-left:
	case <-timer.C:
		logger.Warn("job.leave.slow", zap.Duration("limit", leaveTimeout), zap.NamedError("cause", context.Cause(ctx)))
	}
}
