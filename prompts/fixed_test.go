package prompts

import (
	"testing"
	"testing/fstest"
)

func TestFixed(t *testing.T) {
	c, err := Load(fstest.MapFS{"x/en.yaml": {Data: []byte(`
intro:
  say: ["What do you do?  Tell me more.", "Hello{{with .Name}}, {{.}}{{end}}."]
  reprompt: ["Take your time."]
`)}}, "x", "en")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"What do you do?": true, "Tell me more.": true, "What do you do? Tell me more.": true, "Take your time.": true,
		"Hello": false, "Hello, Ada.": false, "You are a gardener.": false,
	} {
		if got := c.Fixed(text); got != want {
			t.Errorf("Fixed(%q) = %v, want %v", text, got, want)
		}
	}
}
