// Package kinds ships the interviews that come with Viva. Each definition is a file, whose name is the kind's id; what only one of them
// needs besides lies in a folder of its own. The engine imports none of them: Options hands them over.
package kinds

import (
	"embed"
	"fmt"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/kinds/persona"
	"github.com/vivavoice/viva/stages/understand"
)

//go:embed *.yaml
var files embed.FS

// FS returns the shipped definitions, one <kind>.yaml each.
func FS() embed.FS { return files }

// Default is the kind that a job without metadata gets.
const Default = "two_stage"

// New joins a definition with its words, its rules and what the shipped kinds hold for it; the options come after those of the kinds.
func New(def *definition.Definition, words *prompts.Catalogue, rules *understand.Rules, options ...engine.Option) (*engine.Interview, error) {
	own, err := Options(def)
	if err != nil {
		return nil, err
	}
	return engine.New(def, words, rules, append(own, options...)...)
}

// Options returns what the engine needs of the kinds to hold an interview by this definition, which names what takes part.
func Options(def *definition.Definition) ([]engine.Option, error) {
	experts, err := Experts(def)
	if err != nil {
		return nil, fmt.Errorf("interview %s: %w", def.Kind, err)
	}
	options := []engine.Option{engine.WithExperts(experts)}
	if def.Personas != nil {
		people, err := persona.Shipped()
		if err != nil {
			return nil, fmt.Errorf("interview %s: load the personas: %w", def.Kind, err)
		}
		options = append(options, engine.WithPersonas(people.Cast), engine.WithRoles(persona.RoleSheet))
	}
	return options, nil
}

// Experts returns the experts that a definition may name: those of the algorithm interview and, where candidates choose who interviews,
// the two of a persona interview.
func Experts(def *definition.Definition) (*expert.Registry, error) {
	experts, err := coach.Experts()
	if err != nil {
		return nil, fmt.Errorf("load the experts of the algorithm interview: %w", err)
	}
	if def.Personas != nil {
		two, err := persona.Experts(*def.Personas)
		if err != nil {
			return nil, fmt.Errorf("load the experts of persona interviews: %w", err)
		}
		experts = append(experts, two...)
	}
	return expert.NewRegistry(experts...)
}
