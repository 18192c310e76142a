// Package strict checks JSON Schemas against the subset that OpenAI holds replies to ("strict": true). The service refuses a
// request with any other schema, so what is sent is checked in tests, and by the stub that stands in for the service.
//
// The subset is that of developers.openai.com/api/docs/guides/structured-outputs ("Supported schemas"), read in November 2026:
// keywords that are not listed there are refused here, minLength and maxLength among them. Azure's list is shorter still: it
// has none of the bounds of numbers, strings and arrays (learn.microsoft.com, "Structured outputs"), which Bounds tells apart.
// The service's limits of size are far beyond any schema here, and not checked.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxDepth is how deep objects and lists may lie.
const maxDepth = 10

// Bounds are the keywords of the subset that bound a value. Azure OpenAI refuses them.
func Bounds() []string {
	return []string{
		"pattern", "format", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "minItems", "maxItems",
	}
}

// formats are the values of "format".
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// keywords are all that a schema may hold, by the JSON type of a value that they go with; "" goes with any.
var keywords = map[string]string{
	"type": "", "description": "", "title": "", "enum": "", "const": "", "anyOf": "", "$ref": "", "$defs": "", "definitions": "",
	"$schema": "", "$id": "", "$anchor": "", "$comment": "",
	"properties": "object", "required": "object", "additionalProperties": "object",
	"items": "array", "minItems": "array", "maxItems": "array",
	"pattern": "string", "format": "string",
	"multipleOf": "number", "maximum": "number", "exclusiveMaximum": "number", "minimum": "number", "exclusiveMinimum": "number",
}

// Check says all that the service would refuse in a schema, with where it stands; nil = it is in the subset.
func Check(schema json.RawMessage) error {
	var root map[string]any
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		return fmt.Errorf("the schema is not a JSON object: %w", err)
	}
	c := &checker{}
	if root["type"] != "object" {
		c.wrong("", `the type at the top must be "object"`)
	}
	if _, is := root["anyOf"]; is {
		c.wrong("", "anyOf must not stand at the top")
	}
	c.schema("", root, 0)
	return errors.Join(c.errs...)
}

type checker struct{ errs []error }

func (c *checker) wrong(at, what string) {
	if at == "" {
		at = "the schema"
	}
	c.errs = append(c.errs, fmt.Errorf("%s: %s", at, what))
}

func (c *checker) schema(at string, v any, depth int) {
	s, is := v.(map[string]any)
	if !is {
		c.wrong(at, "is no schema")
		return
	}
	if depth > maxDepth {
		c.wrong(at, fmt.Sprintf("lies more than %d levels deep", maxDepth))
		return
	}
	types := c.types(at, s)
	for _, k := range slices.Sorted(maps.Keys(s)) {
		of, known := keywords[k]
		switch {
		case !known:
			c.wrong(at, fmt.Sprintf("%q is not permitted", k))
		case of != "" && !slices.Contains(types, of):
			c.wrong(at, fmt.Sprintf("%q does not go with the type %s", k, strings.Join(types, ", ")))
		}
	}
	c.values(at, s)
	if slices.Contains(types, "object") {
		c.object(at, s, depth)
	}
	if slices.Contains(types, "array") {
		c.array(at, s, depth)
	}
	for _, k := range []string{"$defs", "definitions"} {
		c.named(at+"/"+k, s[k], depth)
	}
	if choices, is := s["anyOf"].([]any); is {
		for i, choice := range choices {
			c.schema(fmt.Sprintf("%s/anyOf/%d", at, i), choice, depth)
		}
	}
}

// types are the types that a schema allows, integer as number.
func (c *checker) types(at string, s map[string]any) []string {
	var names []any
	switch t := s["type"].(type) {
	case string:
		names = []any{t}
	case []any:
		names = t
	case nil:
		for _, instead := range []string{"anyOf", "$ref", "enum", "const"} {
			if _, is := s[instead]; is {
				return nil
			}
		}
		c.wrong(at, "has no type")
	default:
		c.wrong(at, "type is neither a name nor a list")
	}
	var out []string
	for _, n := range names {
		switch name, _ := n.(string); name {
		case "integer":
			out = append(out, "number")
		case "object", "array", "string", "number", "boolean", "null":
			out = append(out, name)
		default:
			c.wrong(at, fmt.Sprintf("%v is no type", n))
		}
	}
	return out
}

// values checks what a value may be.
func (c *checker) values(at string, s map[string]any) {
	if list, is := s["enum"].([]any); is && len(list) == 0 {
		c.wrong(at, "enum is empty")
	}
	if format, is := s["format"].(string); is && !slices.Contains(formats, format) {
		c.wrong(at, fmt.Sprintf("the format %q is not permitted", format))
	}
}

func (c *checker) object(at string, s map[string]any, depth int) {
	if s["additionalProperties"] != false {
		c.wrong(at, "additionalProperties must be there, and false")
	}
	properties, is := s["properties"].(map[string]any)
	if !is {
		c.wrong(at, "properties is missing")
	}
	required := make(map[string]bool)
	list, is := s["required"].([]any)
	if _, there := s["required"]; there && !is {
		c.wrong(at, "required must be a list")
	}
	for _, name := range list {
		text, _ := name.(string)
		required[text] = true
		if _, there := properties[text]; !there {
			c.wrong(at, fmt.Sprintf("%v is required but no property", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !required[name] {
			c.wrong(at, fmt.Sprintf("%s must be in required: an optional field is one that may be null", name))
		}
	}
	c.named(at, s["properties"], depth+1)
}

// named checks schemas that have names: properties, definitions.
func (c *checker) named(at string, v any, depth int) {
	all, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c.schema(at+"/"+name, all[name], depth)
	}
}

func (c *checker) array(at string, s map[string]any, depth int) {
	items, there := s["items"]
	if !there {
		c.wrong(at, "items is missing")
		return
	}
	c.schema(at+"/items", items, depth+1)
}
