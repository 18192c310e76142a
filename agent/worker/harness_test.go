package worker_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a worker that runs against a fake server until the test ends.
type rig struct {
	t      *testing.T
	server *workertest.Server
	worker *worker.Worker
	logs   *observer.ObservedLogs
	cancel context.CancelFunc
	done   chan struct{}
	err    error // Run's, once done is closed
}

// newRig starts both. Changes to the options are made by the function, which may be nil.
func newRig(t *testing.T, handler worker.Handler, change func(*worker.Options)) *rig {
	t.Helper()
	server := workertest.NewServer(workertest.Options{})
	t.Cleanup(server.Close)
	r := startWorker(t, server, handler, change)
	r.awaitWorkers(1)
	return r
}

// startWorker starts one more worker at a server, and does not wait for it to register.
func startWorker(t *testing.T, server *workertest.Server, handler worker.Handler, change func(*worker.Options)) *rig {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	opts := worker.Options{
		URL:       server.URL(),
		APIKey:    workertest.DefaultAPIKey,
		APISecret: workertest.DefaultAPISecret,
		AgentName: "viva",
		Version:   "1.2.3",
		LoadFunc:  func() float64 { return 0 },
		Dial:      server.Dial,
		Logger:    zap.New(core),
	}
	if change != nil {
		change(&opts)
	}
	w, err := worker.New(opts, handler)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &rig{t: t, server: server, worker: w, logs: logs, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = w.Run(ctx)
	}()
	t.Cleanup(func() { _ = r.stop() })
	return r
}

// stop ends the worker and returns what Run returned.
func (r *rig) stop() error {
	r.cancel()
	<-r.done
	return r.err
}

func (r *rig) awaitWorkers(count int) {
	r.t.Helper()
	r.await("registered workers", func() bool { return len(r.server.Workers()) == count })
}

// await waits, an hour of a bubble's time at most.
func (r *rig) await(what string, done func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
	defer cancel()
	if err := r.server.Await(ctx, done); err != nil {
		r.t.Fatalf("waiting for %s: %v", what, err)
	}
}

func (r *rig) dispatch() (workertest.Outcome, error) {
	return r.server.Dispatch(r.t.Context(), &livekit.Job{
		AgentName: "viva", DispatchId: "AD_1", Metadata: `{"candidate":{"name":"Jordan Secretive"}}`,
	})
}

// mustDispatch dispatches a job that must be assigned, and returns its id.
func (r *rig) mustDispatch() string {
	r.t.Helper()
	outcome, err := r.dispatch()
	if err != nil || !outcome.Answer.GetAvailable() {
		r.t.Fatalf("dispatch: answer %v, error %v", outcome.Answer, err)
	}
	return outcome.JobID
}

// messages returns those of a kind that the server has received.
func messages[T any](r *rig, get func(*livekit.WorkerMessage) *T) []*T {
	var found []*T
	for _, received := range r.server.Received() {
		if m := get(received.Message); m != nil {
			found = append(found, m)
		}
	}
	return found
}

// lastStatus is the latest the server has; empty if there is none.
func (r *rig) lastStatus() *livekit.UpdateWorkerStatus {
	all := messages(r, (*livekit.WorkerMessage).GetUpdateWorker)
	if len(all) == 0 {
		return &livekit.UpdateWorkerStatus{}
	}
	return all[len(all)-1]
}

func (r *rig) logged(message string) int { return r.logs.FilterMessage(message).Len() }

// interviewer is a handler whose every step can be replaced; it accepts all jobs and runs them until they are cancelled.
type interviewer struct {
	accept func(context.Context, worker.Job) worker.Decision
	join   func(context.Context, worker.Job) error
	run    func(context.Context, worker.Job) error
	leave  func(context.Context, worker.Job) error

	mu     sync.Mutex
	joined []worker.Job
	left   []string
	causes []error // of contexts that were over when Run returned
}

func (i *interviewer) Accept(ctx context.Context, job worker.Job) worker.Decision {
	if i.accept != nil {
		return i.accept(ctx, job)
	}
	return worker.Decision{Accept: true}
}

func (i *interviewer) Join(ctx context.Context, job worker.Job) (worker.Attendance, error) {
	if i.join != nil {
		if err := i.join(ctx, job); err != nil {
			return nil, err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.joined = append(i.joined, job)
	return &interview{of: i, job: job}, nil
}

func (i *interviewer) joins() []worker.Job {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]worker.Job(nil), i.joined...)
}

func (i *interviewer) leaves() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.left...)
}

func (i *interviewer) cause() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.causes) == 0 {
		return nil
	}
	return i.causes[len(i.causes)-1]
}

// lasting is a run that succeeds after some time.
func lasting(d time.Duration) func(context.Context, worker.Job) error {
	return func(ctx context.Context, _ worker.Job) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type interview struct {
	of  *interviewer
	job worker.Job
}

func (v *interview) Run(ctx context.Context) error {
	defer func() {
		v.of.mu.Lock()
		defer v.of.mu.Unlock()
		v.of.causes = append(v.of.causes, context.Cause(ctx))
	}()
	if v.of.run != nil {
		return v.of.run(ctx, v.job)
	}
	<-ctx.Done()
	return ctx.Err()
}

func (v *interview) Leave(ctx context.Context) error {
	var err error
	if v.of.leave != nil {
		err = v.of.leave(ctx, v.job)
	}
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	v.of.left = append(v.of.left, v.job.ID)
	return err
}

var (
	_ worker.Handler    = (*interviewer)(nil)
	_ worker.Attendance = (*interview)(nil)
)
