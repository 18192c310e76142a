package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
)

// leadTokens bounds a reply, words and what was understood, in tokens; what a model reasons before does not count.
const leadTokens = 700

// A live talk cannot wait longer for a model.
var (
	errLate    = errors.New("the model was too slow to begin")
	errHalting = errors.New("the model was too slow to go on")
)

// reply is a model's answer on its way. It belongs to one goroutine.
type reply struct {
	stream llm.Stream
	cancel context.CancelCauseFunc
	wait   time.Duration
	begun  bool
	timer  *time.Timer     // runs while the model is waited for
	ctx    context.Context //nolint:containedctx // the request's own lifetime, to tell lateness from a stop
}

// open asks the model; the first words, and then each piece, have to come within the given wait.
func open(ctx context.Context, m llm.Model, r llm.Request, wait time.Duration) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &reply{cancel: cancel, ctx: ctx, wait: wait, timer: guard.From(ctx).After(wait, "speak", func() { cancel(errLate) })}
	stream, err := m.Stream(ctx, r)
	if err != nil {
		a.close()
		return nil, fmt.Errorf("ask the model: %w", a.cause(err))
	}
	a.stream = stream
	return a, nil
}

// inWords tells a model of the form of a reply to which its service cannot hold it.
const inWords = "\n\nReply with one JSON object and nothing else, its field say first. It follows this JSON Schema:\n"

// request is what a model is asked for a turn. Plain leaves the form of the reply to words; they stand with what never changes, so that
// a provider's cache holds.
func request(lines []engine.Line, plain bool) llm.Request {
	out := llm.Request{MaxTokens: leadTokens, Effort: llm.EffortLeast}
	for _, l := range lines {
		out.Messages = append(out.Messages, llm.Message{Role: llm.Role(l.Role), Content: l.Text})
	}
	switch {
	case !plain:
		out.Schema, out.SchemaName = respond.Schema, respond.SchemaName
	case len(out.Messages) > 0 && out.Messages[0].Role == llm.RoleSystem:
		out.Messages[0].Content += inWords + string(respond.Schema)
	default:
		out.Messages = slices.Insert(out.Messages, 0, llm.Message{Role: llm.RoleSystem, Content: strings.TrimSpace(inWords) + "\n" + string(respond.Schema)})
	}
	return out
}

func (a *reply) next() (llm.Delta, error) {
	if a.begun {
		a.timer = guard.From(a.ctx).After(a.wait, "speak", func() { a.cancel(errHalting) })
	}
	d, err := a.stream.Next()
	if err != nil {
		return d, a.cause(err)
	}
	if a.begun = a.begun || d.Text != ""; a.begun {
		a.timer.Stop()
	}
	return d, nil
}

func (a *reply) cause(err error) error {
	switch cause := context.Cause(a.ctx); {
	case errors.Is(cause, errLate):
		return errLate
	case errors.Is(cause, errHalting):
		return errHalting
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

// charsPerToken is the usual estimate for English text, used where a provider reports no usage: it reports it with the end
// of a reply, which one that is cut off never reaches.
const charsPerToken = 4

// cost counts the tokens of the requests of one utterance, prompts included.
type cost struct {
	reported  int // tokens, by the provider
	estimated int // bytes of the request under way and its reply, until the provider reports them
	settled   int // bytes of the requests before
}

func (c *cost) asked(lines []engine.Line) {
	c.settled += c.estimated
	c.estimated = len(respond.Schema)
	for _, l := range lines {
		c.estimated += len(l.Text)
	}
}

func (c *cost) received(d llm.Delta) {
	c.estimated += len(d.Text)
	if d.Usage != nil {
		c.reported += d.Usage.PromptTokens + d.Usage.CompletionTokens
		c.estimated = 0
	}
}

func (c *cost) tokens() int {
	return c.reported + (c.settled+c.estimated+charsPerToken-1)/charsPerToken
}
