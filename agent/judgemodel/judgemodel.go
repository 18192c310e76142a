// Package judgemodel asks a model for one JSON object, as judges do: once, and once more where the answer cannot be
// used. What may be asked, and what an answer means, is the caller's; nothing here knows of interviews.
//
// A Model is safe for concurrent use and starts no goroutine. How many ask at the same time is for callers to bound.
package judgemodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/structured"
)

const (
	// defaultTokens bounds an answer where neither call nor question does.
	defaultTokens = 600
	// charsPerToken is the usual estimate for English text, where a service reports no usage.
	charsPerToken = 4
)

// Model answers structured questions, and what was found out about its service.
type Model struct {
	model       llm.Model
	temperature *float64
	plain       atomic.Bool // the service takes neither schema nor temperature
}

// New makes one; nil for no model. A nil temperature is left to the provider.
func New(model llm.Model, temperature *float64) *Model {
	if model == nil {
		return nil
	}
	return &Model{model: model, temperature: temperature}
}

// Call is one question and what is to be made of its answer.
type Call struct {
	Question structured.Question
	// MaxTokens bounds the answer beside the question's own bound; 0 = 600, or the question's where that is lower.
	MaxTokens int
	// Read takes an answer that follows the question's schema. Its error says what is wrong with it, in words for
	// structured.Repair. It may be called twice.
	Read func(json.RawMessage) error
	// Meter counts what the requests of an interview use, and bounds it. Optional.
	Meter Meter
	// Yield bounds how long the interview's live reply, which goes first, is waited for.
	Yield time.Duration
}

// Meter is what an interview may use of models.
type Meter interface {
	Add(tokens int)
	Spent() bool // nothing more may be asked
	Yield(ctx context.Context, limit time.Duration)
}

// ErrSpent says that the model was not asked, or not once more.
var ErrSpent = errors.New("the interview's budget of tokens is spent")

// Ask has the model answer until ctx ends: once, and once more if the answer cannot be used. The error keeps the kind of the
// provider's failure (fault.KindOf); one of Read or of the schema has the kind fault.Malformed.
func (m *Model) Ask(ctx context.Context, c Call) error {
	if c.Meter != nil && !c.Meter.Spent() {
		c.Meter.Yield(ctx, c.Yield)
	}
	text, err := m.complete(ctx, c, c.Question)
	if err != nil {
		return err
	}
	wrong := c.read(text)
	if wrong == nil {
		return nil
	}
	if text, err = m.complete(ctx, c, structured.Repair(c.Question, text, wrong)); err != nil {
		return err
	}
	if err := c.read(text); err != nil {
		return &fault.Error{Op: "answer " + c.Question.Role, Provider: "model", Kind: fault.Malformed, Err: err}
	}
	return nil
}

func (c *Call) read(text string) error {
	answer, err := structured.Object(text)
	if err != nil {
		return err
	}
	if err := structured.Check(c.Question.Schema, answer); err != nil {
		return err
	}
	return c.Read(answer)
}

// complete asks once. A service that refuses a question for its form is asked in plain words, and from then on.
func (m *Model) complete(ctx context.Context, c Call, q structured.Question) (string, error) {
	if c.Meter != nil && c.Meter.Spent() {
		return "", ErrSpent
	}
	plain := m.plain.Load()
	text, err := m.reply(ctx, c, q, plain)
	if plain || fault.KindOf(err) != fault.BadRequest {
		return text, err
	}
	if text, err = m.reply(ctx, c, q, true); err == nil {
		m.plain.Store(true)
	}
	return text, err
}

// reply reads one reply to its end, and counts what it cost even where it breaks off.
func (m *Model) reply(ctx context.Context, c Call, q structured.Question, plain bool) (text string, err error) {
	request := m.request(c, q, plain)
	tokens := 0
	defer func() {
		if tokens == 0 {
			tokens = (len(request.Messages[0].Content) + len(request.Messages[1].Content) + len(text) + charsPerToken - 1) / charsPerToken
		}
		if c.Meter != nil {
			c.Meter.Add(tokens)
		}
	}()
	stream, err := m.model.Stream(ctx, request)
	if err != nil {
		return "", fmt.Errorf("ask the model: %w", err)
	}
	if text, tokens, err = llm.ReadAll(stream, structured.MaxAnswer); err != nil {
		return text, fmt.Errorf("read the model's answer: %w", err)
	}
	return text, nil
}

// request is the question as a model is asked it: with its schema as the form of the answer, or in words.
func (m *Model) request(c Call, q structured.Question, plain bool) llm.Request {
	limit := c.MaxTokens
	if limit == 0 {
		limit = defaultTokens
	}
	if q.MaxTokens > 0 {
		limit = min(limit, q.MaxTokens)
	}
	r := llm.Request{MaxTokens: limit, Effort: llm.EffortMore}
	system := q.System
	if plain {
		system += "\n\nAnswer with one JSON object and nothing else. It follows this JSON Schema:\n" + string(q.Schema)
	} else {
		r.Schema, r.SchemaName, r.Temperature = q.Schema, q.Name, m.temperature
	}
	r.Messages = []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: q.User}}
	return r
}
