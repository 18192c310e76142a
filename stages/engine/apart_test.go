package engine

import "testing"

const python = "def pair(prices, card):\n    seen = {}\n    for i, p in enumerate(prices):\n        if card - p not in seen:\n            seen[p] = i\n            continue\n" +
	"        return [seen[card - p], i]\n\n    return []"

// RM-5: code in a turn is code, with its lines; words about it, lists and poems are words.
func TestCodeIsToldApart(t *testing.T) {
	for text, want := range map[string][2]string{
		python:                                   {"", python},
		"This is it:\n" + python + "\nIs it ok?": {"This is it:\nIs it ok?", python},
		"I would do\n```\nwalk the list\nskip what is seen\n```\nand stop.": {"I would do\nand stop.", "```\nwalk the list\nskip what is seen\n```"},
		"for (let i = 0; i < n; i++) {\n  stop();\n}":                       {"", "for (let i = 0; i < n; i++) {\n  stop();\n}"},
		"First I compare them.\nThen I skip the rest.\nAnd return it.":      {"First I compare them.\nThen I skip the rest.\nAnd return it.", ""},
		"It costs n = 5 lookups.\nCan we go on?":                            {"It costs n = 5 lookups.\nCan we go on?", ""},
		"let me think":                                                      {"let me think", ""},
		"- one server\n- two caches\n- a queue":                             {"- one server\n- two caches\n- a queue", ""},
	} {
		words, code := apart(text)
		if words != want[0] || code != want[1] {
			t.Errorf("%q:\nwords %q, want %q\ncode %q, want %q", text, words, want[0], code, want[1])
		}
	}
	if got := fenced("My code:\n" + python); got != "My code:\n```\n"+python+"\n```" {
		t.Errorf("a model is shown %q", got)
	}
}
