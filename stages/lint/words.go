package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
)

var spokenForms = []prompts.Form{prompts.Say, prompts.Reprompt, prompts.Simple}

// spoken checks the words of one language: that all are there, that they know what they speak of, and that they can be said.
func (l *linter) spoken(c *prompts.Catalogue, locale string) {
	ids := c.IDs()
	missing := make(map[string]bool)
	for _, u := range l.def.PromptUses() {
		if !c.Has(u.ID, prompts.Say) {
			if !missing[u.ID] {
				l.add(u.Path, "prompt %q has no %s in %s%s", u.ID, prompts.Say, l.wordsFile(locale), datafile.Meant(u.ID, ids))
			}
			missing[u.ID] = true
			continue
		}
		for _, form := range spokenForms {
			l.known(c, u, form, locale)
		}
	}
	l.style(c, locale)
}

// known checks that a prompt speaks only of what there is where it is named.
func (l *linter) known(c *prompts.Catalogue, u definition.PromptUse, form prompts.Form, locale string) {
	have := prompts.Data{Company: "x", Phase: prompts.Phase{First: true}}
	if p := l.def.Provider; p != nil && p.Question != "" {
		have.Question = "x"
	}
	if l.def.Problems != nil {
		have.Problem = "x"
	}
	if u.Sub {
		have.Phase = prompts.Phase{Name: "x", Description: "x", Keywords: []string{"x"}}
	}
	if u.Picked {
		have.Picked = "x"
	}
	if u.Gap {
		have.Gap, have.Gaps = "x", []string{"x"}
	}
	for _, lacking := range prompts.Lacks(have, c.Needs(u.ID, form)) {
		l.once(u.Path, "prompt %q (%s, %s) says .%s, which is not known here", u.ID, form, locale, lacking)
	}
	for _, name := range c.References(u.ID, form) {
		if slices.Contains(l.references(), name) {
			l.once(u.Path, "prompt %q (%s, %s) uses .%s, which holds a right answer: it would be given away", u.ID, form, locale, name)
		}
		if known := l.names(name); !slices.Contains(known, name) {
			l.once(u.Path, "prompt %q (%s, %s) uses .%s, which nothing fills%s", u.ID, form, locale, name, datafile.Meant(name, known))
		}
	}
}

// names lists the slots, or the variables, that prompts may use.
func (l *linter) names(like string) []string {
	var out []string
	if strings.HasPrefix(like, "Var.") {
		for _, name := range slices.Sorted(maps.Keys(l.def.Vars)) {
			out = append(out, "Var."+name)
		}
		return out
	}
	for i := range l.def.Stages {
		for _, slot := range l.def.Stages[i].Slots {
			out = append(out, "Slot."+slot.ID)
		}
	}
	return out
}

// once adds a finding that is not there yet: prompts are named in many places.
func (l *linter) once(path, format string, args ...any) {
	p := l.def.Finding(path, format, args...)
	if !slices.ContainsFunc(l.found, func(f Finding) bool { return f.Text == p.Text }) {
		l.at(p)
	}
}

// style checks how the words are put.
func (l *linter) style(c *prompts.Catalogue, locale string) {
	flaws, err := prompts.Lint(c, func(text string) string { return understand.Which(text, l.secrets) })
	if err != nil {
		l.flaw(locale, "", "%v", err)
	}
	for _, f := range flaws {
		l.flaw(locale, f.Prompt, "%s %d: %s", f.Form, f.Variant, f.Text)
	}
}

// languages checks that a prompt that is there in one language is there in all, in the same forms.
func (l *linter) languages(catalogues map[string]*prompts.Catalogue) {
	locales := slices.Sorted(maps.Keys(catalogues))
	for _, u := range l.def.PromptUses() {
		for _, form := range spokenForms[1:] {
			var with, without []string
			for _, locale := range locales {
				if catalogues[locale].Has(u.ID, form) {
					with = append(with, locale)
				} else {
					without = append(without, locale)
				}
			}
			if len(with) > 0 {
				for _, locale := range without {
					l.once(u.Path, "prompt %q has a %s in %s, but none in %s", u.ID, form, with[0], l.wordsFile(locale))
				}
			}
		}
	}
}
