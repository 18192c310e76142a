package candidate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
)

const progressInterval = time.Second

// Deps are what a run, or a call, works with.
type Deps struct {
	Server   Server
	Speech   *Speech        // of a run
	Logger   *zap.Logger    // nil discards
	Progress func(Progress) // called once per second from Run's goroutine, and at the end; nil for none
	Version  string         // of the program, for the report
}

// Progress is the state of a run.
type Progress struct {
	Elapsed time.Duration
	Rooms   int // planned
	Started int
	Active  int
	Failed  int
	Turns   int // utterances finished, of Rooms × Turns
	Missing int // times that the agent's voice was waited for in vain
}

// String is one line for a person.
func (p Progress) String() string {
	return fmt.Sprintf("%5.0fs  rooms %d active, %d of %d started, %d failed  turns %d  no answer %d",
		p.Elapsed.Seconds(), p.Active, p.Started, p.Rooms, p.Failed, p.Turns, p.Missing)
}

// tally counts what goes on in all rooms.
type tally struct {
	started, ended, failed, turns, missing atomic.Int64
}

func (t *tally) active() int { return int(t.started.Load() - t.ended.Load()) }

func (t *tally) progress(rooms int, elapsed time.Duration) Progress {
	return Progress{
		Elapsed: elapsed, Rooms: rooms, Started: int(t.started.Load()), Active: t.active(), Failed: int(t.failed.Load()),
		Turns: int(t.turns.Load()), Missing: int(t.missing.Load()),
	}
}

// Run holds the planned conversations, and returns when all have ended and everyone has left. When ctx ends it stops politely
// and returns the partial report. The error is about the plan and what was given to work with; failures of rooms are in the report.
func Run(ctx context.Context, plan Plan, deps Deps) (Report, error) {
	plan = plan.withDefaults()
	if err := errors.Join(plan.validate(), deps.validate()); err != nil {
		return Report{}, fmt.Errorf("load test: %w", err)
	}
	if deps.Speech == nil {
		return Report{}, errors.New("load test: speech must be given")
	}
	if deps.Logger == nil {
		deps.Logger = zap.NewNop()
	}
	var t tally
	watch, err := watchProcesses(plan.PIDs, t.active)
	if err != nil {
		return Report{}, fmt.Errorf("load test: %w", err)
	}
	defer watch.stop()

	started := time.Now()
	results := make(chan RoomResult, plan.Rooms)
	var starter sync.WaitGroup
	starter.Go(func() { startRooms(ctx, plan, deps, &t, results) })
	rooms := collect(plan, deps, &t, started, results)
	starter.Wait()

	report := newReport(plan, deps.Version, rooms)
	report.Started, report.Duration = started, milliseconds(time.Since(started))
	report.Interrupted = ctx.Err() != nil
	report.Settings.Pauses = deps.Speech.pauses
	watch.stop()
	report.Processes, report.Tool.Cost = watch.costs()
	return report, nil
}

func (d Deps) validate() error {
	if d.Server == nil {
		return errors.New("a server must be given")
	}
	return nil
}

// startRooms starts the candidates one after another, and closes results when all that were started have ended.
func startRooms(ctx context.Context, plan Plan, deps Deps, t *tally, results chan<- RoomResult) {
	defer close(results)
	var candidates sync.WaitGroup
	defer candidates.Wait()
	run := rand.Text()[:6]
	for i := range plan.Rooms {
		if i > 0 && !fault.Sleep(ctx, plan.Ramp) {
			return
		}
		c := newCandidate(i+1, run, plan, deps, t)
		t.started.Add(1)
		candidates.Go(func() {
			result := c.run(ctx)
			if result.Outcome == OutcomeFailed {
				t.failed.Add(1)
			}
			t.ended.Add(1)
			results <- result
		})
	}
}

// collect gathers the results, in the order of the rooms, and reports progress meanwhile.
func collect(plan Plan, deps Deps, t *tally, started time.Time, results <-chan RoomResult) []RoomResult {
	byNumber := make([]*RoomResult, plan.Rooms)
	progress := func() {
		if deps.Progress != nil {
			deps.Progress(t.progress(plan.Rooms, time.Since(started)))
		}
	}
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for results != nil {
		select {
		case r, ok := <-results:
			if !ok {
				results = nil
				break
			}
			byNumber[r.Number-1] = &r
		case <-ticker.C:
			progress()
		}
	}
	progress()
	rooms := []RoomResult{}
	for _, r := range byNumber {
		if r != nil {
			rooms = append(rooms, *r)
		}
	}
	return rooms
}
