package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
)

// Waits between attempts to connect: the schedule of LiveKit's frameworks (2, 4, 6, 8, 10, 10, … s), except for a first
// one that is short but not zero, because a server may accept registrations and drop them at once.
const (
	firstRetryDelay = 500 * time.Millisecond
	retryDelayStep  = 2 * time.Second
	maxRetryDelay   = 10 * time.Second
)

// stayConnected keeps a registered connection until ctx ends, when it returns nil, or until trying has no more sense.
// Jobs run under jobsCtx.
func (w *Worker) stayConnected(ctx, jobsCtx context.Context) error {
	failures, everRegistered := 0, false
	for {
		registered, err := w.connectOnce(ctx, jobsCtx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the connection ended because it was told to
		}
		if registered {
			failures, everRegistered = 0, true
		}
		failures++
		if w.hopeless(err, failures, everRegistered) {
			w.logger.Error("worker.connect.gave_up", zap.Int("failures", failures), zap.Error(err))
			return fmt.Errorf("connect to LiveKit: %w", err)
		}
		delay := retryDelay(failures, rand.Float64()) //nolint:gosec // jitter needs no secrecy
		w.logger.Warn("worker.connect.retry", zap.Int("failures", failures), zap.Duration("delay", delay), zap.Error(err))
		if !fault.Sleep(ctx, delay) {
			return nil
		}
	}
}

func (w *Worker) hopeless(err error, failures int, everRegistered bool) bool {
	if errors.Is(err, ErrUnauthorized) && !everRegistered {
		return true
	}
	return w.opts.MaxRetries >= 0 && failures > w.opts.MaxRetries
}

// retryDelay is how long to wait after the given number of failures in a row, 1 or more. The jitter, in [0, 1), takes off
// up to half, so that workers that lost the same server do not return in step.
func retryDelay(failures int, jitter float64) time.Duration {
	delay := firstRetryDelay
	if failures > 1 {
		delay = min(time.Duration(min(failures-1, 100))*retryDelayStep, maxRetryDelay)
	}
	return delay - time.Duration(jitter*float64(delay)/2)
}

// connectOnce makes one connection and serves it to its end. registered tells whether the server took the worker.
func (w *Worker) connectOnce(ctx, jobsCtx context.Context) (registered bool, err error) {
	conn, err := dialServer(ctx, w.opts)
	if err != nil {
		return false, err
	}
	l := newLink(conn, w.logger)
	response, err := l.register(ctx, registration(w.opts))
	if err != nil {
		return false, err
	}
	defer w.retire(l)
	ready := func() {
		w.publish(l)
		w.logRegistered(response) // who waits for these words may ask for its health at once
	}
	handle := func(msg *livekit.ServerMessage) { w.handle(jobsCtx, l, msg) }
	return true, l.serve(ctx, w.status, ready, handle)
}

// logRegistered's message is not named like the other events: LiveKit's tools, which start agents, wait for these words in
// an agent's output as the sign that it is ready.
func (w *Worker) logRegistered(r *livekit.RegisterWorkerResponse) {
	w.logger.Info("registered worker",
		zap.String("worker_id", r.GetWorkerId()),
		zap.String("agent_name", w.opts.AgentName),
		zap.String("url", w.opts.URL),
		zap.String("region", r.GetServerInfo().GetRegion()),
		zap.String("server_version", r.GetServerInfo().GetVersion()),
		zap.Int32("protocol", r.GetServerInfo().GetAgentProtocol()),
	)
}

// publish makes a link the current one, and tells the server over it what it cannot know: the status, which jobs are
// running from before, and results that found no connection. An open-source server ignores the latter two.
func (w *Worker) publish(l *link) {
	w.mu.Lock()
	w.current = l
	backlog := w.backlog
	w.backlog = nil
	w.mu.Unlock()

	l.askStatus()
	if ids := w.roster.runningIDs(); len(ids) > 0 {
		w.logger.Info("worker.jobs.migrated", zap.Strings("job_ids", ids))
		w.sendOrLog(l, migration(ids))
	}
	for _, msg := range backlog {
		w.sendOrLog(l, msg)
	}
}

// retire ends the use of a link that is gone.
func (w *Worker) retire(l *link) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == l {
		w.current = nil
	}
}

func (w *Worker) sendOrLog(l *link, msg *livekit.WorkerMessage) {
	if err := l.send(msg); err != nil {
		w.logger.Debug("worker.message.lost", zap.Error(err))
	}
}

// handle acts on one message of the server. It runs on the link's reader and so must not wait.
func (w *Worker) handle(jobsCtx context.Context, l *link, msg *livekit.ServerMessage) {
	switch m := msg.GetMessage().(type) {
	case *livekit.ServerMessage_Availability:
		w.offered(jobsCtx, l, m.Availability)
	case *livekit.ServerMessage_Assignment:
		w.assigned(m.Assignment)
	case *livekit.ServerMessage_Termination:
		w.terminated(m.Termination)
	case *livekit.ServerMessage_Pong:
		l.ponged(m.Pong.GetLastTimestamp())
	default:
		// A newer server's message, or a second answer to the registration.
		w.logger.Debug("server.message.ignored")
	}
}

func (w *Worker) assigned(a *livekit.JobAssignment) {
	id := a.GetJob().GetId()
	if !w.roster.assign(id, a) {
		w.logger.Warn("job.assignment.unknown", zap.String("job_id", id))
		return
	}
	w.askStatus()
}

func (w *Worker) terminated(t *livekit.JobTermination) {
	if !w.roster.terminate(t.GetJobId(), ErrTerminated) {
		w.logger.Info("job.termination.unknown", zap.String("job_id", t.GetJobId()))
	}
}
