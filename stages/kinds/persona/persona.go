// Package persona is what a persona interview needs besides its definition: the personas with their voices and menu, and what they ask
// by rules: the generator of questions, which takes the next one from the bank of package knowledge.
//
// Everything here is pure: no clock, no goroutine, no network. What is loaded is read-only and may be shared.
package persona

import (
	"embed"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/datafile"
)

//go:embed data/*.yaml
var data embed.FS

// The personas that come with Viva. Default is who interviews when nobody was chosen (R002-5).
const (
	HR        = "hr"
	Junior    = "junior_developer"
	Senior    = "senior_developer"
	Executive = "corporate_executive"
	Default   = HR
)

// join puts sentences one after the other, as the language spaces them.
func join(locale string, sentences ...string) string {
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	if prompts.Language(locale) == "zh" {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

// Cast is the personas there are and the words around them.
type Cast struct {
	*cast.Cast
	menu  map[string]*menuWords
	words *words
}

// Open puts the introduction before the first question: they are one message (R002-7).
func Open(p *cast.Persona, locale, question string) string {
	return join(locale, prompts.In(p.Introduction, locale), question)
}

// words are those of questions.yaml.
type words struct {
	ByRole   []map[string]string `yaml:"by_role"`
	Anything []map[string]string `yaml:"anything"`
	Closing  map[string]string   `yaml:"closing"`
	// Again are the words before a question that is put once more, by occasion and language; Decline those for who does
	// not want to answer.
	Again   map[string]map[string][]string `yaml:"again"`
	Decline map[string][]string            `yaml:"decline"`
	// TakeUp are questions about a piece of the last answer, Percent those about a percentage; Introduced are first questions to who has
	// introduced themselves.
	TakeUp     map[string][]string `yaml:"take_up"`
	Percent    map[string][]string `yaml:"percent"`
	Introduced map[string][]string `yaml:"introduced"`
	// Clarify are patterns of turns that ask what is meant.
	Clarify map[string][]*regexp.Regexp `yaml:"clarify"`
	// Ready are patterns that a turn matches, all of them, which says no more than that the candidate is ready.
	Ready map[string][]*regexp.Regexp `yaml:"ready"`
}

// Shipped returns the personas that come with Viva, read once. A test holds that their data is whole.
var Shipped = sync.OnceValues(func() (*Cast, error) {
	var people struct {
		Personas []*cast.Persona `yaml:"personas"`
	}
	var menu struct {
		Menu map[string]*menuWords `yaml:"menu"`
	}
	c := &Cast{words: &words{}}
	err := errors.Join(datafile.Read(data, "data/personas.yaml", &people), datafile.Read(data, "data/menu.yaml", &menu),
		datafile.Read(data, "data/questions.yaml", c.words))
	c.Cast, c.menu = cast.New(people.Personas...), menu.Menu
	return c, err
})

// Default returns who interviews when nobody was chosen.
func (c *Cast) Default() *cast.Persona {
	if p, there := c.Find(Default); there {
		return p
	}
	return c.Personas()[0]
}
