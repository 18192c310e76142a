// Package cast is who may interview, where candidates choose: people with a name, a manner and a voice. The interviews that have some
// bring them along; the engine only asks who was chosen.
//
// What is made here is read-only and may be shared.
package cast

import (
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
)

// Persona is one interviewer. Texts are by language.
type Persona struct {
	ID      string   `yaml:"id"`
	Aliases []string `yaml:"aliases"` // other ids that pages and metadata may use
	Sound   Voice    `yaml:"voice"`
	// Name is what the candidate chooses by.
	Name map[string]string `yaml:"name"`
	// Tone and Focus tell a model how to be and what to care about.
	Tone  string `yaml:"tone"`
	Focus string `yaml:"focus"`
	// Introduction is said once, before the first question; it asks nothing.
	Introduction map[string]string `yaml:"introduction"`
	// Facts are what this persona answers when it is asked, over what every interview does.
	Facts facts.Sheet `yaml:"facts"`
	// Heard are other words by which candidates choose it.
	Heard map[string][]string `yaml:"heard"`
}

// Voice is how a persona sounds.
type Voice struct {
	Speed float64           `yaml:"speed"` // the pace, 1 = normal
	Names map[string]string `yaml:"names"` // by speech engine; one that is not here takes its default
}

// Voice returns how the persona sounds with a speech engine (R002-64).
func (p *Persona) Voice(engine string) definition.Voice {
	return definition.Voice{Name: p.Sound.Names[engine], Speed: p.Sound.Speed}
}

// Called returns the persona's name in the language of the locale.
func (p *Persona) Called(locale string) string { return prompts.In(p.Name, locale) }

// Cast is those who may interview, in the order of the menu.
type Cast struct{ personas []*Persona }

// New returns a cast of these.
func New(personas ...*Persona) *Cast { return &Cast{personas: personas} }

// Personas returns them in the order of the menu.
func (c *Cast) Personas() []*Persona { return slices.Clone(c.personas) }

// Find returns the persona that a page or metadata names, by id, alias or name in any language and spelling.
func (c *Cast) Find(name string) (*Persona, bool) {
	id := datafile.ID(name)
	if id == "" {
		return nil, false
	}
	for _, p := range c.personas {
		if p.ID == id || slices.Contains(p.Aliases, id) {
			return p, true
		}
		for _, called := range p.Name {
			if datafile.ID(called) == id {
				return p, true
			}
		}
	}
	return nil, false
}

// The fields of the board about who interviews, and whom. A definition need not declare them: what it does not declare, the engine
// keeps under expert.FieldExtra.
const (
	FieldPersona  = "persona"           // id; set before the interview by dispatch, or on the page
	FieldChosenBy = "persona_chosen_by" // voice, page, metadata or default
	FieldRole     = "role"              // text: what the interview is for
	// FieldRoleAssumed says that nobody named the role: nobody is told that it is theirs.
	FieldRoleAssumed = "role_assumed" // flag
)

// By is how a persona came to be chosen.
type By string

// The ways to choose.
const (
	ByVoice    By = "voice"
	ByPage     By = "page"
	ByMetadata By = "metadata"
	ByDefault  By = "default" // nobody was, or it was left to us
)
