package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/structured"
)

const (
	// yield bounds how long a task waits for the interview's own live reply: that one is bounded itself, and the candidate
	// waits for the task too.
	yield = 3 * time.Second
	// defaultTokens bounds an answer where neither definition nor question does (definition.Budget).
	defaultTokens = 600
	// charsPerToken is the usual estimate for English text, where a service reports no usage.
	charsPerToken = 4
)

// ask has a model answer: once, and once more if the answer cannot be used (one repair).
func (d *Desk) ask(ctx context.Context, by *role, r engine.Run) (json.RawMessage, error) {
	switch {
	case by.Model == nil:
		return nil, errNoModel
	case d.meter.Spent():
		return nil, errBudget
	}
	q, err := d.interview.Ask(r)
	if err != nil {
		return nil, fmt.Errorf("make the question: %w", err)
	}
	if err := d.turn(ctx); err != nil {
		return nil, err
	}
	defer func() { <-d.pool.slots }()
	text, err := d.complete(ctx, by, q)
	if err != nil {
		return nil, err
	}
	result, err := d.read(r, q, text)
	if err == nil {
		return result, nil
	}
	if d.meter.Spent() {
		return nil, errBudget
	}
	if text, err = d.complete(ctx, by, structured.Repair(q, text, err)); err != nil {
		return nil, err
	}
	return d.read(r, q, text)
}

// turn waits until it is this task's turn to ask a model.
func (d *Desk) turn(ctx context.Context) error {
	d.meter.Yield(ctx, yield)
	select {
	case d.pool.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to ask a model: %w", ctx.Err())
	}
}

// read checks an answer and makes the task's result of it.
func (d *Desk) read(r engine.Run, q structured.Question, text string) (json.RawMessage, error) {
	answer, err := structured.Object(text)
	if err != nil {
		return nil, err
	}
	if err := structured.Check(q.Schema, answer); err != nil {
		return nil, err
	}
	return d.interview.Read(r, answer)
}

// complete asks a model once. A service that refuses a question for its form is asked in plain words, from then on.
func (d *Desk) complete(ctx context.Context, by *role, q structured.Question) (string, error) {
	plain := by.plain.Load()
	text, err := d.reply(ctx, by, q, plain)
	if plain || fault.KindOf(err) != fault.BadRequest {
		return text, err
	}
	if text, err = d.reply(ctx, by, q, true); err == nil {
		by.plain.Store(true)
	}
	return text, err
}

// reply reads one reply to its end, and counts what it cost even where it breaks off.
func (d *Desk) reply(ctx context.Context, by *role, q structured.Question, plain bool) (text string, err error) {
	request := d.request(by, q, plain)
	var b strings.Builder
	tokens := 0
	defer func() {
		if tokens == 0 {
			tokens = (len(request.Messages[0].Content) + len(request.Messages[1].Content) + b.Len() + charsPerToken - 1) / charsPerToken
		}
		d.meter.Add(tokens)
	}()
	stream, err := by.Model.Stream(ctx, request)
	if err != nil {
		return "", fmt.Errorf("ask the model: %w", err)
	}
	defer func() { _ = stream.Close() }() // the reply is read to its end, or of no use
	for {
		piece, err := stream.Next()
		switch {
		case errors.Is(err, io.EOF):
			return b.String(), nil
		case err != nil:
			return "", fmt.Errorf("read the model's answer: %w", err)
		}
		if piece.Usage != nil {
			tokens += piece.Usage.PromptTokens + piece.Usage.CompletionTokens
		}
		if b.Len()+len(piece.Text) > structured.MaxAnswer {
			return "", fmt.Errorf("read the model's answer: %w", fault.ErrTooMuch)
		}
		b.WriteString(piece.Text)
	}
}

// request is the question as a model is asked it: with its schema as the form of the answer, or in words.
func (d *Desk) request(by *role, q structured.Question, plain bool) llm.Request {
	limit := d.interview.Def.Budget.TurnTokens
	if limit == 0 {
		limit = defaultTokens
	}
	if q.MaxTokens > 0 {
		limit = min(limit, q.MaxTokens)
	}
	r := llm.Request{MaxTokens: limit}
	system := q.System
	if plain {
		system += "\n\nAnswer with one JSON object and nothing else. It follows this JSON Schema:\n" + string(q.Schema)
	} else {
		r.Schema, r.SchemaName, r.Temperature = q.Schema, q.Name, by.Temperature
	}
	r.Messages = []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: q.User}}
	return r
}
