package simulate_test

import (
	"testing"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
)

// shipped loads an interview in one of its languages.
func shipped(t testing.TB, kind, locale string) *engine.Interview {
	t.Helper()
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	return join(t, defs[kind], locale)
}

func join(t testing.TB, def *definition.Definition, locale string) *engine.Interview {
	t.Helper()
	words, err := prompts.Load(prompts.Shipped(), def.Catalogue(), locale)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), locale)
	if err != nil {
		t.Fatal(err)
	}
	iv, err := kinds.New(def, words, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}
