package engine

import (
	"fmt"
	"strings"

	"github.com/vivavoice/viva/stages/problem"
)

// castExperts chooses the experts that the definition names, and checks that exactly one leads each stage that has them
// (R003-10).
func (iv *Interview) castExperts() error {
	led := iv.Def.Led()
	if len(led) == 0 {
		iv.Experts = nil
		return nil
	}
	if iv.Experts == nil {
		return fmt.Errorf("interview %s: experts lead %s, and none were given: use WithExperts", iv.Def.Kind, strings.Join(led, ", "))
	}
	some, err := iv.Experts.Only(iv.Def.Experts)
	if err != nil {
		return err
	}
	iv.Experts = some
	return some.Check(led)
}

// castProblems loads the problems of the definition's set.
func (iv *Interview) castProblems() error {
	wanted := iv.Def.Problems
	if wanted == nil || iv.Problems != nil {
		return nil
	}
	set, err := problem.Load(wanted.Set, problem.Shipped())
	if err != nil {
		return fmt.Errorf("interview %s: %w", iv.Def.Kind, err)
	}
	iv.Problems = set
	return nil
}
