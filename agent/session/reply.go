package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
)

// replyTokens bounds a reply: two spoken sentences need far less.
const replyTokens = 220

// errLate says that a model's first words took longer than a live talk can wait.
var errLate = errors.New("the model was too slow to begin")

// reply is a model's answer on its way. It belongs to one goroutine.
type reply struct {
	stream llm.Stream
	cancel context.CancelCauseFunc
	timer  *time.Timer
	ctx    context.Context //nolint:containedctx // the request's own lifetime, to tell lateness from a stop
}

// open asks the model; the first words have to come within the given wait.
func open(ctx context.Context, m llm.Model, r engine.Request, wait time.Duration) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &reply{cancel: cancel, ctx: ctx, timer: time.AfterFunc(wait, func() { cancel(errLate) })}
	stream, err := m.Stream(ctx, request(r))
	if err != nil {
		a.close()
		return nil, fmt.Errorf("ask the model: %w", a.cause(err))
	}
	a.stream = stream
	return a, nil
}

func request(r engine.Request) llm.Request {
	out := llm.Request{MaxTokens: replyTokens}
	for _, l := range r.Lines {
		out.Messages = append(out.Messages, llm.Message{Role: llm.Role(l.Role), Content: l.Text})
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema})
	}
	return out
}

func (a *reply) next() (llm.Delta, error) {
	d, err := a.stream.Next()
	if err != nil {
		return d, a.cause(err)
	}
	if d.Text != "" || d.ToolCall != nil {
		a.timer.Stop()
	}
	return d, nil
}

func (a *reply) cause(err error) error {
	if errors.Is(context.Cause(a.ctx), errLate) {
		return errLate
	}
	return err
}

func (a *reply) close() {
	a.timer.Stop()
	if a.stream != nil {
		_ = a.stream.Close() // the reply is over either way; what it said was delivered by Next
	}
	a.cancel(nil)
}
