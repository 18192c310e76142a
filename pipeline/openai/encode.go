package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai/family"
	"github.com/vivavoice/viva/pipeline/openai/strict"
)

var errSchema = errors.New("this model cannot be held to a JSON Schema")

// chatRequest puts a request in the library's form, with what the model takes of it. A temperature that it does not take is left
// out: whoever set one for this model was told at the start.
func (c *Client) chatRequest(r llm.Request) (lib.ChatCompletionRequest, error) {
	f := family.Of(c.cfg.ChatModel)
	effort := c.effort(f, r)
	out := lib.ChatCompletionRequest{
		Model: c.cfg.ChatModel, Stream: true, StreamOptions: &lib.StreamOptions{IncludeUsage: true},
		Messages: make([]lib.ChatCompletionMessage, 0, len(r.Messages)),
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, lib.ChatCompletionMessage{Role: string(m.Role), Content: m.Content})
	}
	if effort != f.Default {
		out.ReasoningEffort = effort
	}
	if r.Temperature != nil && f.Temperature.Takes(effort) {
		out.Temperature = temperature(*r.Temperature)
	}
	if r.MaxTokens > 0 {
		limit := r.MaxTokens + family.Room(effort)
		if c.oldLimit(f) {
			out.MaxTokens = limit //nolint:staticcheck // other servers may know nothing else
		} else {
			out.MaxCompletionTokens = limit
		}
	}
	if r.Schema != nil {
		if !f.Strict {
			return out, errSchema
		}
		out.ResponseFormat = c.responseFormat(r)
	}
	return out, nil
}

// effort is the reasoning that a request is sent with; "" where nothing is known of the model.
func (c *Client) effort(f family.Family, r llm.Request) string {
	want := c.cfg.Effort
	switch {
	case want != "":
	case r.Effort == llm.EffortLeast:
		want = f.Least()
	case r.Effort == llm.EffortMore:
		want = f.More()
	}
	return cmp.Or(want, f.Default)
}

// oldLimit reports whether the reply's length is bounded by max_tokens. OpenAI's newer models refuse that; other servers may know
// nothing else.
func (c *Client) oldLimit(f family.Family) bool {
	return f.OldLimit && (f.Known || !c.own && c.cfg.API != Azure)
}

// temperature is written so that the library sends it: it takes 0 for a temperature that is not set.
func temperature(t float64) float32 {
	return max(float32(t), math.SmallestNonzeroFloat32)
}

func (c *Client) responseFormat(r llm.Request) *lib.ChatCompletionResponseFormat {
	schema := r.Schema
	if c.cfg.API == Azure {
		schema = unbounded(schema)
	}
	return &lib.ChatCompletionResponseFormat{
		Type: lib.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &lib.ChatCompletionResponseFormatJSONSchema{
			Name: cmp.Or(r.SchemaName, "reply"), Schema: schema, Strict: true,
		},
	}
}

// unbounded is a schema without the bounds that Azure refuses. Whoever asked checks the answer against the whole schema.
func unbounded(schema json.RawMessage) json.RawMessage {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil {
		return schema // the service says what is wrong with it
	}
	dropBounds(root)
	out, err := json.Marshal(root)
	if err != nil {
		return schema
	}
	return out
}

func dropBounds(v any) {
	s, is := v.(map[string]any)
	if !is {
		return
	}
	for k, inner := range s {
		named, _ := inner.(map[string]any)
		choices, _ := inner.([]any)
		switch {
		case slices.Contains(strict.Bounds(), k):
			delete(s, k)
		case k == "properties" || k == "$defs":
			for _, x := range named {
				dropBounds(x)
			}
		case k == "items":
			dropBounds(inner)
		case k == "anyOf":
			for _, x := range choices {
				dropBounds(x)
			}
		}
	}
}
