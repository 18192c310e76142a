package strict_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/openai/strict"
)

func object(properties, required string) string {
	return fmt.Sprintf(`{"type":"object","additionalProperties":false,"properties":{%s},"required":[%s]}`, properties, required)
}

func TestCheck(t *testing.T) {
	deep := `{"type":"string"}`
	for range 12 {
		deep = object(`"a":`+deep, `"a"`)
	}
	for _, c := range []struct{ name, schema, wrong string }{
		{"empty", object("", ""), ""},
		{"all kinds", object(`"s":{"type":"string","description":"x","pattern":"^a","format":"date"},"n":{"type":["number","null"],"minimum":0,"maximum":1},`+
			`"i":{"type":"integer","multipleOf":2},"b":{"type":"boolean"},"e":{"type":"string","enum":["","a"]},"c":{"const":"x"},`+
			`"a":{"type":"array","minItems":1,"maxItems":3,"items":`+object("", "")+`},"u":{"anyOf":[{"type":"string"},{"type":"null"}]},`+
			`"r":{"$ref":"#/$defs/d"}`, `"s","n","i","b","e","c","a","u","r"`), ""},
		{"a property called like a keyword", object(`"maxLength":{"type":"string"}`, `"maxLength"`), ""},
		{"maxLength", object(`"a":{"type":"string","maxLength":3}`, `"a"`), `/a: "maxLength" is not permitted`},
		{"default", object(`"a":{"type":"string","default":""}`, `"a"`), `"default" is not permitted`},
		{"allOf", object(`"a":{"type":"string","allOf":[]}`, `"a"`), `"allOf" is not permitted`},
		{"oneOf", object(`"a":{"oneOf":[]}`, `"a"`), `"oneOf" is not permitted`},
		{"uniqueItems", object(`"a":{"type":"array","uniqueItems":true,"items":{"type":"string"}}`, `"a"`), `"uniqueItems" is not permitted`},
		{"no items", object(`"a":{"type":"array"}`, `"a"`), "items is missing"},
		{"open", `{"type":"object","properties":{},"required":[]}`, "additionalProperties must be there"},
		{"open inside", object(`"a":{"type":"object","properties":{},"required":[],"additionalProperties":true}`, `"a"`), "/a: additionalProperties"},
		{"open in an array", object(`"a":{"type":"array","items":{"type":"object","properties":{}}}`, `"a"`), "/a/items: additionalProperties"},
		{"open in a choice", object(`"a":{"anyOf":[{"type":"object"}]}`, `"a"`), "/a/anyOf/0: additionalProperties"},
		{"open in a definition", `{"type":"object","additionalProperties":false,"properties":{},"$defs":{"d":{"type":"object"}}}`, "/$defs/d: additionalProperties"},
		{"optional", object(`"a":{"type":"string"}`, ``), "a must be in required"},
		{"required but not there", object("", `"a"`), "a is required but no property"},
		{"required is null", `{"type":"object","properties":{},"required":null,"additionalProperties":false}`, "required must be a list"},
		{"not an object", `{"type":"array","items":{"type":"string"}}`, `the type at the top must be "object"`},
		{"a choice at the top", `{"type":"object","anyOf":[],"additionalProperties":false,"properties":{}}`, "anyOf must not stand at the top"},
		{"no type", object(`"a":{"description":"x"}`, `"a"`), "/a: has no type"},
		{"unknown type", object(`"a":{"type":"text"}`, `"a"`), "text is no type"},
		{"a bound on the wrong type", object(`"a":{"type":"string","maximum":1}`, `"a"`), `"maximum" does not go with the type string`},
		{"unknown format", object(`"a":{"type":"string","format":"uri"}`, `"a"`), `the format "uri" is not permitted`},
		{"too deep", deep, "levels deep"},
		{"no JSON", `{`, "not a JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := strict.Check(json.RawMessage(c.schema))
			switch {
			case c.wrong == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("got %v, want %q", err, c.wrong)
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	err := strict.Check(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","minLength":1},"b":{"type":"array"}}}`))
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("%d problems, want 5:\n%v", n, err)
	}
}
