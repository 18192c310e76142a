package openai

import (
	"encoding/json"
	"fmt"
	"io"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/fault"
)

// maxWholeReply bounds a reply that a server sends in one piece although it was asked to stream.
const maxWholeReply = 1 << 20

// wholeReply makes one event of a reply in one piece.
func wholeReply(body io.Reader, because func(error) error) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxWholeReply+1))
	switch {
	case err != nil:
		return nil, because(err)
	case len(text) > maxWholeReply:
		return nil, malformed(opChat, "", fault.ErrTooMuch)
	}
	if err := errorIn(text); err != nil {
		return nil, err
	}
	var whole lib.ChatCompletionResponse
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, malformed(opChat, hintURL, fmt.Errorf("the reply is not JSON: %w", err))
	}
	var event lib.ChatCompletionStreamResponse
	if whole.Usage.TotalTokens > 0 {
		event.Usage = &whole.Usage
	}
	for _, choice := range whole.Choices {
		event.Choices = append(event.Choices, lib.ChatCompletionStreamChoice{
			Index: choice.Index, FinishReason: choice.FinishReason,
			Delta: lib.ChatCompletionStreamChoiceDelta{
				Content: choice.Message.Content, Refusal: choice.Message.Refusal,
			},
		})
	}
	data, err := json.Marshal(event)
	if err != nil {
		return nil, malformed(opChat, "", fmt.Errorf("read the reply: %w", err))
	}
	return append(append([]byte("data: "), data...), "\n\n"...), nil
}
