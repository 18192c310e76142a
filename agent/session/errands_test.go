package session

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// office is a session that is not run: its test is its goroutine.
type office struct {
	t testing.TB
	*Session

	mu      sync.Mutex
	now     int // guarded by mu: tasks under way
	most    int // guarded by mu
	started []uint64
}

// doing carries out tasks as a test wants them done.
type doing func(ctx context.Context, r engine.Run) (engine.TaskDone, error)

func (f doing) Do(ctx context.Context, r engine.Run) (engine.TaskDone, error) { return f(ctx, r) }

func newOffice(t testing.TB, do doing) *office {
	o := &office{t: t}
	s := &Session{
		o: Options{Interview: &engine.Interview{Def: &definition.Definition{}}, Logger: zap.NewNop(), Meter: NewMeter(0), Observe: func(engine.Fact) {}},
		u: &state.UserData{}, inbox: newMailbox(), errands: errands{running: make(map[uint64]context.CancelCauseFunc)}, tracer: tracer{live: make(map[uint64]*live)},
	}
	s.speech.base, s.speech.stopAll = context.WithCancelCause(t.Context())
	if do != nil {
		s.o.Tasks = doing(func(ctx context.Context, r engine.Run) (engine.TaskDone, error) {
			o.mu.Lock()
			o.now++
			o.most, o.started = max(o.most, o.now), append(o.started, r.Task)
			o.mu.Unlock()
			defer func() {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.now--
			}()
			return do(ctx, r)
		})
	}
	o.Session = s
	return o
}

// outcomes takes what has come in so far, as the session would, and returns what would go to the engine.
func (o *office) outcomes() (done []engine.TaskDone) {
	o.t.Helper()
	for {
		synctest.Wait()
		m, err := o.inbox.get()
		if err != nil {
			o.t.Fatal(err)
		}
		if m == nil {
			return done
		}
		came := m.(outcome)
		if _, awaited := o.errands.running[came.done.Task]; awaited {
			done = append(done, came.done)
		}
		delete(o.errands.running, came.done.Task)
		if err := o.settle(came); err != nil { // nobody waits for it any more, so that only the counting is left
			o.t.Fatal(err)
		}
	}
}

func (o *office) close() {
	o.speech.stopAll(Reason("closed"))
	o.tasks.Wait()
}

func asked(task uint64, budget time.Duration) engine.Run {
	return engine.Run{Task: task, Visit: 7, Kind: engine.TaskEvaluate, Budget: budget}
}

// At most four tasks run at a time; more wait for their turn, in order, up to a bound.
func TestTasksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, func(ctx context.Context, _ engine.Run) (engine.TaskDone, error) {
			select {
			case <-ctx.Done():
				return engine.TaskDone{}, ctx.Err()
			case <-time.After(time.Second):
				return engine.TaskDone{Result: json.RawMessage(`1`)}, nil
			}
		})
		for i := range uint64(maxTasks + maxQueued + 2) {
			o.run(asked(i+1, time.Hour))
		}
		refused := o.outcomes()
		if len(refused) != 2 || refused[0].Failed == "" || o.most != maxTasks {
			t.Errorf("refused %+v, at most %d at a time", refused, o.most)
		}
		var done []engine.TaskDone
		for range maxTasks + maxQueued {
			time.Sleep(time.Second)
			done = append(done, o.outcomes()...)
		}
		if len(done) != maxTasks+maxQueued || o.most != maxTasks {
			t.Errorf("%d tasks were done, at most %d at a time", len(done), o.most)
		}
		for i, task := range o.started {
			if group := i / maxTasks; int(task-1)/maxTasks != group {
				t.Fatalf("the order is %v", o.started)
			}
		}
		o.close()
	})
}

// The budget runs while a task waits; a task that is cancelled, waiting or under way, is answered by nothing.
func TestTaskBudgetsAndCancelling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		causes := make(map[uint64]error)
		var mu sync.Mutex
		o := newOffice(t, func(ctx context.Context, r engine.Run) (engine.TaskDone, error) {
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			causes[r.Task] = context.Cause(ctx)
			return engine.TaskDone{Result: json.RawMessage(`1`)}, ctx.Err()
		})
		for task := range uint64(6) {
			o.run(asked(task+1, 2*time.Second))
		}
		o.cancelRun(engine.CancelRun{Task: 2, Reason: "speech"})
		o.cancelRun(engine.CancelRun{Task: 6, Reason: "end"})
		o.cancelRun(engine.CancelRun{Task: 99, Reason: "late"})
		if early := o.outcomes(); len(early) != 0 {
			t.Errorf("answered at once: %+v", early)
		}
		time.Sleep(2 * time.Second)
		done := o.outcomes()
		if len(done) != 4 {
			t.Errorf("%d answers: %+v", len(done), done)
		}
		for _, d := range done {
			if d.Failed == "" || d.Visit != 7 || d.Task == 2 || d.Task == 6 {
				t.Errorf("a task out of time is answered with %+v", d)
			}
		}
		if !errors.Is(causes[2], Reason("speech")) || !errors.Is(causes[1], context.DeadlineExceeded) || o.errands.busy != 0 || len(o.errands.running) != 0 {
			t.Errorf("causes %v, %d busy, %d awaited", causes, o.errands.busy, len(o.errands.running))
		}
		o.close()
	})
}

