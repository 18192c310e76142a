package structured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxAnswer bounds a model's answer in bytes.
const MaxAnswer = 1 << 16

// schema is the part of JSON Schema (draft 2020-12) that Viva's own schemas use. A keyword that is not here makes Check
// fail: a rule that is silently ignored holds nothing.
type schema struct {
	Description string            `json:"description"`
	Type        types             `json:"type"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Additional  *bool             `json:"additionalProperties"`
	Items       *schema           `json:"items"`
	MaxItems    *int              `json:"maxItems"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	Enum        []any             `json:"enum"`
}

// types is one type's name or a list of them.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.Unmarshal(b, &(*t)[0])
}

func parseSchema(raw json.RawMessage) (*schema, error) {
	var s schema
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return &s, nil
}

// parseAnswer decodes exactly one JSON value.
func parseAnswer(raw json.RawMessage) (any, error) {
	if len(raw) > MaxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes; at most %d are read", len(raw), MaxAnswer)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON object")
	}
	return v, nil
}

// Object finds the JSON object in a model's text, which may stand in a code fence or between words. The result is not
// checked against anything.
func Object(text string) (json.RawMessage, error) {
	if len(text) > MaxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes; at most %d are read", len(text), MaxAnswer)
	}
	b := []byte(text)
	start := bytes.IndexByte(b, '{')
	if start < 0 {
		return nil, errors.New("there is no JSON object in the answer")
	}
	var raw json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(b[start:])).Decode(&raw); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	return raw, nil
}
