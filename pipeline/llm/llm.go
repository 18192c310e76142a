// Package llm is the seam between an interview and the language models that word it. It holds the Model interface, and a guard
// that limits and retries a model (Limited).
//
// Concurrency: a Model is safe for concurrent use; a Stream belongs to one goroutine, except that cancelling the context
// given to Model.Stream ends a Next in progress at once.
package llm

import (
	"context"
	"encoding/json"
)

// Role says who spoke a Message.
type Role string

// The roles of a conversation.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Effort is an amount of reasoning, in words that every model understands in its own way.
type Effort string

// The amounts. The zero value leaves it to the provider.
const (
	// EffortLeast is the least that the model offers, at best none: somebody waits for the first word.
	EffortLeast Effort = "least"
	// EffortMore is the least real reasoning: what is answered matters more than when.
	EffortMore Effort = "more"
)

// Message is one entry of the conversation given to a model.
type Message struct {
	Role    Role
	Content string
}

// Request asks a model for one reply. The model does not change it and does not keep it after its stream is closed.
type Request struct {
	Messages []Message
	// MaxTokens bounds the reply; 0 means the provider's default.
	MaxTokens int
	// Temperature is passed on when not nil, to models that take one.
	Temperature *float64
	// Effort is how much the model may reason before it answers; a model that does not reason ignores it. What reasoning costs does
	// not count against MaxTokens.
	Effort Effort
	// Schema, when not nil, is the JSON Schema the reply's text must follow (structured output).
	Schema json.RawMessage
	// SchemaName names Schema for the provider; empty means "reply".
	SchemaName string
}

// Usage counts the tokens of one request.
type Usage struct {
	PromptTokens, CompletionTokens, CachedTokens int
}

// Delta is a piece of a reply: a piece of text, the usage, or both.
type Delta struct {
	Text string
	// Usage comes at most once, near the end, from providers that report it.
	Usage *Usage
}

// Stream is a reply on its way.
type Stream interface {
	// Next waits for the next piece. It returns io.EOF after the last one and a *fault.Error when the reply broke off;
	// both are repeated by further calls.
	Next() (Delta, error)
	// Close releases the connection; it is idempotent. The caller always closes, also after io.EOF.
	Close() error
}

// Model is a language model.
type Model interface {
	// Stream starts a reply. Cancelling ctx ends the reply at once, in Stream and in every Next.
	Stream(ctx context.Context, r Request) (Stream, error)
}
