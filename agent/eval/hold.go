// Package eval holds whole interviews and has them graded: a candidate played by a model or by a script, the interviewer as
// Viva holds it or as the same model holds it with a prompt of ten lines, and a judge. It says whether a talk is any good.
//
// Talks are held on a clock of their own (package simulate): however long a model takes to answer, the talk is charged what
// Pace assumes, so that no silence ladder fires because a model was slow, and a candidate's words take the time that they take to
// say. A talk runs in its caller's goroutine; several may run side by side.
package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
)

// Holding is one talk to be held.
type Holding struct {
	Interview *engine.Interview
	Scenario  *scenario.Scenario
	Models    Models
	Pace      Pace
	Model     string // name of the interviewer's model, for the record
	Evaluator string // name of the model that judges answers, for the report
}

// holding is a talk in progress. It belongs to one goroutine, but for what mu guards.
type holding struct {
	Holding
	ctx     context.Context //nolint:containedctx // the talk's own lifetime; its parts are called back by the simulation
	minutes *minutes

	mu       sync.Mutex
	requests int   // guarded by mu: questions to models
	failed   error // guarded by mu: why the talk is worth nothing
}

func newHolding(ctx context.Context, what Holding) *holding {
	p := what.Pace
	what.Pace = Pace{
		Words: cmp.Or(p.Words, 700*time.Millisecond), Task: cmp.Or(p.Task, 1500*time.Millisecond),
		Judgement: cmp.Or(p.Judgement, 3*time.Second), Thought: cmp.Or(p.Thought, 800*time.Millisecond),
	}
	return &holding{Holding: what, ctx: ctx, minutes: &minutes{began: make(map[uint64]time.Duration)}}
}

// fail ends the talk: the candidate leaves at the next opportunity.
func (h *holding) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		h.failed = err
	}
}

func (h *holding) problem() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(h.failed, h.ctx.Err(), h.minutes.problem)
}

// Hold holds a talk as Viva does, from the greeting to the report. The error says why there is none: a model that the candidate
// needs failed, a cassette does not know a question, or ctx ended. A model's failures in the interview itself are in the talk, as they
// would be in life: scripted words stand in, and a check says so.
func Hold(ctx context.Context, what Holding) (*talk.Talk, Subject, error) {
	h := newHolding(ctx, what)
	backend, err := h.newBackend()
	if err != nil {
		return nil, Subject{}, err
	}
	defer backend.close()
	o, err := h.options(backend)
	if err != nil {
		return nil, Subject{}, err
	}
	held := simulate.Run(h.Interview, o) //nolint:contextcheck // the parts have it
	report := backend.finish(held.State) //nolint:contextcheck // it has the talk's
	if err := h.problem(); err != nil {
		return nil, Subject{}, fmt.Errorf("hold %s: %w", h.Scenario.ID, err)
	}
	t := h.talk(talk.Viva)
	t.Lines, t.Ended, t.Took, t.Report = finished(h.minutes.lines), held.State.Ended, held.Duration(), report
	t.Checks = h.checks(held, t.Lines)
	return t, about(h.Interview, held.State), nil
}

// options say how the simulation is to hold it.
func (h *holding) options(by *backend) (simulate.Options, error) {
	person, err := h.person()
	if err != nil {
		return simulate.Options{}, err
	}
	papers, err := h.Scenario.Metadata.Materials.Read(h.ctx)
	if err != nil {
		return simulate.Options{}, err
	}
	o := simulate.Options{
		Session: "eval-" + strings.ReplaceAll(h.Scenario.ID, "/", "-"), Name: h.Scenario.Metadata.Candidate.Name, Vars: h.Scenario.Metadata.Vars,
		Person: person, Runner: by, Steady: true, Replay: true, Observe: h.minutes.observe,
	}
	for _, p := range papers {
		o.Opening = append(o.Opening, p)
	}
	if h.Models.Interviewer != nil {
		o.Interviewer = by
	}
	return o, nil
}

func (h *holding) talk(side talk.Side) *talk.Talk {
	t := &talk.Talk{
		Scenario: h.Scenario.ID, Interview: h.Interview.Def.Kind, Locale: h.Interview.Words.Locale(), Side: side, Model: h.Model, Requests: h.requests,
	}
	if side == talk.Viva && h.Models.Interviewer == nil {
		t.Model = Scripted
	}
	return t
}

// Scripted is the name of an interviewer without a model.
const Scripted = "scripted"

// Pace is what a talk is charged for what really takes another time. The zero value of a field means its default.
type Pace struct {
	// Words is from the end of the candidate's turn to the first sound of a model's reply, beside the time that the end of the
	// turn takes. Default 700 ms: a small model's first clause and a voice's first sound.
	Words time.Duration
	// Task is what an expert or a judge that the talk waits for takes. Default 1.5 s.
	Task time.Duration
	// Judgement is what a judgement beside the talk takes, for which nobody waits. Default 3 s.
	Judgement time.Duration
	// Thought is how long a candidate thinks before speaking, where nothing else is said. Default 800 ms.
	Thought time.Duration
}
