package structured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// MaxAnswer bounds an answer that is read, in bytes.
const MaxAnswer = 1 << 16

// Bounds of what is told of a bad answer: how many faults, and letters in all.
const (
	maxFaults = 8
	maxTold   = 600
)

// Check reports what keeps an answer from following its schema, up to eight faults, each with its place. An answer is one JSON value
// and nothing else. The faults go to a model and into logs: they name places, bounds and types, and repeat no text of the answer.
func Check(schema, answer json.RawMessage) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	const name = "schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, document); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	v, err := parseAnswer(answer)
	if err != nil {
		return err
	}
	var wrong *jsonschema.ValidationError
	if err := compiled.Validate(v); !errors.As(err, &wrong) {
		return err
	}
	told := slices.Sorted(slices.Values(faults(wrong)))
	return errors.New(clip(strings.Join(told[:min(len(told), maxFaults)], "; "), maxTold))
}

var english = message.NewPrinter(language.English)

// faults are the single things that are wrong, each with its place.
func faults(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		place := strings.Join(e.InstanceLocation, ".")
		if place == "" {
			place = "the answer"
		}
		return []string{place + ": " + e.ErrorKind.LocalizedString(english)}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, faults(cause)...)
	}
	return all
}

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

// AtMost says that a text of an answer is too long, in characters and in words for Repair. Schemas that models are held to know no
// lengths, so those who read an answer look at them.
func AtMost(name, text string, n int) error {
	if utf8.RuneCountInString(text) > n {
		return fmt.Errorf("%s must have at most %d characters", name, n)
	}
	return nil
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
