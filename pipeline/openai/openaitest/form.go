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
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	MaxTokens      *int            `json:"max_tokens"`
	Temperature    *float64        `json:"temperature"`
	Effort         *string         `json:"reasoning_effort"`
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
	for _, check := range []func() *refusal{f.messages, f.format, f.options} {
		if r := check(); r != nil {
			return r
		}
	}
	if model := family.Of(f.Model); model.Known {
		return f.of(model)
	}
	return nil
}

// messages: there are some, each with a role and content.
func (f *form) messages() *refusal {
	if len(f.Messages) == 0 {
		return refusedFor("invalid_request", "There are no messages.")
	}
	for i, m := range f.Messages {
		if !slices.Contains([]string{"system", "developer", "user", "assistant"}, m.Role) {
			return refusedFor("invalid_value", "Invalid value: '%s' is no role (messages.[%d]).", m.Role, i)
		}
		if len(m.Content) == 0 || string(m.Content) == "null" {
			return refusedFor("invalid_type", "Invalid type for 'messages[%d].content': it is missing.", i)
		}
	}
	return nil
}

// name is what a schema may be called.
var name = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

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
	case schema && !m.Strict:
		return unsupported("response_format", "")
	}
	return nil
}
