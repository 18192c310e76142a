package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

const (
	// mostJobs bounds the jobs of a worker that takes as many as fit.
	mostJobs = 10_000
	// fullEvery is the least time between two lines of the log that say that the worker is full of the same.
	fullEvery = time.Minute
)

// Worker keeps a process registered as an agent worker and runs its jobs. Make it with New and run it once; all other
// methods may be called from any goroutine at any time.
type Worker struct {
	opts    Options
	handler Handler
	logger  *zap.Logger
	meter   *loadMeter
	roster  *roster
	results *prometheus.CounterVec
	jobs    sync.WaitGroup // goroutines that belong to places of the roster

	cutOnce  sync.Once
	cut      chan struct{} // closed by Drain when running jobs have had their time
	finished chan struct{} // closed by Run

	running atomic.Bool           // Run was called
	failure atomic.Pointer[error] // why Run gave up connecting

	mu      sync.Mutex
	current *link                    // the registered one, or nil; guarded by mu
	backlog []*livekit.WorkerMessage // results that wait for a link; guarded by mu

	full     bool                 // the last status said so; guarded by mu
	toldFull map[string]time.Time // by reason, when the log was told; guarded by mu
}

// New makes a worker from valid options; the error names everything that is wrong with them.
func New(opts Options, handler Handler) (*Worker, error) {
	opts = opts.withDefaults()
	if err := errors.Join(opts.validate(), require(handler != nil, "handler is missing")); err != nil {
		return nil, fmt.Errorf("worker options: %w", err)
	}
	places := newRoster(cmp.Or(opts.MaxJobs, mostJobs))
	meter, err := newLoadMeter(opts, func() int { return places.occupancy().running })
	if err != nil {
		return nil, err
	}
	w := &Worker{
		opts:     opts,
		handler:  handler,
		logger:   opts.Logger,
		meter:    meter,
		roster:   places,
		cut:      make(chan struct{}),
		finished: make(chan struct{}),
		toldFull: make(map[string]time.Time),
	}
	w.results, err = registerMetrics(opts.Registerer, w)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Run connects, registers, and serves jobs until ctx ends, a Drain is complete, or no connection can be had. It returns
// nil in the first two cases. Ending ctx cancels running jobs with ErrStopped; jobs that have not left StopTimeout later
// are given up, with ErrStuckJobs.
//
// A connection that fails is made anew, with growing waits. Run gives up after MaxRetries failures in a row, with an error
// that wraps ErrUnauthorized, ErrNameLookup, ErrUnreachable or ErrNotLiveKit if one of them was the last; running jobs
// may end first, as in a drain. A refused key or secret makes it give up at once if the worker was never registered, since no
// waiting cures it; after that it is retried like the others, for keys that are being changed.
func (w *Worker) Run(ctx context.Context) error {
	if w.running.Swap(true) {
		return ErrAlreadyRun
	}
	defer close(w.finished)
	jobsCtx, cancelJobs := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelJobs(nil)
	linkCtx, closeLink := context.WithCancel(context.WithoutCancel(ctx))

	var background sync.WaitGroup
	defer background.Wait()
	defer closeLink()
	background.Go(func() { w.meter.run(linkCtx) })
	gaveUp := make(chan error, 1)
	background.Go(func() { gaveUp <- w.stayConnected(linkCtx, jobsCtx) })

	failure, cause := w.serveUntil(ctx, gaveUp)
	cancelJobs(cause)
	return errors.Join(failure, w.awaitJobs())
}

// serveUntil waits for the end of service: why connecting failed, if it did, and the cause to cancel remaining jobs with.
func (w *Worker) serveUntil(ctx context.Context, gaveUp <-chan error) (failure, cause error) {
	var limit <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return failure, ErrStopped
		case <-w.cut:
			return failure, ErrDrainTimeout
		case <-limit:
			return failure, ErrDrainTimeout
		case <-w.roster.drained():
			return failure, nil
		case failure = <-gaveUp:
			gaveUp = nil
			w.failure.Store(&failure)
			w.roster.drain()
			limit = time.After(w.opts.DrainTimeout)
		}
	}
}

// awaitJobs waits for jobs that have been cancelled.
func (w *Worker) awaitJobs() error {
	w.roster.drain()
	select {
	case <-w.roster.drained():
		w.jobs.Wait()
		return nil
	case <-time.After(w.opts.StopTimeout):
		ids := w.roster.runningIDs()
		w.logger.Error("worker.stop.jobs_stuck", zap.Strings("job_ids", ids))
		return fmt.Errorf("%w: %s", ErrStuckJobs, strings.Join(ids, ", "))
	}
}

// Drain takes no new jobs, lets running ones end, and returns when Run is about to return. When DrainTimeout passes or ctx
// ends, running jobs are cancelled with ErrDrainTimeout, and that is what Drain then returns.
func (w *Worker) Drain(ctx context.Context) error {
	w.logger.Info("worker.draining", zap.Int("active_jobs", w.ActiveJobs()))
	w.roster.drain()
	w.askStatus()
	if !w.running.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.opts.DrainTimeout)
	defer cancel()
	select {
	case <-w.finished:
		return nil
	case <-ctx.Done():
		w.cutOnce.Do(func() { close(w.cut) })
		<-w.finished
		return ErrDrainTimeout
	}
}

// Registered tells whether the server knows the worker at this moment.
func (w *Worker) Registered() bool { return w.link() != nil }

// Load is the load reported to the server, 0 to 1.
func (w *Worker) Load() float64 {
	return w.assess(w.roster.occupancy()).load
}

func (w *Worker) assess(o occupancy) verdict { return assess(w.meter.now(), w.opts.LoadThreshold, o) }

// ActiveJobs is the number of jobs that are running.
func (w *Worker) ActiveJobs() int { return w.roster.occupancy().running }

func (w *Worker) link() *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current
}

// status is the message that tells the server how busy the worker is.
func (w *Worker) status() *livekit.WorkerMessage {
	o := w.roster.occupancy()
	v := w.assess(o)
	w.tellFull(v, o)
	return workerStatus(v.full, v.load, o.running)
}

// tellFull logs that the worker has become full, and why; for the same reason again a minute later at the earliest.
func (w *Worker) tellFull(v verdict, o occupancy) {
	now := time.Now()
	w.mu.Lock()
	told, before := w.toldFull[v.why]
	tell := v.full && !w.full && !o.draining && (!before || now.Sub(told) >= fullEvery)
	if w.full = v.full; tell {
		w.toldFull[v.why] = now
	}
	w.mu.Unlock()
	if !tell {
		return
	}
	m := w.meter.now()
	w.logger.Info("worker.full", zap.String("reason", v.why), zap.Float64("load", v.load), zap.Int("jobs", o.running+o.reserved),
		zap.Float64("cpu", m.cpu), zap.Float64("memory", m.memory), zap.Int("would_fit", int(math.Ceil(w.opts.LoadThreshold/m.place))))
}

// askStatus makes the server know of a change before the next regular status.
func (w *Worker) askStatus() {
	if l := w.link(); l != nil {
		l.askStatus()
	}
}
