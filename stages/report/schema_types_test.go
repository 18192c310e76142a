package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/report"
)

// schemaID names the published schema.
const schemaID = "https://github.com/vivavoice/viva/docs/report.schema.json"

// enums are the closed sets of values, by type and key.
var enums = map[string][]string{
	"Report.version": {report.Version},
	"Report.status":  {report.Complete, report.Partial, report.Unscored},
	"Stage.status":   {report.Held, report.Skipped, report.NotReached},
	"Finding.basis":  {report.ByThreshold, report.ByRank, report.ByEvidence, report.ByCheck},
	"Span.speaker":   {"candidate", "agent"}, "Turn.speaker": {"candidate", "agent"},
	"Point.kind": {
		report.PointTold, report.PointCovered, report.PointAsked, report.PointRight, report.PointWrong, report.PointOpen,
	},
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

// schema is the JSON Schema (draft 2020-12) of a report as JSON. It is made from the types and their comments, so it cannot differ.
func schema(t *testing.T) []byte {
	t.Helper()
	d := drafter{texts: comments(t, "report.go", "source.go"), defs: make(map[string]*node)}
	root := d.object(reflect.TypeFor[report.Report]())
	root.Schema, root.ID, root.Title = "https://json-schema.org/draft/2020-12/schema", schemaID, "A report of Viva"
	root.Defs = d.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

type drafter struct {
	texts map[string]string // by type and key: "Report.status"
	defs  map[string]*node
}

func (d *drafter) object(t reflect.Type) *node {
	n := &node{Type: "object", Description: d.texts[t.Name()], Properties: make(map[string]*node), More: false}
	d.fields(n, t)
	return n
}

// fields adds the keys of a type, those of embedded types included.
func (d *drafter) fields(n *node, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous {
			d.fields(n, f.Type)
			continue
		}
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := t.Name() + "." + key
		p := d.value(f.Type, at)
		p.Description = d.texts[at]
		n.Properties[key] = p
		if !strings.Contains(options, "omit") {
			n.Required = append(n.Required, key)
		}
	}
}

func (d *drafter) value(t reflect.Type, at string) *node {
	if t == reflect.TypeFor[time.Time]() {
		return &node{Type: "string", Format: "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.value(t.Elem(), at)
	case reflect.Struct:
		if _, known := d.defs[t.Name()]; !known {
			d.defs[t.Name()] = nil
			d.defs[t.Name()] = d.object(t)
		}
		return &node{Ref: "#/$defs/" + t.Name()}
	case reflect.Slice:
		return &node{Type: "array", Items: d.value(t.Elem(), "")}
	case reflect.Map:
		return &node{Type: "object", More: d.value(t.Elem(), "")}
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
