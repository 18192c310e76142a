package session

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
)

// Tasks finds out what the engine cannot know: it asks companies and models.
type Tasks interface {
	// Do carries out a task and returns what it has come to, in Answer, Result and Degraded of a TaskDone. ctx ends with the task's
	// budget, or when nobody waits for the answer any more.
	Do(ctx context.Context, r engine.Run) (engine.TaskDone, error)
}

// Bounds of the tasks of a session. An interview has a handful in all; a definition gone wild is refused, not served.
const (
	maxTasks   = 4       // at a time
	maxQueued  = 16      // that wait for their turn; further ones fail
	maxResult  = 1 << 20 // bytes of a result or an answer
	maxFailure = 300     // characters that are kept of an error
)

// errNobody says why a task fails where there are no Tasks.
const errNobody = "nobody is there to carry out tasks"

// errands are the tasks that the engine waits for. They belong to the session's goroutine.
type errands struct {
	running map[uint64]context.CancelCauseFunc
	queue   []errand
	busy    int // goroutines, those included whose answer nobody waits for any more
}

// errand is a task that waits for its turn. Its budget runs all the while.
type errand struct {
	run engine.Run
	due time.Time
}

// outcome is what came of a task.
type outcome struct {
	done engine.TaskDone
	ran  bool // a goroutine has ended
}

// run takes a task on. Exactly one TaskDone answers it, unless it is cancelled.
func (s *Session) run(r engine.Run) {
	refused := engine.TaskDone{Task: r.Task, Visit: r.Visit}
	switch {
	case s.o.Tasks == nil:
		refused.Failed = errNobody
	case len(s.errands.queue) == maxQueued:
		refused.Failed = "too many tasks wait already"
	default:
		s.errands.queue = append(s.errands.queue, errand{r, time.Now().Add(r.Budget)})
		s.startErrands()
		return
	}
	s.errands.running[r.Task] = func(error) {}
	s.Post(outcome{done: refused})
}

// startErrands starts those whose turn has come, in order.
func (s *Session) startErrands() {
	e := &s.errands
	for e.busy < maxTasks && len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		e.busy++
		s.startErrand(next)
	}
}

func (s *Session) startErrand(e errand) {
	ctx, cancel := context.WithCancelCause(s.speech.base)
	s.errands.running[e.run.Task] = cancel
	s.guard.Go(&s.tasks, "task", func() {
		defer cancel(nil)
		ctx, expire := context.WithDeadline(ctx, e.due)
		defer expire()
		s.Post(outcome{done: s.carryOut(ctx, e.run), ran: true})
	})
}

// carryOut does a task, in a goroutine of its own. A panic is a failure like any other.
func (s *Session) carryOut(ctx context.Context, r engine.Run) (done engine.TaskDone) {
	done = engine.TaskDone{Task: r.Task, Visit: r.Visit}
	defer func() {
		if p := recover(); p != nil {
			s.o.Logger.Error("task.panicked", zap.String("kind", r.Kind), zap.Uint64("task", r.Task),
				zap.String("type", fmt.Sprintf("%T", p)), zap.ByteString("stack", debug.Stack())) // its text may hold somebody's words
			done.Failed = "it panicked"
		}
	}()
	came, err := s.o.Tasks.Do(ctx, r)
	result := slices.Concat(came.Answer, came.Result) // one of them
	switch {
	case err != nil:
		done.Failed = said(err)
	case len(result) > maxResult:
		done.Failed = fmt.Sprintf("the result has %d bytes; at most %d are taken", len(result), maxResult)
	case !json.Valid(result):
		done.Failed = "the result is no JSON" // nor could the journal keep it
	default:
		done.Answer, done.Result, done.Degraded = came.Answer, came.Result, came.Degraded
	}
	return done
}

// said is an error in one line, never empty.
func said(err error) string {
	text := strings.ToValidUTF8(strings.Join(strings.Fields(err.Error()), " "), "\uFFFD")
	if text == "" {
		return "it failed"
	}
	return understand.Clip(text, maxFailure)
}

// cancelRun drops a task: its answer changes nothing any more.
func (s *Session) cancelRun(e engine.CancelRun) {
	if cancel := s.errands.running[e.Task]; cancel != nil {
		delete(s.errands.running, e.Task)
		cancel(Reason(e.Reason))
		return
	}
	s.errands.queue = slices.DeleteFunc(s.errands.queue, func(x errand) bool { return x.run.Task == e.Task })
}

// settle takes what came of a task to the engine, if that waits for it.
func (s *Session) settle(m outcome) error {
	if m.ran {
		s.errands.busy--
		s.startErrands()
	}
	s.noteBudget()
	if _, awaited := s.errands.running[m.done.Task]; !awaited {
		return nil
	}
	delete(s.errands.running, m.done.Task)
	return s.happened(m.done)
}
