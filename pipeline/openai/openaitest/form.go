package openaitest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/pipeline/openai/family"
	"github.com/vivavoice/viva/pipeline/openai/strict"
)

// CheckStrict says what OpenAI would refuse in a schema that a reply is to be held to ("strict": true); nil = it takes it. Every
// schema that is sent is tested with it.
func CheckStrict(schema json.RawMessage) error { return strict.Check(schema) }

// fields are the fields of a chat request that the service knows.
var fields = []string{
	"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages",
	"metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
	"prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream",
	"stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
}

// form is what of a request decides whether the service takes it.
type form struct {
	Model    string `json:"model"`
	Messages []struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
		ToolCallID string `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
			Strict     bool            `json:"strict"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	Parallel       *bool           `json:"parallel_tool_calls"`
	MaxTokens      *int            `json:"max_tokens"`
	Temperature    *float64        `json:"temperature"`
	Effort         *string         `json:"reasoning_effort"`
	Verbosity      *string         `json:"verbosity"`
	Stream         bool            `json:"stream"`
	StreamOptions  json.RawMessage `json:"stream_options"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// refusal is why the service does not take a request: its code and words.
type refusal struct{ code, message string }

func refusedFor(code, format string, values ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, values...)}
}

// checkForm refuses what the service refuses for its form; nil = it takes it. What a model takes is known by its name: of other
// makers' models nothing is.
func checkForm(body []byte) *refusal {
	var given map[string]json.RawMessage
	var f form
	if json.Unmarshal(body, &given) != nil || json.Unmarshal(body, &f) != nil {
		return refusedFor("invalid_json", "The body is not the JSON of a chat request.")
	}
	for name := range given {
		if !slices.Contains(fields, name) {
			return refusedFor("unknown_parameter", "Unrecognized request argument supplied: %s", name)
		}
	}
	for _, check := range []func() *refusal{f.messages, f.tools, f.format, f.options} {
		if r := check(); r != nil {
			return r
		}
	}
	if model := family.Of(f.Model); model.Known {
		return f.of(model)
	}
	return nil
}

// messages: a tool's result answers a call, and every call has a result.
func (f *form) messages() *refusal {
	if len(f.Messages) == 0 {
		return refusedFor("invalid_request", "There are no messages.")
	}
	var open []string // calls without a result so far
	for i, m := range f.Messages {
		if m.Role == "tool" {
			if !slices.Contains(open, m.ToolCallID) || m.ToolCallID == "" {
				return refusedFor("invalid_request", "Messages with role 'tool' must be a response to a preceding message with 'tool_calls' (messages.[%d]).", i)
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
		} else if len(open) > 0 {
			return refusedFor("invalid_request", "An assistant message with 'tool_calls' must be followed by tool messages: %s", strings.Join(open, ", "))
		}
		if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, m.Role) {
			return refusedFor("invalid_value", "Invalid value: '%s' is no role (messages.[%d]).", m.Role, i)
		}
		if (len(m.Content) == 0 || string(m.Content) == "null") && len(m.ToolCalls) == 0 {
			return refusedFor("invalid_type", "Invalid type for 'messages[%d].content': it is missing.", i)
		}
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return refusedFor("invalid_request", "An assistant message with 'tool_calls' must be followed by tool messages: %s", strings.Join(open, ", "))
	}
	return nil
}

// name is what tools and schemas may be called.
var name = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (f *form) tools() *refusal {
	if len(f.Tools) == 0 && len(f.ToolChoice) > 0 {
		return refusedFor("invalid_request", "'tool_choice' is only allowed when 'tools' are specified.")
	}
	for i, t := range f.Tools {
		if t.Type != "function" || !name.MatchString(t.Function.Name) {
			return refusedFor("invalid_value", "Invalid 'tools[%d]': a function with a name is expected.", i)
		}
		var schema struct {
			Type string `json:"type"`
		}
		if len(t.Function.Parameters) > 0 && (json.Unmarshal(t.Function.Parameters, &schema) != nil || schema.Type != "object") {
			return refusedFor("invalid_function_parameters", "Invalid schema for function '%s': the type must be object.", t.Function.Name)
		}
		if !t.Function.Strict {
			continue
		}
		if err := strict.Check(t.Function.Parameters); err != nil {
			return refusedFor("invalid_function_parameters", "Invalid schema for function '%s': %v", t.Function.Name, err)
		}
	}
	return nil
}

// format checks the schema that the reply is to follow.
func (f *form) format() *refusal {
	r := f.ResponseFormat
	switch {
	case r == nil || r.Type != "json_schema":
		return nil
	case !name.MatchString(r.JSONSchema.Name):
		return refusedFor("invalid_value", "Invalid 'response_format.json_schema.name': '%s'.", r.JSONSchema.Name)
	case !r.JSONSchema.Strict:
		return nil
	}
	if err := strict.Check(r.JSONSchema.Schema); err != nil {
		return refusedFor("invalid_schema", "Invalid schema for response_format '%s': %v", r.JSONSchema.Name, err)
	}
	return nil
}

func (f *form) options() *refusal {
	switch {
	case len(f.StreamOptions) > 0 && !f.Stream:
		return refusedFor("invalid_request", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case f.Temperature != nil && (*f.Temperature < 0 || *f.Temperature > 2):
		return refusedFor("invalid_value", "Invalid 'temperature': %v is out of range.", *f.Temperature)
	}
	return nil
}

// of checks what this model takes.
func (f *form) of(m family.Family) *refusal {
	effort := m.Default
	if f.Effort != nil {
		effort = *f.Effort
	}
	switch {
	case m.Elsewhere:
		return refusedFor("model_not_found", "This is not a chat model and thus not supported in the v1/chat/completions endpoint.")
	case f.Effort != nil && !m.Reasons():
		return refusedFor("unknown_parameter", "Unrecognized request argument supplied: reasoning_effort")
	case f.Effort != nil && !m.Offers(effort):
		return refusedFor("unsupported_value", "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %s.",
			effort, f.Model, strings.Join(m.Efforts, ", "))
	case len(f.Tools) > 0 && !m.Tools.Takes(effort):
		return refusedFor("", "Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. "+
			"To use function tools, use /v1/responses or set reasoning_effort to 'none'.", f.Model)
	}
	return f.parameters(m, effort)
}

// parameters checks those that a model takes or not.
func (f *form) parameters(m family.Family, effort string) *refusal {
	unsupported := func(what, instead string) *refusal {
		return refusedFor("unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.%s", what, instead)
	}
	schema := f.ResponseFormat != nil && f.ResponseFormat.Type == "json_schema"
	switch {
	case f.MaxTokens != nil && m.Reasons():
		return unsupported("max_tokens", " Use 'max_completion_tokens' instead.")
	case f.Temperature != nil && *f.Temperature != 1 && !m.Temperature.Takes(effort):
		return refusedFor("unsupported_value", "Unsupported value: 'temperature' does not support %v with this model.", *f.Temperature)
	case f.Parallel != nil && !m.Parallel.Takes(effort):
		return unsupported("parallel_tool_calls", "")
	case f.Verbosity != nil && !m.Verbosity:
		return unsupported("verbosity", "")
	case schema && !m.Strict:
		return unsupported("response_format", "")
	}
	return nil
}
