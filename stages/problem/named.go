package problem

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/prompts"
)

// heard is how one approach is recognised.
type heard struct {
	id        string
	best      bool
	named     bool // a mere "no" before it denies it
	statement bool // what it makes is held to be so, not taken as a way
	keywords  []wording
	plain     map[string][]wording // by language
}

// listen prepares the recognition of the problem's approaches, right and wrong.
func (p *Problem) listen() []heard {
	if p.ears != nil {
		return p.ears
	}
	out := make([]heard, 0, len(p.Approaches)+len(p.Mistakes))
	for i := range p.Approaches {
		a := &p.Approaches[i]
		h := heard{id: a.ID, best: a.Quality == Best, plain: wordings(a.Plain, a.Names)}
		for _, k := range a.Keywords {
			h.keywords = append(h.keywords, compilePhrase(k))
		}
		out = append(out, h)
	}
	for i := range p.Mistakes {
		out = append(out, heard{id: p.Mistakes[i].ID, plain: wordings(p.Mistakes[i].Plain, p.Mistakes[i].Names)})
	}
	return out
}

func wordings(plain map[string][]string, names map[string]string) map[string][]wording {
	out := make(map[string][]wording)
	for lang, list := range plain {
		for _, text := range list {
			out[lang] = append(out[lang], compileWording(text))
		}
	}
	for lang, name := range names {
		out[lang] = append(out[lang], compilePhrase(name))
	}
	return out
}

// in returns the wordings that count in a language: candidates mix in English.
func (h *heard) in(lang string) []wording {
	out := slices.Concat(h.keywords, h.plain[lang])
	if lang != "en" {
		out = append(out, h.plain["en"]...)
	}
	return out
}

// Named returns the ids of the approaches, right and wrong, that the text claims to take, in the order in which they are
// named. What is negated, merely mentioned or asked about is not claimed (RM-3); what is proposed as a question is.
func (p *Problem) Named(text, locale string) []string {
	var out []string
	ears := p.listen()
	for _, s := range sentences(text) {
		for _, id := range claimed(ears, &s, prompts.Language(locale)) {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// found is one approach at one place.
type found struct {
	span
	id string
}

func claimed(ears []heard, s *sentence, lang string) []string {
	var all []found
	for _, h := range ears {
		for _, w := range h.in(lang) {
			for _, at := range w.find(s.words) {
				if s.claims(at) && (!h.statement || s.states(at)) && (!h.named || !s.lacks(at)) {
					all = append(all, found{at, h.id})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.weight, a.weight)) })
	var out []string
	for _, f := range all {
		part := slices.ContainsFunc(all, func(g found) bool { // of a longer expression for something else
			return g.id != f.id && g.from <= f.from && f.to <= g.to && g.weight > f.weight
		})
		if !part {
			out = append(out, f.id)
		}
	}
	return out
}
