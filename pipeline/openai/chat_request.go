package openai

import (
	"cmp"
	"encoding/json"

	"github.com/vivavoice/viva/pipeline/llm"
)

// The body of a chat request, field by field as the interface names them.
type (
	chatRequest struct {
		Model               string          `json:"model"`
		Messages            []chatMessage   `json:"messages"`
		Stream              bool            `json:"stream"`
		StreamOptions       streamOptions   `json:"stream_options"`
		Tools               []chatTool      `json:"tools,omitempty"`
		ToolChoice          string          `json:"tool_choice,omitempty"`
		MaxTokens           int             `json:"max_tokens,omitempty"`
		MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
		Temperature         *float64        `json:"temperature,omitempty"`
		ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	}
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	chatMessage struct {
		Role       string         `json:"role"`
		Content    string         `json:"content"`
		ToolCalls  []chatToolCall `json:"tool_calls,omitempty"`
		ToolCallID string         `json:"tool_call_id,omitempty"`
	}
	chatToolCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function functionCall `json:"function"`
	}
	functionCall struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	chatTool struct {
		Type     string       `json:"type"`
		Function chatFunction `json:"function"`
	}
	chatFunction struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	responseFormat struct {
		Type       string     `json:"type"`
		JSONSchema jsonSchema `json:"json_schema"`
	}
	jsonSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	}
)

func (c *Client) encodeChat(r llm.Request) chatRequest {
	out := chatRequest{
		Model: c.cfg.ChatModel, Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
		Messages: make([]chatMessage, 0, len(r.Messages)), Temperature: r.Temperature,
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, encodeMessage(m))
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, chatTool{Type: "function", Function: chatFunction(t)})
	}
	if len(r.Tools) > 0 {
		out.ToolChoice = r.ToolChoice
	}
	if c.own { // its newer models refuse the old name; other servers may not know the new one
		out.MaxCompletionTokens = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens
	}
	if r.Schema != nil {
		schema := jsonSchema{Name: cmp.Or(r.SchemaName, "reply"), Schema: r.Schema, Strict: true}
		out.ResponseFormat = &responseFormat{Type: "json_schema", JSONSchema: schema}
	}
	return out
}

func encodeMessage(m llm.Message) chatMessage {
	out := chatMessage{Role: string(m.Role), Content: m.Content, ToolCallID: m.ToolCallID}
	for _, t := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, chatToolCall{
			ID: t.ID, Type: "function",
			Function: functionCall{Name: t.Name, Arguments: string(t.Arguments)},
		})
	}
	return out
}
