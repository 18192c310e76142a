package structured_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/structured"
)

// FuzzObject: what is found in a model's words is a JSON object of them, and nothing that is too long is looked at.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{"```json\n{\"a\":1}\n```", `Sure! {"a":{"b":[1,2]}} and {`, `{`, `}{`, ``, strings.Repeat("[", 20_000) + "{", strings.Repeat(`{"a":`, 12_000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := structured.Object(text)
		if err != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(raw, &object); err != nil || !strings.Contains(text, string(raw)) || len(text) > structured.MaxAnswer {
			t.Errorf("%q of %q: %v", raw, text, err)
		}
	})
}

// FuzzCheck: an answer that passes a schema has what the schema asks for.
func FuzzCheck(f *testing.F) {
	const schema = `{"type":"object","additionalProperties":false,"required":["level","quotes"],"properties":{
		"level":{"type":["integer","null"],"minimum":1,"maximum":5},
		"quotes":{"type":"array","maxItems":3,"items":{"type":"string"}},
		"kind":{"type":"string","enum":["a","b"]}}}`
	for _, seed := range []string{
		`{"level":3,"quotes":["x"]}`, `{"level":null,"quotes":[],"kind":"b"}`, `{"level":3.5,"quotes":[]}`, `{"level":1e2,"quotes":[]}`, `{"level":5.0,"quotes":["\ud800"]}`,
		`{"level":1,"quotes":["",1]}`, `{"level":1,"level":9,"quotes":[]}`, `{"LEVEL":9,"level":1,"quotes":[]}`, `null`, `[]`, `{} {}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		if structured.Check(json.RawMessage(schema), answer) != nil {
			return
		}
		var a struct {
			Level  *float64
			Quotes []string
			Kind   *string
		}
		if err := json.Unmarshal(answer, &a); err != nil {
			t.Fatalf("%q passes, and is not read: %v", answer, err)
		}
		if a.Level != nil && (*a.Level < 1 || *a.Level > 5) || a.Quotes == nil || len(a.Quotes) > 3 || a.Kind != nil && *a.Kind != "a" && *a.Kind != "b" {
			t.Errorf("%q passes", answer)
		}
	})
}
