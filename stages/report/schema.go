package report

import (
	_ "embed" // the descriptions
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// SchemaID names the published schema.
const SchemaID = "https://github.com/vivavoice/viva/docs/report.schema.json"

// descriptions are the comments of report.go, by type and key: "Report.status". A test writes the file from the source.
//
//go:embed descriptions.json
var descriptions []byte

// enums are the closed sets of values, by type and key.
var enums = map[string][]string{
	"Report.version": {Version}, "Report.status": {Complete, Partial, Unscored}, "Stage.status": {Held, Skipped, NotReached},
	"Finding.basis": {ByThreshold, ByRank, ByEvidence, ByCheck}, "Span.speaker": {"candidate", "agent"}, "Turn.speaker": {"candidate", "agent"},
	"Point.kind": {PointTold, PointCovered, PointAsked, PointRight, PointWrong, PointOpen},
	"Event.kind": {"handoff", "interruption", "timer", "silence", "away", "back", "no_words", "end"},
}

// node is a schema or a part of one; its keys come out in this order.
type node struct {
	Schema      string           `json:"$schema,omitempty"`
	ID          string           `json:"$id,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Type        string           `json:"type,omitempty"`
	Format      string           `json:"format,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	Minimum     *float64         `json:"minimum,omitempty"`
	Maximum     *float64         `json:"maximum,omitempty"`
	Items       *node            `json:"items,omitempty"`
	Properties  map[string]*node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	More        any              `json:"additionalProperties,omitempty"` // false, or the schema of every value
	Defs        map[string]*node `json:"$defs,omitempty"`
}

// Schema returns the JSON Schema (draft 2020-12) of a report as JSON. It is made from the types, so it cannot differ.
func Schema() ([]byte, error) {
	b := drafter{defs: make(map[string]*node)}
	if err := json.Unmarshal(descriptions, &b.texts); err != nil {
		return nil, fmt.Errorf("read the descriptions of the schema: %w", err)
	}
	root := b.object(reflect.TypeFor[Report]())
	root.Schema, root.ID, root.Title = "https://json-schema.org/draft/2020-12/schema", SchemaID, "A report of Viva"
	root.Defs = b.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(text, '\n'), nil
}

type drafter struct {
	texts map[string]string
	defs  map[string]*node
}

func (b *drafter) object(t reflect.Type) *node {
	n := &node{Type: "object", Description: b.texts[t.Name()], Properties: make(map[string]*node), More: false}
	b.fields(n, t)
	return n
}

// fields adds the keys of a type, those of embedded types included.
func (b *drafter) fields(n *node, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			b.fields(n, f.Type)
			continue
		}
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := t.Name() + "." + key
		p := b.value(f.Type, at)
		p.Description = b.texts[at]
		n.Properties[key] = p
		if !strings.Contains(options, "omit") {
			n.Required = append(n.Required, key)
		}
	}
}

func (b *drafter) value(t reflect.Type, at string) *node {
	if t == reflect.TypeFor[time.Time]() {
		return &node{Type: "string", Format: "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.value(t.Elem(), at)
	case reflect.Struct:
		if _, known := b.defs[t.Name()]; !known {
			b.defs[t.Name()] = nil
			b.defs[t.Name()] = b.object(t)
		}
		return &node{Ref: "#/$defs/" + t.Name()}
	case reflect.Slice:
		return &node{Type: "array", Items: b.value(t.Elem(), "")}
	case reflect.Map:
		return &node{Type: "object", More: b.value(t.Elem(), "")}
	case reflect.Bool:
		return &node{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return &node{Type: "integer"}
	case reflect.Float64:
		n := &node{Type: "number"}
		if strings.HasSuffix(at, ".norm") || at == "Delivery.share" || at == "Quality.confidence" {
			zero, one := 0.0, 1.0
			n.Minimum, n.Maximum = &zero, &one
		}
		return n
	default:
		return &node{Type: "string", Enum: enums[at]}
	}
}
