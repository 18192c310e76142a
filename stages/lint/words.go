package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
)

// use is a place that names a prompt.
type use struct {
	path, id string
	sub      bool // it is said in a sub-phase
	gap      bool // it is said about a missing topic
}

// uses lists the places that name prompts, in order.
func uses(d *definition.Definition) []use {
	var out []use
	for i := range d.Stages {
		s := &d.Stages[i]
		at, sub := d.Path(s.ID), s.Expand != ""
		out = append(out, lines(&s.Prompts, at+".prompts", sub)...)
		if s.Single != nil {
			out = append(out, lines(s.Single, at+".single", false)...)
		}
		sub = sub && s.Single == nil
		for k, slot := range s.Slots {
			out = append(out, use{path: fmt.Sprintf("%s.slots[%d].ask", at, k), id: slot.Ask})
		}
		for k, id := range s.Hints {
			out = append(out, use{path: fmt.Sprintf("%s.hints[%d]", at, k), id: id, sub: sub})
		}
		if g := s.Gate; g != nil {
			out = append(out, use{path: at + ".gate.hold_prompt", id: g.HoldPrompt, sub: sub},
				use{path: at + ".gate.passed", id: g.Passed, sub: s.Expand != ""}, use{path: at + ".gate.continue", id: g.Continue, sub: s.Expand != "", gap: true})
		}
		out = append(out, use{path: at + ".support", id: s.Support, sub: sub}, use{path: at + ".fallback", id: s.Fallback, sub: sub},
			use{path: at + ".no_answer", id: s.NoAnswer, sub: sub}, use{path: at + ".skip.refuse", id: s.Skip.Refuse, sub: sub},
			use{path: at + ".skip.allow", id: s.Skip.Allow, sub: sub}, use{path: at + ".skip.offer", id: s.Skip.Offer, sub: sub})
	}
	if d.Recording != nil {
		out = append(out, use{path: "recording.notice", id: d.Recording.Notice})
	}
	in, r := d.Input, d.Recovery
	out = append(out, use{path: "input.empty", id: in.Empty}, use{path: "input.short", id: in.Short}, use{path: "input.repeated", id: in.Repeated},
		use{path: "input.off", id: in.Off}, use{path: "input.help_mode", id: in.HelpMode},
		use{path: "recovery.hold_prompt", id: r.HoldPrompt}, use{path: "recovery.sorry", id: r.Sorry})
	return slices.DeleteFunc(out, func(u use) bool { return u.id == "" })
}

func lines(p *definition.Prompts, at string, sub bool) []use {
	var out []use
	for _, line := range []struct{ key, id string }{
		{"open", p.Open}, {"bridge", p.Bridge}, {"forced", p.Forced}, {"more", p.More}, {"summary", p.Summary}, {"step_in", p.StepIn},
		{"think", p.Think}, {"welcome", p.Welcome}, {"decline", p.Decline}, {"ack", p.Ack},
	} {
		out = append(out, use{path: at + "." + line.key, id: line.id, sub: sub})
	}
	for i, id := range p.Topics {
		out = append(out, use{path: fmt.Sprintf("%s.topics[%d]", at, i), id: id, sub: sub})
	}
	return out
}

var spokenForms = []prompts.Form{prompts.Say, prompts.Reprompt, prompts.Simple}

// spoken checks the words of one language: that all are there, that they know what they speak of, and that they can be said.
func (l *linter) spoken(c *prompts.Catalogue, locale string) {
	ids := c.IDs()
	missing := make(map[string]bool)
	for _, u := range uses(l.def) {
		if !c.Has(u.id, prompts.Say) {
			if !missing[u.id] {
				l.add(u.path, "prompt %q has no %s in %s%s", u.id, prompts.Say, l.wordsFile(locale), definition.Meant(u.id, ids))
			}
			missing[u.id] = true
			continue
		}
		for _, form := range spokenForms {
			l.known(c, u, form, locale)
		}
	}
	l.style(c, locale)
}

// known checks that a prompt speaks only of what there is where it is named.
func (l *linter) known(c *prompts.Catalogue, u use, form prompts.Form, locale string) {
	have := prompts.Data{Company: "x", Phase: prompts.Phase{First: true}}
	if p := l.def.Provider; p != nil && p.Question != "" {
		have.Question = "x"
	}
	if l.def.Problems != nil {
		have.Problem = "x"
	}
	if u.sub {
		have.Phase = prompts.Phase{Name: "x", Description: "x", Keywords: []string{"x"}}
	}
	if u.gap {
		have.Gap, have.Gaps = "x", []string{"x"}
	}
	for _, lacking := range prompts.Lacks(have, c.Needs(u.id, form)) {
		l.once(u.path, "prompt %q (%s, %s) says .%s, which is not known here", u.id, form, locale, lacking)
	}
	for _, name := range c.References(u.id, form) {
		if slices.Contains(l.references(), name) {
			l.once(u.path, "prompt %q (%s, %s) uses .%s, which holds a right answer: it would be given away", u.id, form, locale, name)
		}
		if known := l.names(name); !slices.Contains(known, name) {
			l.once(u.path, "prompt %q (%s, %s) uses .%s, which nothing fills%s", u.id, form, locale, name, definition.Meant(name, known))
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
	p := l.def.Problem(path, format, args...)
	if !slices.ContainsFunc(l.found, func(f Finding) bool { return f.Text == p.Text }) {
		l.at(p)
	}
}

// style checks how the words are put.
func (l *linter) style(c *prompts.Catalogue, locale string) {
	flaws, err := prompts.Lint(c, func(text string) string { return understand.Which(text, l.secrets) })
	if err != nil {
		l.found = append(l.found, Finding{File: l.wordsFile(locale), Text: err.Error()})
	}
	for _, f := range flaws {
		l.found = append(l.found, Finding{File: l.wordsFile(locale), Path: f.Prompt, Text: fmt.Sprintf("%s %d: %s", f.Form, f.Variant, f.Text)})
	}
}

// languages checks that a prompt that is there in one language is there in all, in the same forms.
func (l *linter) languages(catalogues map[string]*prompts.Catalogue) {
	locales := slices.Sorted(maps.Keys(catalogues))
	for _, u := range uses(l.def) {
		for _, form := range spokenForms[1:] {
			var with, without []string
			for _, locale := range locales {
				if catalogues[locale].Has(u.id, form) {
					with = append(with, locale)
				} else {
					without = append(without, locale)
				}
			}
			if len(with) > 0 {
				for _, locale := range without {
					l.once(u.path, "prompt %q has a %s in %s, but none in %s", u.id, form, with[0], l.wordsFile(locale))
				}
			}
		}
	}
}
