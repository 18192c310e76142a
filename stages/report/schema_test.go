package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/report"
)

var update = flag.Bool("update", false, "write docs/report.schema.json and testdata/persona.md")

// comments are those of the types and their keys in these files; they describe the schema.
func comments(t *testing.T, files ...string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	for _, file := range files {
		commentsIn(t, file, texts)
	}
	return texts
}

func commentsIn(t *testing.T, file string, texts map[string]string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	tag := regexp.MustCompile(`json:"([a-z_0-9]+)`)
	flat := func(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
	for _, decl := range tree.Decls {
		types, ok := decl.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		spec := types.Specs[0].(*ast.TypeSpec)
		block, ok := spec.Type.(*ast.StructType)
		if !ok || strings.HasPrefix(spec.Name.Name, "Source") {
			continue
		}
		texts[spec.Name.Name] = flat(types.Doc)
		for _, f := range block.Fields.List {
			text := strings.TrimSpace(flat(f.Doc) + " " + flat(f.Comment))
			if f.Tag == nil || text == "" {
				continue
			}
			if m := tag.FindStringSubmatch(f.Tag.Value); m != nil {
				texts[spec.Name.Name+"."+m[1]] = text
			}
		}
	}
}

// same compares a file with what it should be, or writes it.
func same(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not up to date; run go test ./stages/report -update\n%s", file, cmp.Diff(string(got), string(want)))
	}
}

// R002-56: what is published is the schema of the types.
func TestSchemaIsPublished(t *testing.T) {
	same(t, "../../docs/report.schema.json", schema(t))
}

// Real reports follow the schema, and it refuses what is none.
func TestReportsFollowTheSchema(t *testing.T) {
	var published map[string]any
	if err := json.Unmarshal(schema(t), &published); err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]report.Source{
		"persona": persona(t), "nothing": small(t), "design": design(t), "poor": poor(t),
	} {
		var value map[string]any
		raw, err := json.Marshal(build(t, src))
		if err == nil {
			err = json.Unmarshal(raw, &value)
		}
		if err != nil {
			t.Fatal(err)
		}
		if faults := follow(published, published, value, name); len(faults) > 0 {
			t.Errorf("%s", strings.Join(faults, "\n"))
		}
		value["surprise"] = 1
		value["status"] = "wonderful"
		delete(value, "quality")
		if faults := follow(published, published, value, name); len(faults) != 3 {
			t.Errorf("a broken report has the faults %q", faults)
		}
	}
}

// follow checks a value by the rules that the published schema uses.
func follow(root, schema map[string]any, v any, path string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		schema = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, path+": "+fmt.Sprintf(format, args...)) }
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		fault("%v is none of %v", v, enum)
	}
	switch schema["type"] {
	case "object":
		o, ok := v.(map[string]any)
		if !ok {
			fault("no object")
			break
		}
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, key := range required {
			if _, there := o[key.(string)]; !there {
				fault("%s is missing", key)
			}
		}
		for key, inner := range o {
			rule, known := properties[key].(map[string]any)
			if !known {
				rule, known = schema["additionalProperties"].(map[string]any)
			}
			if !known {
				fault("%s is unknown", key)
				continue
			}
			faults = append(faults, follow(root, rule, inner, path+"."+key)...)
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			fault("no list")
		}
		for i, inner := range list {
			faults = append(faults, follow(root, schema["items"].(map[string]any), inner, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case "string":
		if _, ok := v.(string); !ok {
			fault("no string")
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			fault("no boolean")
		}
	case "number", "integer":
		f, ok := v.(float64)
		if least, bound := schema["minimum"].(float64); !ok || bound && f < least {
			fault("%v is no number, or too low", v)
		}
		if most, bound := schema["maximum"].(float64); bound && f > most {
			fault("%v is too high", v)
		}
	}
	return faults
}
