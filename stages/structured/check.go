package structured

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFaults bounds how many faults of one answer are told: a repair needs the first ones.
const maxFaults = 8

// Check reports everything that keeps answer from following schema, up to eight faults, each with its path. A schema
// that uses a rule which Check does not know is an error as well. The faults go to a model and into logs: unlike those of the
// libraries for JSON Schema, they hold no values, which may be a candidate's words.
func Check(schema, answer json.RawMessage) error {
	s, err := parseSchema(schema)
	if err != nil {
		return err
	}
	v, err := parseAnswer(answer)
	if err != nil {
		return err
	}
	var f faults
	f.value(s, v, "")
	return f.err()
}

type faults struct{ list []error }

func (f *faults) add(path, format string, args ...any) {
	if path == "" {
		path = "the answer"
	}
	if len(f.list) < maxFaults {
		f.list = append(f.list, fmt.Errorf("%s "+format, append([]any{path}, args...)...))
	}
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	texts := make([]string, len(f.list))
	for i, e := range f.list {
		texts[i] = e.Error()
	}
	return errors.New(strings.Join(texts, "; "))
}

func (f *faults) value(s *schema, v any, path string) {
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return is(t, v) }) {
		f.add(path, "must be %s, not %s", strings.Join(s.Type, " or "), kind(v))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return e == scalar(v) }) {
		f.add(path, "must be one of %s", list(s.Enum))
	}
	switch v := v.(type) {
	case map[string]any:
		f.object(s, v, path)
	case []any:
		f.array(s, v, path)
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			f.add(path, "must be at least %v", *s.Minimum)
		}
		if s.Maximum != nil && v > *s.Maximum {
			f.add(path, "must be at most %v", *s.Maximum)
		}
	}
}

func (f *faults) object(s *schema, v map[string]any, path string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			f.add(under(path, name), "is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, known := s.Properties[name]
		switch {
		case known:
			f.value(&p, v[name], under(path, name))
		case s.Additional != nil && !*s.Additional:
			f.add(under(path, clip(name, 40)), "is not part of the schema")
		}
	}
}

func (f *faults) array(s *schema, v []any, path string) {
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		f.add(path, "must have at most %d entries", *s.MaxItems)
	}
	if s.Items == nil {
		return
	}
	for i, item := range v {
		f.value(s.Items, item, fmt.Sprintf("%s[%d]", path, i))
	}
}

func is(t string, v any) bool {
	if n, ok := v.(float64); ok && t == "integer" {
		return n == math.Trunc(n)
	}
	return kind(v) == t
}

func kind(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// scalar returns v, or nil's stand-in for what cannot be compared: an object or a list is in no enum.
func scalar(v any) any {
	switch v.(type) {
	case map[string]any, []any:
		return struct{}{}
	}
	return v
}

func list(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// AtMost says that a text of an answer is too long, in characters and in words for Repair. Schemas that models are held to know no
// lengths, so those who read an answer look at them.
func AtMost(name, text string, n int) error {
	if utf8.RuneCountInString(text) > n {
		return fmt.Errorf("%s must have at most %d characters", name, n)
	}
	return nil
}
