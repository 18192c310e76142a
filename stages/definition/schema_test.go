package definition_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
)

var update = flag.Bool("update", false, "write descriptions.json and docs/interview.schema.json")

const (
	described = "descriptions.json"
	published = "../../docs/interview.schema.json"
)

// The comments in the source are the schema's descriptions: every key has one, and descriptions.json holds them.
func TestDescriptionsAreTheComments(t *testing.T) {
	texts := make(map[string]string)
	for _, file := range []string{"definition.go", "parts.go", "../facts/facts.go"} {
		comments(t, file, texts)
	}
	want, err := json.MarshalIndent(texts, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	same(t, described, append(want, '\n'))
}

// comments notes the comment of every type, and of every field that has a key.
func comments(t *testing.T, file string, texts map[string]string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	tag := regexp.MustCompile(`yaml:"([a-z_]+)"`)
	for _, decl := range tree.Decls {
		types, ok := decl.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			name := spec.(*ast.TypeSpec).Name.Name
			block, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType)
			if !ok {
				continue
			}
			texts[name] = line(types.Doc.Text())
			var last string
			for _, field := range block.Fields.List {
				text := line(field.Doc.Text() + " " + field.Comment.Text())
				if text == "" && len(field.Names) > 0 && strings.Contains(last, field.Names[0].Name) {
					text = last // one comment about several keys
				}
				last = text
				if field.Tag == nil {
					continue
				}
				if m := tag.FindStringSubmatch(field.Tag.Value); m != nil && text != "" {
					texts[name+"."+m[1]] = text
				}
			}
		}
	}
}

var numbers = regexp.MustCompile(`\s*\((acceptance )?R[0-9X][^)]*\)`)

// line puts a comment on one line, without the numbers of requirements.
func line(text string) string {
	return numbers.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
}

// same compares a file with what it should hold, or writes it.
func same(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the source says (%v); write it anew: go test ./stages/definition -run 'Descriptions|Published' -update, twice\n%s",
			file, err, cmp.Diff(string(got), string(want)))
	}
}

// The schema that is published is the one of the code.
func TestPublishedSchema(t *testing.T) {
	text, err := definition.Schema()
	if err != nil {
		t.Fatal(err)
	}
	same(t, published, text)
}

func schema(t *testing.T) map[string]any {
	t.Helper()
	text, err := definition.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Every shipped kind follows the schema, and what Parse calls a mistake of shape breaks it.
func TestSchemaAgreesWithParse(t *testing.T) {
	s := schema(t)
	files, err := fs.Glob(kinds.FS(), "*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(kinds.FS(), file)
		if err != nil {
			t.Fatal(err)
		}
		if faults := follows(s, s, data(t, text), ""); len(faults) > 0 {
			t.Errorf("%s: %v", file, faults)
		}
	}
	good, err := fs.ReadFile(kinds.FS(), "conversation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ old, new, fault string }{
		{"done: {intent: end}", "done: {intend: end}", "stages[0].done.intend: not known"},
		{"done: {intent: end}", "done: {intent: endd}", "stages[0].done.intent: none of"},
		{"done: {intent: end}", "done: {intent: end, turns: 3}", "stages[0].done: too many keys"},
		{"turn_time: 120s", "turn_time: 120", "stages[0].limits.turn_time: no string"},
		{"turn_time: 120s", "turn_time: soon", "stages[0].limits.turn_time: does not match"},
		{"followups: 100000", "followups: -1", "stages[0].limits.followups: below"},
		{"do: advance", "do: shout", "stages[0].no_input[2].do: none of"},
		{"locales: [en]", "locales: en", "locales: no array"},
		{"title: Open conversation", "titel: Open conversation", "titel: not known"},
		{"final: true", "final: often", "stages[1].final: no boolean"},
	} {
		text := strings.Replace(string(good), change.old, change.new, 1)
		faults := follows(s, s, data(t, []byte(text)), "")
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, change.fault) }) {
			t.Errorf("%s: the schema finds %v, want %s", change.new, faults, change.fault)
		}
		if _, err := definition.Parse("x.yaml", []byte(text)); err == nil {
			t.Errorf("%s: Parse finds nothing wrong", change.new)
		}
	}
}

