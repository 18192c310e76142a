package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Defaults of waits that a definition leaves out (acceptance R000-55, R003-84).
const (
	defaultGateHold = 2 * time.Second
	defaultHold     = 1500 * time.Millisecond // of a provider
	defaultWait     = 8 * time.Second         // of a provider, and of a call of a judge's model
)

// maxFailure bounds what is logged of a failure, in characters.
const maxFailure = 160

// runs are what others are asked to find out.
type runs struct{ *change }

// launch starts a task of the current visit. about says which it is beyond what the Run does.
func (s runs) launch(r Run, about state.Task) {
	s.u.NextID++
	r.Task, r.Visit = s.u.NextID, s.u.Visit
	if s.u.Tasks == nil {
		s.u.Tasks = make(map[uint64]state.Task)
	}
	about.ID, about.Visit, about.Kind, about.Started, about.Attempt, about.Asked = r.Task, r.Visit, r.Kind, s.u.Now, r.Attempt, r
	s.u.Tasks[r.Task] = about
	s.fact("task.started", field("task", r.Task), field("kind", r.Kind), field("subject", about.Subject), field("attempt", r.Attempt))
	s.out = append(s.out, r)
}

// tasks returns the tasks under way in the order in which they began.
func (s *situation) tasks(is func(state.Task) bool) []state.Task {
	var out []state.Task
	for _, id := range slices.Sorted(maps.Keys(s.u.Tasks)) {
		if t := s.u.Tasks[id]; is(t) {
			out = append(out, t)
		}
	}
	return out
}

// pending returns the task that the answer to the candidate waits for.
func (s *situation) pending() (state.Task, bool) { return s.taskOf(TaskEvaluate) }

// taskOf returns the earliest task of a kind.
func (s *situation) taskOf(kind string) (state.Task, bool) {
	if list := s.tasks(func(t state.Task) bool { return t.Kind == kind }); len(list) > 0 {
		return list[0], true
	}
	return state.Task{}, false
}

// waiting reports whether the next words come when a task is done.
func (s *situation) waiting() bool {
	_, is := s.pending()
	return is || s.loading() || s.reporting()
}

// await starts the clocks of a wait: after hold the candidate is asked for patience, after budget it is over.
func (s clock) await(hold, budget time.Duration, prompt string) {
	if prompt != "" {
		s.arm(TimerHold, hold)
	}
	s.arm(TimerTask, budget)
}

// taskDone takes an answer that is still waited for.
func (s *step) taskDone(e TaskDone) {
	t, known := s.u.Tasks[e.Task]
	if !known || t.Visit != e.Visit || t.Waiting {
		s.fact("task.late", field("task", e.Task), field("asked_visit", e.Visit))
		return
	}
	s.receive(t, e)
}

// receive acts on an answer, or on there being none. One that comes while the candidate is being asked for patience waits
// for the end of that sentence; a report waits for the floor.
func (s *step) receive(t state.Task, e TaskDone) {
	if f := s.u.Floor; t.Kind == TaskEvaluate && f.Audible && Move(f.Move) == MoveHold || t.Kind == TaskReport && s.busy() {
		raw, err := json.Marshal(e)
		if err == nil {
			t.Waiting, t.Answer = true, raw
			s.u.Tasks[t.ID] = t
			s.clock.disarm(TimerTask)
			return
		}
	}
	s.settleTask(t, e)
}

// settleTask acts on an answer.
func (s *step) settleTask(t state.Task, e TaskDone) {
	delete(s.u.Tasks, t.ID)
	e = e.read(t)
	s.fact("task.done", field("task", t.ID), field("kind", t.Kind), field("subject", t.Subject), field("attempt", t.Attempt),
		field("lasted", (s.u.Now-t.Started).Duration()), field("failed", understand.Clip(e.Failed, maxFailure)),
		field("degraded", understand.Clip(e.Degraded, maxFailure)))
	switch t.Kind {
	case TaskPhases:
		s.phasesDone(t, e)
	case TaskQuestion:
		s.questionDone(e)
	case TaskEvaluate:
		s.clock.disarmAll(TimerTask, TimerHold)
		s.evaluated(t, e)
	case TaskReport:
		s.clock.disarm(TimerTask)
		s.reportDone(e)
	}
}

// read makes the result of a model's answer, as it was asked for. One that cannot be used is none.
func (e TaskDone) read(t state.Task) TaskDone {
	if len(e.Answer) == 0 || e.Failed != "" {
		return e
	}
	r, _ := t.Asked.(Run) // none in a state that was not folded from its journal: then nobody knows what was asked
	result, err := r.Read(e.Answer)
	if err != nil {
		e.Failed = understand.Clip(err.Error(), maxFailure)
	}
	e.Result = result
	return e
}

// settleHeld acts on an answer that waited for the hold phrase to end; it reports whether there was one.
func (s *step) settleHeld() bool {
	t, ok := s.pending()
	if !ok || t.Answer == nil {
		return false
	}
	s.settleKept(t)
	return true
}

func (s *step) settleKept(t state.Task) {
	var e TaskDone
	if err := json.Unmarshal(t.Answer, &e); err != nil {
		e = TaskDone{Failed: "its answer could not be kept: " + err.Error()}
	}
	s.settleTask(t, e)
}

// overdue: a call has had its time.
func (s *step) overdue() {
	t, ok := s.pending()
	if !ok {
		t, ok = s.report()
	}
	if !ok {
		s.loadOverdue()
		return
	}
	s.runs.cancel(t, "late")
	s.receive(t, TaskDone{Task: t.ID, Visit: t.Visit, Failed: "late"})
}

// cancel forgets a task and tells the session that nobody waits for it.
func (s runs) cancel(t state.Task, reason string) {
	delete(s.u.Tasks, t.ID)
	s.fact("task.cancelled", field("task", t.ID), field("kind", t.Kind), field("reason", reason))
	if !t.Waiting {
		s.out = append(s.out, CancelRun{Task: t.ID, Reason: reason})
	}
}

// dropPending cancels what the next words wait for; it reports whether there was anything.
func (s *floor) dropPending(reason string) bool {
	t, ok := s.pending()
	if !ok {
		return false
	}
	s.runs.cancel(t, reason)
	s.clock.disarmAll(TimerHold, TimerTask)
	return true
}

// suspend: the candidate speaks on, so that what is waited for would answer half a turn (R003-84). It is asked for anew
// when the turn is over, or when nothing was said after all.
func (s *floor) suspend(reason string) {
	hush := Move(s.u.Floor.Move) == MoveHold
	if !s.dropPending(reason) {
		return
	}
	s.u.Current().Owed = true
	if hush {
		s.stopFloor(reason)
	}
}

// holdOn asks the candidate for patience, once in a wait (R003-84).
func (s *replies) holdOn() {
	if !s.waiting() || s.u.Floor.Utterance != 0 {
		return
	}
	id := s.iv.Def.Recovery.HoldPrompt
	if _, judged := s.pending(); judged {
		id = s.stage().Gate.HoldPrompt
	}
	if id == "" || s.u.Ledger.Filled > 0 && !s.mayFill() {
		return
	}
	r := state.Reply{Move: string(MoveHold), Aside: true}
	if s.addFresh(&r, id); r.Text != "" {
		s.say(r)
	}
}

func orDefault(d definition.Duration, other time.Duration) time.Duration {
	if d > 0 {
		return d.Std()
	}
	return other
}
