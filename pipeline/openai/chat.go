package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

const opChat = "chat"

// maxWholeReply bounds a reply that a server sends in one piece although it was asked to stream.
const maxWholeReply = 1 << 20

type chatModel struct{ client *Client }

var _ llm.Model = (*chatModel)(nil)

// Stream sends the request and returns once the answer's headers are here.
func (m *chatModel) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	k, err := postJSON(opChat, "/chat/completions", "text/event-stream", m.client.encodeChat(r))
	if err != nil {
		return nil, err
	}
	in, err := m.client.do(ctx, k)
	if err != nil {
		return nil, err
	}
	s := &chatStream{cause: func() error { return context.Cause(ctx) }, body: in}
	if in.mediaType == "application/json" {
		s.source = &wholeReply{in: in}
	} else {
		s.source = newEventReader(in)
	}
	return s, nil
}

// eventSource gives one JSON document after the other; the slice is valid until the next call.
type eventSource interface{ next() ([]byte, error) }

// wholeReply serves servers that ignore "stream" and answer in one piece.
type wholeReply struct {
	in   io.Reader
	done bool
}

func (w *wholeReply) next() ([]byte, error) {
	if w.done {
		return nil, io.EOF
	}
	w.done = true
	b, err := io.ReadAll(io.LimitReader(w.in, maxWholeReply+1))
	if len(b) > maxWholeReply {
		return nil, fault.ErrTooMuch
	}
	return b, err
}

type chatStream struct {
	cause  func() error // why the context ended, if it did
	body   io.ReadCloser
	source eventSource
	calls  assembler

	ready    []llm.Delta // complete, not yet delivered
	finished bool        // the provider said why it stopped
	err      error       // repeated once set
	closed   bool
}

// chunk is one event of a reply.
type chunk struct {
	Choices []struct {
		Delta        chunkMessage `json:"delta"`
		Message      chunkMessage `json:"message"` // of a reply in one piece
		FinishReason string       `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error *apiError `json:"error"`
}

type chunkMessage struct {
	Content   string         `json:"content"`
	Refusal   string         `json:"refusal"`
	ToolCalls []toolFragment `json:"tool_calls"`
}

func (s *chatStream) Next() (llm.Delta, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return llm.Delta{}, s.err
		}
		s.err = s.read()
	}
	d := s.ready[0]
	s.ready = s.ready[1:]
	return d, nil
}

// read takes one event. At the end of the stream it adds the tool calls and returns io.EOF.
func (s *chatStream) read() error {
	data, err := s.source.next()
	switch {
	case err == nil && bytes.Equal(data, []byte("[DONE]")):
		return s.finish()
	case err == nil:
		return s.decode(data)
	case errors.Is(err, io.EOF) && s.finished:
		return s.finish()
	case errors.Is(err, io.EOF):
		return transportError(opChat, fmt.Errorf("the reply broke off: %w", io.ErrUnexpectedEOF))
	case errors.Is(err, errNotEvents):
		return malformed(opChat, hintURL, err)
	case errors.Is(err, fault.ErrTooMuch):
		return malformed(opChat, "", err)
	}
	if cause := s.cause(); cause != nil {
		err = cause
	}
	return transportError(opChat, err)
}

func (s *chatStream) decode(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return malformed(opChat, hintURL, fmt.Errorf("an event is not JSON: %w", err))
	}
	if c.Error != nil {
		return streamError(c.Error)
	}
	if len(c.Choices) > 0 {
		choice := c.Choices[0]
		for _, m := range []chunkMessage{choice.Delta, choice.Message} {
			if err := s.take(m); err != nil {
				return err
			}
		}
		if err := s.stop(choice.FinishReason); err != nil {
			return err
		}
	}
	if u := c.Usage; u != nil {
		s.ready = append(s.ready, llm.Delta{Usage: &llm.Usage{
			PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, CachedTokens: u.Details.CachedTokens,
		}})
	}
	return nil
}

func (s *chatStream) take(m chunkMessage) error {
	if m.Content != "" {
		s.ready = append(s.ready, llm.Delta{Text: m.Content})
	}
	if m.Refusal != "" {
		return &fault.Error{Op: opChat, Provider: provider, Kind: fault.BadRequest, Err: errors.New("the model refused to answer")}
	}
	for _, f := range m.ToolCalls {
		if err := s.calls.add(f); err != nil {
			return malformed(opChat, "", err)
		}
	}
	return nil
}

func (s *chatStream) stop(reason string) error {
	if reason == "content_filter" {
		return &fault.Error{
			Op: opChat, Provider: provider, Kind: fault.BadRequest,
			Err: errors.New("the provider's content filter stopped the reply"),
		}
	}
	s.finished = s.finished || reason != ""
	return nil
}

func (s *chatStream) finish() error {
	calls, err := s.calls.complete()
	if err != nil {
		return malformed(opChat, "", err)
	}
	for i := range calls {
		s.ready = append(s.ready, llm.Delta{ToolCall: &calls[i]})
	}
	return io.EOF
}

func (s *chatStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.err != nil && errors.Is(s.err, io.EOF) {
		closeBody(s.body)
		return nil
	}
	return s.body.Close()
}

// streamError is an error that came inside a stream, after its status.
func streamError(e *apiError) *fault.Error {
	kind := fault.Server
	if e.code() == "rate_limit_exceeded" || e.code() == "429" {
		kind = fault.RateLimited
	}
	return &fault.Error{Op: opChat, Provider: provider, Kind: kind, Err: fmt.Errorf("error in the stream, code %q", e.code())}
}
