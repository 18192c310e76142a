package assessment

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state/store"
)

// Judge has an item judged by the evaluator of that name. ctx ends with the time of one try. An error with a method
// Retryable says by it whether another try may help, any other by its fault.Kind; the kind Malformed says that there was an
// answer, and that it was of no use even after one repair.
type Judge func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error)

// Archive keeps what survives the process; *store.Store is one. Its methods may be called at the same time, and end with ctx.
type Archive interface {
	// SaveEvaluation and SaveReport keep the first of an item or session: saved is false when there was one.
	SaveEvaluation(ctx context.Context, session, item string, data json.RawMessage) (saved bool, err error)
	Evaluations(ctx context.Context, session string) ([]store.Evaluation, error)
	SaveReport(ctx context.Context, session string, data json.RawMessage) (saved bool, err error)
	Report(ctx context.Context, session string) (json.RawMessage, error)
}

// Webhook tells the operator's program of a report; *webhook.Courier is one. Tell queues and does not wait for the answer.
type Webhook interface {
	Tell(ctx context.Context, n webhook.Notice) error
}

// Metrics count. The calls must not block.
type Metrics interface {
	// Judged tells how a judgement ended (ok, degraded, not_assessed, failed, or why it is missing) and how long that took.
	Judged(status string, took time.Duration)
	// Reported tells the status of a report, or "failed", and how long its interview waited for judgements.
	Reported(status string, waited time.Duration)
}

// Options are the parts of a Service. Logger is required.
type Options struct {
	// Judge is asked first, before the judges of a Case; nil: there is none. It stands for evaluators out of process.
	Judge   Judge
	Archive Archive // nil: nothing is kept
	Webhook Webhook // nil: nobody is told
	Metrics Metrics // nil: nothing is counted
	// At bounds how many judgements are made at the same time, default 4; Queue how many wait besides, default 256. What
	// comes when both are full is missing as "late".
	At, Queue int
	Software  string // name and version of the program, for reports
	// Refused says what services refused of models, by role; nil: nobody knows. Reports tell it.
	Refused func() map[string]string
	// Guard catches and counts what panics in the service's goroutines; nil: one of its own, which counts nothing.
	Guard  *guard.Guard
	Logger *zap.Logger
}

// Defaults of Options.
const (
	DefaultAt    = 4
	DefaultQueue = 256
)

// Service judges and reports for all interviews of a process.
type Service struct {
	o       Options
	slots   chan struct{}       // one per judgement that is being made
	room    *semaphore.Weighted // for judgements, under way or waiting
	builder chan struct{}       // one slot: reports are built one at a time
	spool   *semaphore.Weighted // bytes that may wait for the archive
	life    context.Context     //nolint:containedctx // ended by Close: nothing is judged, and reports wait for nothing, any more
	die     context.CancelFunc

	mu      sync.Mutex
	running int           // guarded by mu: goroutines
	idle    chan struct{} // guarded by mu: closed when none runs
	over    bool          // guarded by mu: nothing is begun any more
}

// New makes a service. It starts nothing.
func New(o Options) (*Service, error) {
	if o.Logger == nil {
		return nil, errors.New("a assessment needs a logger")
	}
	if o.At <= 0 {
		o.At = DefaultAt
	}
	if o.Queue <= 0 {
		o.Queue = DefaultQueue
	}
	if o.Metrics == nil {
		o.Metrics = uncounted{}
	}
	if o.Guard == nil {
		o.Guard = guard.New(o.Logger, nil)
	}
	s := &Service{
		o: o, slots: make(chan struct{}, o.At), room: semaphore.NewWeighted(int64(o.At + o.Queue)), builder: make(chan struct{}, 1),
		spool: semaphore.NewWeighted(spoolSize),
	}
	s.life, s.die = context.WithCancel(context.Background())
	return s, nil
}

// uncounted is Metrics for those who want none.
type uncounted struct{}

func (uncounted) Judged(string, time.Duration)   {}
func (uncounted) Reported(string, time.Duration) {}

// begin runs f in a goroutine of the service; it is false, and nothing runs, once the service is closed.
func (s *Service) begin(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	if s.running == 0 {
		s.idle = make(chan struct{})
	}
	s.running++
	s.o.Guard.Start("assessment", func() {
		defer s.end()
		f()
	})
	return true
}

func (s *Service) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running--; s.running == 0 {
		close(s.idle)
	}
}

// Wait waits until nothing is under way: judgements are in, reports are built, and all is kept. It returns the error of ctx when
// that ends first.
func (s *Service) Wait(ctx context.Context) error {
	s.mu.Lock()
	running, idle := s.running, s.idle
	s.mu.Unlock()
	if running == 0 {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the service: nothing more is taken or judged, reports that wait for judgements are built with those that are
// there, and Close returns when they are kept. It may be called more than once.
func (s *Service) Close() {
	s.die()
	s.mu.Lock()
	s.over = true
	running, idle := s.running, s.idle
	s.mu.Unlock()
	if running > 0 {
		<-idle // every step of what runs has a limit
	}
}
