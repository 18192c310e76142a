package kinds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/kinds/persona"
)

// Those who lead a persona interview are there only where candidates choose; the others always.
func TestExpertsOfThePersonas(t *testing.T) {
	plain, err := kinds.Experts(&definition.Definition{})
	if err != nil {
		t.Fatal(err)
	}
	with, err := kinds.Experts(&definition.Definition{Personas: &definition.Personas{Menu: "m", Questions: "q"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(plain.Names(), persona.ExpertMenu, persona.ExpertQuestioner), with.Names()); diff != "" {
		t.Error(diff)
	}
	if err := with.Check([]string{"m", "q"}); err != nil {
		t.Error(err)
	}
}
