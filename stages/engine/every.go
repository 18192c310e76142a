package engine

import (
	"strings"

	"github.com/vivavoice/viva/prompts"
)

// everyData adds what the words of every interview say: its languages, whom to turn to, and what is listed now.
func (s *words) everyData(d *prompts.Data) {
	if s.list != nil {
		d.Gaps = s.list
	}
	if s.lacked != "" {
		d.Gap = s.lacked
	}
	if s.recalled {
		d.Quotes = s.pieces
	}
	d.Languages = s.languagesIn(s.iv.Words)
	language := prompts.Language(s.iv.Words.Locale())
	d.Helpline = s.u.Helplines[language]
	if d.Helpline == "" && s.worth("every.helpline") != "" {
		if text, err := s.iv.Words.Render("every.helpline", prompts.Say, 0, prompts.Data{}); err == nil {
			d.Helpline = text
		}
	}
}

// languagesIn names the languages of the interview in the words of one.
func (s *words) languagesIn(words *prompts.Catalogue) string {
	var names []string
	for _, locale := range s.iv.Def.Locales {
		language := prompts.Language(locale)
		if name, err := words.Render("language."+language, prompts.Say, 0, prompts.Data{}); err == nil {
			names = append(names, name)
		}
	}
	locale := words.Locale()
	comma, or := prompts.In(map[string]string{"en": ", ", "zh": "、"}, locale), prompts.In(map[string]string{"en": " or ", "zh": "或", "vi": " hoặc "}, locale)
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], comma) + or + names[n]
	}
	return strings.Join(names, comma)
}
