package persona

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/understand"
)

// Choice is what a turn of the menu came to.
type Choice struct {
	Persona *cast.Persona // nil: ask once more with Say
	By      cast.By
	// Say is said before the introduction, or, without a persona, to clarify. It may be empty.
	Say string
}

// menuWords are those of one language.
type menuWords struct {
	Offer      string           `yaml:"offer"`
	Option     string           `yaml:"option"`
	Or         string           `yaml:"or"`
	Comma      string           `yaml:"comma"`
	Digits     []string         `yaml:"digits"`
	Clarify    string           `yaml:"clarify"`
	Settle     string           `yaml:"settle"`
	Without    []*regexp.Regexp `yaml:"without"`
	Correction *regexp.Regexp   `yaml:"correction"`
	Numbers    []*regexp.Regexp `yaml:"numbers"`
	Last       *regexp.Regexp   `yaml:"last"`
	Any        *regexp.Regexp   `yaml:"any"`
}

// Offer is the menu, as it is spoken (R002-3).
func (c *Cast) Offer(locale string) string { return c.list(prompts.In(c.menu, locale).Offer, locale) }

// list puts the options into a text.
func (c *Cast) list(text, locale string) string {
	w := prompts.In(c.menu, locale)
	var b strings.Builder
	for i, p := range c.Personas() {
		number := ""
		if i < len(w.Digits) {
			number = w.Digits[i]
		}
		if i > 0 {
			b.WriteString(w.Comma)
		}
		if i > 0 && i == len(c.Personas())-1 {
			b.WriteString(w.Or)
		}
		b.WriteString(strings.NewReplacer("{number}", number, "{name}", p.Called(locale)).Replace(w.Option))
	}
	return strings.ReplaceAll(text, "{options}", b.String())
}

// Preset returns the choice that dispatch metadata or a page made; nil when it names nobody: then the menu is offered
// (R002-3, R002-6).
func (c *Cast) Preset(name string, by cast.By) *Choice {
	p, there := c.Find(name)
	if !there {
		return nil
	}
	return &Choice{Persona: p, By: by}
}

// Hear understands an answer to the menu. clarified tells that it was asked a second time: what is unclear then, is the
// default persona (R002-5).
func (c *Cast) Hear(text, locale string, clarified bool) Choice {
	w := prompts.In(c.menu, locale)
	if p := c.named(text, locale, w); p != nil {
		return Choice{Persona: p, By: cast.ByVoice}
	}
	if !clarified && !w.Any.MatchString(plain(text)) {
		return Choice{Say: c.list(w.Clarify, locale)}
	}
	p := c.Default()
	return Choice{Persona: p, By: cast.ByDefault, Say: strings.ReplaceAll(w.Settle, "{name}", p.Called(locale))}
}

// named returns the one persona that a text names, or nil. What was said after a correction counts first.
func (c *Cast) named(text, locale string, w *menuWords) *cast.Persona {
	text = plain(text)
	for _, re := range w.Without {
		text = re.ReplaceAllString(text, " ")
	}
	if places := w.Correction.FindAllStringIndex(text, -1); places != nil {
		if p := c.single(text[places[len(places)-1][1]:], locale, w); p != nil {
			return p
		}
	}
	return c.single(text, locale, w)
}

// single returns the persona whose name, or else whose number, the text holds; nil when there are none or several.
func (c *Cast) single(text, locale string, w *menuWords) *cast.Persona {
	var named, numbered []*cast.Persona
	for i, p := range c.Personas() {
		if understand.Says(text, slices.Concat([]string{p.Called(locale), p.Name["en"]}, prompts.In(p.Heard, locale), p.Heard["en"])) {
			named = append(named, p)
		}
		last := i == len(c.Personas())-1 && w.Last.MatchString(text)
		if last || i < len(w.Numbers) && w.Numbers[i].MatchString(text) {
			numbered = append(numbered, p)
		}
	}
	switch {
	case len(named) == 1:
		return named[0]
	case len(named) == 0 && len(numbered) == 1:
		return numbered[0]
	}
	return nil
}

// plain is a text in lower case with plain apostrophes and single spaces.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(norm.NFC.String(text))
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}