// What comes of a task (R003-92): a panic is contained; a result that the journal could not keep is none.
func TestTaskOutcomes(t *testing.T) {
	refused := &fault.Error{Op: "chat", Provider: "x", Kind: fault.Auth}
	busy := &fault.Error{Op: "chat", Provider: "x", Kind: fault.RateLimited}
	for name, c := range map[string]struct {
		do   doing
		want engine.TaskDone
	}{
		"result": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{Result: json.RawMessage(`{}`)}, nil
		}, engine.TaskDone{Result: json.RawMessage(`{}`)}},
		"stand-in": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{Result: json.RawMessage(`{}`), Degraded: "down"}, nil
		}, engine.TaskDone{Result: json.RawMessage(`{}`), Degraded: "down"}},
		"answer": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{Task: 9, Visit: 9, Answer: json.RawMessage(`{"a":1}`)}, nil
		}, engine.TaskDone{Answer: json.RawMessage(`{"a":1}`)}},
		"no stand-in": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{Degraded: "down"}, errors.New("down too")
		}, engine.TaskDone{Failed: "down too"}},
		"no JSON": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{Result: json.RawMessage(`{"a":`)}, nil
		}, engine.TaskDone{Failed: "the result is no JSON"}},
		"nothing":  {func(context.Context, engine.Run) (engine.TaskDone, error) { return engine.TaskDone{}, nil }, engine.TaskDone{Failed: "the result is no JSON"}},
		"refused":  {func(context.Context, engine.Run) (engine.TaskDone, error) { return engine.TaskDone{}, refused }, engine.TaskDone{Failed: refused.Error()}},
		"too many": {func(context.Context, engine.Run) (engine.TaskDone, error) { return engine.TaskDone{}, busy }, engine.TaskDone{Failed: busy.Error()}},
		"out of time": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{}, context.DeadlineExceeded
		}, engine.TaskDone{Failed: "context deadline exceeded"}},
		"no such file": {func(context.Context, engine.Run) (engine.TaskDone, error) { return engine.TaskDone{}, fs.ErrNotExist }, engine.TaskDone{Failed: "file does not exist"}},
		"error of nobody": {func(context.Context, engine.Run) (engine.TaskDone, error) {
			return engine.TaskDone{}, errors.New(" \n ")
		}, engine.TaskDone{Failed: "it failed"}},
		"panic":  {func(context.Context, engine.Run) (engine.TaskDone, error) { panic("what the candidate said") }, engine.TaskDone{Failed: "it panicked"}},
		"nobody": {nil, engine.TaskDone{Failed: "nobody is there to carry out tasks"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, c.do)
				o.run(asked(3, time.Second))
				done := o.outcomes()
				if len(done) != 1 || done[0].Task != 3 || done[0].Visit != 7 {
					t.Fatalf("answered with %+v", done)
				}
				got := done[0]
				got.Task, got.Visit = 0, 0
				if string(got.Answer) != string(c.want.Answer) || string(got.Result) != string(c.want.Result) || got.Failed != c.want.Failed || got.Degraded != c.want.Degraded {
					t.Errorf("answered with %+v, want %+v", got, c.want)
				}
				o.close()
			})
		})
	}
	if long := said(errors.New(strings.Repeat("ä", 5000))); len([]rune(long)) > maxFailure+4 {
		t.Errorf("%d characters of an error are kept", len([]rune(long)))
	}
}

// The interview's own reply goes first, but nobody waits for it for ever.
func TestMeterYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMeter(100)
		waits := func(ctx context.Context) time.Duration {
			began := time.Now()
			m.Yield(ctx, 3*time.Second)
			return time.Since(began)
		}
		if d := waits(t.Context()); d != 0 {
			t.Errorf("waited %v for nobody", d)
		}
		m.begin()
		m.begin()
		time.AfterFunc(time.Second, m.end)
		time.AfterFunc(2*time.Second, m.end)
		if d := waits(t.Context()); d != 2*time.Second {
			t.Errorf("waited %v for replies of 2 s", d)
		}
		m.begin()
		if d := waits(t.Context()); d != 3*time.Second {
			t.Errorf("waited %v for an endless reply", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if d := waits(ctx); d != time.Second {
			t.Errorf("waited %v beyond its context", d)
		}
		if m.Add(99); m.Spent() {
			t.Error("spent before the limit")
		}
		if m.Add(1); !m.Spent() || m.Used() != 100 || NewMeter(0).Spent() {
			t.Error("a budget is spent when it is used up; none never is")
		}
	})
}
