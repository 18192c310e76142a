package openai

import (
	"context"
	"errors"
	"fmt"
	"io"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

const opChat = "chat"

type chatModel struct{ client *Client }

var _ llm.Model = (*chatModel)(nil)

// Stream sends the request and returns once the answer's headers are here.
func (m *chatModel) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	request, err := m.client.chatRequest(r)
	if err != nil {
		return nil, refused(err)
	}
	in, err := m.client.library(opChat, openChat).CreateChatCompletionStream(ctx, request)
	if err != nil {
		return nil, refused(err)
	}
	return &chatStream{in: in}, nil
}

// refused gives an error of the doer as it is. One of the library's own, or of the table of models, comes before anything was
// sent: the model does not take the request.
func refused(err error) error {
	if known, is := errors.AsType[*fault.Error](err); is {
		return known
	}
	return &fault.Error{Op: opChat, Provider: provider, Kind: fault.BadRequest, Form: true, Err: err}
}

type chatStream struct {
	in *lib.ChatCompletionStream

	ready    []llm.Delta // complete, not yet delivered
	finished bool        // the provider said why it stopped
	err      error       // repeated once set
	closed   bool
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

// read takes one event. At the end of the stream it returns io.EOF.
func (s *chatStream) read() error {
	event, err := s.in.Recv()
	if err == nil {
		return s.take(event)
	}
	known, is := errors.AsType[*fault.Error](err)
	switch {
	case is:
		return known
	case errors.Is(err, io.EOF), errors.Is(err, errCut) && s.finished:
		return io.EOF
	case errors.Is(err, errCut):
		return transportError(opChat, fmt.Errorf("the reply broke off: %w", io.ErrUnexpectedEOF))
	}
	return malformed(opChat, hintURL, fmt.Errorf("an event is not JSON: %w", err))
}

func (s *chatStream) take(event lib.ChatCompletionStreamResponse) error {
	if len(event.Choices) > 0 {
		choice := event.Choices[0]
		if err := s.delta(choice.Delta); err != nil {
			return err
		}
		if choice.FinishReason == lib.FinishReasonContentFilter {
			return &fault.Error{
				Op: opChat, Provider: provider, Kind: fault.BadRequest,
				Err: errors.New("the provider's content filter stopped the reply"),
			}
		}
		s.finished = s.finished || choice.FinishReason != ""
	}
	if u := event.Usage; u != nil {
		usage := &llm.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
		if u.PromptTokensDetails != nil {
			usage.CachedTokens = u.PromptTokensDetails.CachedTokens
		}
		s.ready = append(s.ready, llm.Delta{Usage: usage})
	}
	return nil
}

func (s *chatStream) delta(d lib.ChatCompletionStreamChoiceDelta) error {
	if d.Content != "" {
		s.ready = append(s.ready, llm.Delta{Text: d.Content})
	}
	if d.Refusal != "" {
		return &fault.Error{Op: opChat, Provider: provider, Kind: fault.BadRequest, Err: errors.New("the model refused to answer")}
	}
	return nil
}

func (s *chatStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.in.Close()
}

// streamError is an error that came inside a stream, after its status.
func streamError(e *apiError) *fault.Error {
	kind := fault.Server
	if e.code() == "rate_limit_exceeded" || e.code() == "429" {
		kind = fault.RateLimited
	}
	return &fault.Error{Op: opChat, Provider: provider, Kind: kind, Err: fmt.Errorf("error in the stream, code %q", e.code())}
}
