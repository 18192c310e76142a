package session

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Composer words utterances and carries out tasks exactly as a session does, but one at a time and without a talk around them:
// whoever holds a talk on another clock than the wall's gives each its time. It belongs to one goroutine.
type Composer struct{ s *Session }

// ComposerOptions are the parts of a Composer; Interview is required.
type ComposerOptions struct {
	Interview *engine.Interview
	Model     llm.Model // nil: scripted words only
	Tasks     Tasks     // nil: whatever has to be asked fails
	Meter     *Meter    // nil: one of its own, with the definition's budget
	// Wait bounds the wait for each piece of a model's reply, on the wall's clock. Default 10 min.
	Wait time.Duration
}

// NewComposer makes a composer. There is nothing to close.
func NewComposer(o ComposerOptions) *Composer {
	if o.Wait == 0 {
		o.Wait = 10 * time.Minute
	}
	if o.Meter == nil {
		o.Meter = NewMeter(o.Interview.Def.Budget.SessionTokens)
	}
	return &Composer{s: &Session{
		o: Options{
			Interview: o.Interview, Model: o.Model, Tasks: o.Tasks, Meter: o.Meter, Logger: zap.NewNop(),
			Observe: func(engine.Fact) {},
		},
		modelWait: o.Wait, u: &state.UserData{}, inbox: newMailbox(), tracer: tracer{live: make(map[uint64]*live)},
	}}
}

// Composed is an utterance that was worded to its end.
type Composed struct {
	Text     string
	Worded   bool            // by the model
	Degraded string          // why scripted words stand in
	Reading  json.RawMessage // what a model that leads the turn understood; nil: it did not say
}

// Compose words an utterance. Its error is that of ctx; a model's failure is in Degraded, and the script's words
// in Text.
func (c *Composer) Compose(ctx context.Context, say engine.Say) (Composed, error) {
	w := c.s.source(say, nil)
	defer w.close()
	var said []string
	for {
		clause, err := w.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return Composed{}, context.Cause(ctx)
			}
			break
		}
		said = append(said, clause.Text)
	}
	w.await(ctx, c.s.modelWait)
	out := Composed{Text: speak.Join(said...)}
	out.Worded, out.Degraded = w.outcome()
	out.Reading = c.told()
	return out, nil
}

// told takes what the utterance had for the session: of it, only the reading concerns a talk.
func (c *Composer) told() (reading json.RawMessage) {
	for {
		m, err := c.s.inbox.get()
		if m == nil || err != nil {
			return reading
		}
		if e, is := m.(Event); is {
			if e, is := e.Event.(engine.Read); is {
				reading = e.Reading
			}
		}
	}
}

// CarryOut does a task until ctx ends, and returns the TaskDone that a session would take to the engine.
func (c *Composer) CarryOut(ctx context.Context, r engine.Run) engine.TaskDone {
	if c.s.o.Tasks == nil {
		return engine.TaskDone{Task: r.Task, Visit: r.Visit, Failed: errNobody}
	}
	return c.s.carryOut(ctx, r)
}
