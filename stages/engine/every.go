package engine

import (
	"strings"

	"github.com/vivavoice/viva/prompts"
)

// everyData adds what the words of every interview say: its languages, whom to turn to, and what is listed now.
func (w *words) everyData(d *prompts.Data) {
	if w.list != nil {
		d.Gaps = w.list
	}
	if w.lacked != "" {
		d.Gap = w.lacked
	}
	if w.recalled {
		d.Quotes = w.pieces
	}
	d.Languages = w.languagesIn(w.iv.Words)
	language := prompts.Language(w.iv.Words.Locale())
	d.Helpline = w.u.Helplines[language]
	if d.Helpline == "" && w.worth("every.helpline") != "" {
		if text, err := w.iv.Words.Render("every.helpline", prompts.Say, 0, prompts.Data{}); err == nil {
			d.Helpline = text
		}
	}
}

// languagesIn names the languages of the interview in the words of one.
func (s *situation) languagesIn(words *prompts.Catalogue) string {
	var names []string
	for _, locale := range s.iv.Def.Locales {
		language := prompts.Language(locale)
		if name, err := words.Render("language."+language, prompts.Say, 0, prompts.Data{}); err == nil {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
