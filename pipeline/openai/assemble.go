package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

const (
	// maxCalls bounds the tool calls of one reply.
	maxCalls = 32
	// maxArguments bounds the arguments of all of them, in bytes.
	maxArguments = 256 << 10
)

// assembler puts the tool calls of one reply together, which the library leaves to its users. The first piece of a call brings its
// ID and name; the arguments come in pieces that belong together by Index.
type assembler struct {
	calls []partialCall
	bytes int
}

type partialCall struct {
	index     int
	id, name  string
	arguments []byte
}

var errToolCall = errors.New("unusable tool call")

func (a *assembler) add(f lib.ToolCall) error {
	c := a.find(f)
	if c == nil {
		if len(a.calls) == maxCalls {
			return fmt.Errorf("tool calls: %w", fault.ErrTooMuch)
		}
		a.calls = append(a.calls, partialCall{index: place(f), id: f.ID})
		c = &a.calls[len(a.calls)-1]
	}
	a.bytes += len(f.Function.Arguments) + len(f.Function.Name)
	if a.bytes > maxArguments {
		return fmt.Errorf("tool arguments: %w", fault.ErrTooMuch)
	}
	c.name += f.Function.Name
	c.arguments = append(c.arguments, f.Function.Arguments...)
	return nil
}

// find gives the call that f goes on with, or nil if it begins a new one. Some servers send several whole calls under the
// same index; those differ by ID.
func (a *assembler) find(f lib.ToolCall) *partialCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := &a.calls[i]
		if c.index == place(f) {
			if f.ID == "" || c.id == "" || f.ID == c.id {
				return c
			}
			return nil
		}
	}
	return nil
}

// place is the index of a fragment; a server that leaves it out means the first.
func place(f lib.ToolCall) int {
	if f.Index == nil {
		return 0
	}
	return *f.Index
}

// complete gives the calls in the order in which they began. A call without a name, or whose arguments are no JSON object,
// fails the reply: the model was cut short, or cannot call tools.
func (a *assembler) complete() ([]llm.ToolCall, error) {
	out := make([]llm.ToolCall, 0, len(a.calls))
	for i, c := range a.calls {
		if c.name == "" {
			return nil, fmt.Errorf("%w: call %d has no name", errToolCall, i)
		}
		arguments := bytes.TrimSpace(c.arguments)
		if len(arguments) == 0 {
			arguments = []byte("{}")
		}
		if arguments[0] != '{' || !json.Valid(arguments) {
			return nil, fmt.Errorf("%w: the arguments of %q are no JSON object", errToolCall, c.name)
		}
		if c.id == "" {
			c.id = fmt.Sprintf("call_%d", i)
		}
		out = append(out, llm.ToolCall{ID: c.id, Name: c.name, Arguments: arguments})
	}
	return out, nil
}
