package definition

import (
	_ "embed" // the descriptions
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// SchemaID names the published schema.
const SchemaID = "https://github.com/vivavoice/viva/docs/interview.schema.json"

// descriptions are the comments of the fields, by type and key: "Stage.goal". A test writes the file from the source.
//
//go:embed descriptions.json
var descriptions []byte

// node is a schema or a part of one. Its keys come out in the order in which they stand here.
type node struct {
	Schema      string           `json:"$schema,omitempty"`
	ID          string           `json:"$id,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        any              `json:"type,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	Minimum     *float64         `json:"minimum,omitempty"`
	Maximum     *float64         `json:"maximum,omitempty"`
	MinItems    int              `json:"minItems,omitempty"`
	MaxProps    int              `json:"maxProperties,omitempty"`
	Items       *node            `json:"items,omitempty"`
	AllOf       []node           `json:"allOf,omitempty"`
	Properties  map[string]*node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	More        any              `json:"additionalProperties,omitempty"` // false, or the schema of every value
	Definitions map[string]*node `json:"definitions,omitempty"`
}

// durationPattern is what time.ParseDuration takes, without signs.
const durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

// Schema returns the JSON Schema (draft 7) of a definition file, for editors that complete and check as one types. It is
// made from the types here, so it cannot differ from what Parse takes; what only sense can check, Parse does.
func Schema() ([]byte, error) {
	b := builder{nodes: make(map[string]*node)}
	if err := json.Unmarshal(descriptions, &b.texts); err != nil {
		return nil, fmt.Errorf("read the descriptions of the schema: %w", err)
	}
	root := b.object(reflect.TypeFor[Definition]())
	root.Schema, root.ID, root.Title = "http://json-schema.org/draft-07/schema#", SchemaID, "An interview of Viva"
	root.Definitions = b.nodes
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(text, '\n'), nil
}

type builder struct {
	texts map[string]string
	nodes map[string]*node
}

// object describes a block of keys.
func (b *builder) object(t reflect.Type) *node {
	n := &node{Type: "object", Description: b.texts[t.Name()], Properties: make(map[string]*node), Required: required[t.Name()], More: false}
	for i := range t.NumField() {
		field := t.Field(i)
		key := yamlKey(field)
		if key == "" {
			continue
		}
		at := t.Name() + "." + key
		inner := b.value(field.Type, at)
		if inner.Ref != "" {
			inner = &node{AllOf: []node{{Ref: inner.Ref}}} // beside a $ref nothing else counts
		}
		inner.Description = b.texts[at]
		n.Properties[key] = inner
	}
	if t == reflect.TypeFor[Guard]() {
		n.MaxProps = 1
	}
	return n
}

// value describes what stands behind the key at.
func (b *builder) value(t reflect.Type, at string) *node {
	if t == reflect.TypeFor[Duration]() {
		return &node{Type: "string", Pattern: durationPattern}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.value(t.Elem(), at)
	case reflect.Struct:
		if _, known := b.nodes[t.Name()]; !known {
			b.nodes[t.Name()] = nil // a type may hold itself
			b.nodes[t.Name()] = b.object(t)
		}
		return &node{Ref: "#/definitions/" + t.Name()}
	case reflect.Slice:
		n := &node{Type: "array", Items: b.value(t.Elem(), at)}
		if at == "Definition.locales" || at == "Definition.stages" {
			n.MinItems = 1
		}
		return n
	case reflect.Map:
		return &node{Type: "object", More: b.value(t.Elem(), at)}
	}
	return b.scalar(t.Kind(), at)
}

func (b *builder) scalar(k reflect.Kind, at string) *node {
	zero, one := 0.0, 1.0
	switch k {
	case reflect.Bool:
		return &node{Type: "boolean"}
	case reflect.Int:
		n := &node{Type: "integer", Minimum: &zero}
		if at == signed {
			n.Minimum = nil
		}
		return n
	case reflect.Float64:
		n := &node{Type: "number", Minimum: &zero}
		if slices.Contains(shares, at) {
			n.Maximum = &one
		}
		return n
	}
	n := &node{Type: "string", Enum: choices[at].words}
	if p, named := patterns[at]; named {
		n.Pattern = p.String()
	}
	if at == "Var.default" || at == "Definition.version" {
		n.Type = []string{"string", "number", "boolean"} // 1 and yes are read as text
	}
	return n
}