// Every key that can be written is described, for those who write.
func TestEveryKeyIsDescribed(t *testing.T) {
	s := schema(t)
	blocks := map[string]any{"Definition": s}
	for name, block := range s["definitions"].(map[string]any) {
		blocks[name] = block
	}
	if len(blocks) < 15 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for name, block := range blocks {
		for key, value := range block.(map[string]any)["properties"].(map[string]any) {
			text, _ := value.(map[string]any)["description"].(string)
			if text == "" {
				t.Errorf("%s.%s has no comment", name, key)
			}
		}
	}
}

func data(t *testing.T, text []byte) any {
	t.Helper()
	raw, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// follows is as much of JSON Schema as the published one uses.
func follows(root, s map[string]any, v any, at string) (faults []string) {
	fault := func(text string) { faults = append(faults, at+": "+text) }
	if ref, ok := s["$ref"].(string); ok {
		return follows(root, root["definitions"].(map[string]any)[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any), v, at)
	}
	for _, part := range list(s["allOf"]) {
		faults = append(faults, follows(root, part.(map[string]any), v, at)...)
	}
	if kind, ok := s["type"].(string); ok && !isOf(kind, v) {
		fault("no " + kind)
		return faults
	}
	if enum := list(s["enum"]); enum != nil && !slices.Contains(enum, v) {
		fault(fmt.Sprintf("none of %v", enum))
	}
	if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(fmt.Sprint(v)) {
		fault("does not match " + p)
	}
	if least, ok := s["minimum"].(float64); ok && v.(float64) < least {
		fault("below the minimum")
	}
	switch x := v.(type) {
	case []any:
		for i, item := range x {
			faults = append(faults, follows(root, s["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		faults = append(faults, followsBlock(root, s, x, at)...)
	}
	return faults
}

func followsBlock(root, s, block map[string]any, at string) (faults []string) {
	if most, ok := s["maxProperties"].(float64); ok && len(block) > int(most) {
		faults = append(faults, at+": too many keys")
	}
	for _, key := range list(s["required"]) {
		if _, there := block[key.(string)]; !there {
			faults = append(faults, fmt.Sprintf("%s: %s is missing", at, key))
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for key, value := range block {
		inner := strings.TrimPrefix(at+"."+key, ".")
		if p, known := properties[key].(map[string]any); known {
			faults = append(faults, follows(root, p, value, inner)...)
		} else if more, open := s["additionalProperties"].(map[string]any); open {
			faults = append(faults, follows(root, more, value, inner)...)
		} else if s["additionalProperties"] == false {
			faults = append(faults, inner+": not known")
		}
	}
	return faults
}

func list(v any) []any { l, _ := v.([]any); return l }

func isOf(kind string, v any) bool {
	switch x := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && x == float64(int(x))
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// The closed sets that definitions choose from are those that there are.
func TestClosedSetsAreThoseOfTheCode(t *testing.T) {
	want := append([]string{definition.ByProvider}, registry.Names()...)
	got := slices.Clone(definition.Evaluators)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("evaluators:\n%s", diff)
	}
	for _, name := range definition.Comparing {
		if !slices.Contains(want, name) {
			t.Errorf("nobody is called %s", name)
		}
	}
	for _, lang := range []string{"en", "zh", "vi"} {
		rules, err := understand.Load(understand.Shipped(), lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range definition.Lexicons {
			if !rules.Lexicon(name) {
				t.Errorf("the rules for %s have no word list %s", lang, name)
			}
		}
	}
	for _, intent := range []understand.Intent{understand.Done, understand.Think, understand.Repeat, understand.Refuse, understand.End,
		understand.Answer, understand.Frustrated, understand.Skip, understand.Hint, understand.Yes, understand.No} {
		if !slices.Contains(definition.Intents, string(intent)) {
			t.Errorf("no guard can wait for the intent %s", intent)
		}
	}
}
