package misconception

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
)

// Probe is a choice that people make in a subject, and the question that shows whether it was thought through. It fits whatever the
// words of the choice can mean.
type Probe struct {
	ID    string              `yaml:"id"`
	Plain map[string][]string `yaml:"plain"` // ways to name it, by language, as in Misconception
	Told  []string            `yaml:"told"`  // words, of any language, of who has answered the question already
	Ask   map[string]string   `yaml:"ask"`
}

// side is what every choice in a subject has to be looked at from.
type side struct {
	Name map[string]string `yaml:"name"`
	Told []string          `yaml:"told"` // words, of any language, of who has spoken of it
}

// Open is the first side of the subject of which nothing was said, or "".
func (s *Subject) Open(told, locale string) string {
	if s == nil {
		return ""
	}
	told = strings.ToLower(told)
	for _, side := range s.Sides {
		if name := side.Name[prompts.Language(locale)]; name != "" && !holdsAny(told, side.Told) {
			return name
		}
	}
	return ""
}

// Probes returns the choices that a text makes and that call for a question, in the order in which it makes them: those that are
// denied are not made, and told is all that was said so far.
func (s *Subject) Probes(text, told, locale string) []Heard {
	if s == nil {
		return nil
	}
	told = strings.ToLower(told)
	var out []Heard
	for _, made := range s.choices.Hear(text, locale) {
		p := &s.lists.Probes[slices.IndexFunc(s.lists.Probes, func(p Probe) bool { return p.ID == made.ID })]
		if ask := p.Ask[prompts.Language(locale)]; ask != "" && !holdsAny(told, p.Told) {
			out = append(out, Heard{ID: p.ID, Quote: made.Quote, Ask: ask})
		}
	}
	return out
}
