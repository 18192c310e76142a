package problem

import (
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/facts"
)

// tell is a wording that gives a reference approach away.
type tell struct {
	id      string
	wording wording
}

// GivesAway returns the id of the reference approach of a problem that a text gives away, in whatever mood it speaks of it and in
// whatever language, or "" (RM-28). What the task, its facts and its questions say openly gives nothing away, and neither do the wordings
// that stand in one of the known texts, such as the hints given so far. Who has said an approach, in any words, may hear of it in all.
func (s *Set) GivesAway(id, text string, known, said []string) string {
	closed := s.gates[id]
	if closed == nil {
		return ""
	}
	list := closed()
	found := standing(list, text)
	for i, t := range found {
		if slices.Contains(found[:i], t) || slices.ContainsFunc(known, func(k string) bool { return t.in(sentences(k)) }) {
			continue
		}
		ofIt := slices.DeleteFunc(slices.Clone(list), func(o *tell) bool { return o.id != t.id })
		if !slices.ContainsFunc(said, func(k string) bool { return len(standing(ofIt, k)) > 0 }) {
			return t.id
		}
	}
	return ""
}

// standing are the wordings that stand in a text.
func standing(list []*tell, text string) []*tell {
	var out []*tell
	all := sentences(text)
	for _, t := range list {
		if t.in(all) {
			out = append(out, t)
		}
	}
	return out
}

// in reports whether the wording stands in one of the sentences, with few words between.
func (t *tell) in(all []sentence) bool {
	return slices.ContainsFunc(all, func(s sentence) bool {
		return slices.ContainsFunc(t.wording.find(s.words), func(at span) bool { return at.dense() && !at.everyday(s.words) })
	})
}

// dense reports whether few words of others stand in a place.
func (at span) dense() bool { return at.to-at.from <= 2*at.weight+1 }

// everyday reports whether a place is a single word that says nothing by itself.
func (at span) everyday(words []word) bool {
	return at.to-at.from == 1 && everyday[words[at.from].stem]
}

// everyday are words of approaches that people use for anything: only with another word beside them they name a way. Every word of a
// technique, a structure or a name is none of these.
var everyday = stems("middle half halve halving halfway centre center central mid map set sort complement events " +
	"left right top push pop pile tower plates undo limit reach fuel backwards furthest farthest spread layers wave waves water fire " +
	"tree window shrink speed speeds seen remember narrow timeline cache table queue tập bảng 树 叠 伸 缩")

func stems(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range set(words) {
		out[stem(w)] = true
	}
	return out
}

// gate prepares what nobody may say of the problem's reference approaches: all wordings in all languages but those that stand in what
// everybody may hear of the task.
func (p *Problem) gate() []*tell {
	var open [][]sentence
	for _, text := range p.audible() {
		open = append(open, sentences(text))
	}
	var out []*tell
	for _, h := range p.listen() {
		if !h.best {
			continue
		}
		list := h.keywords
		for _, lang := range slices.Sorted(maps.Keys(h.plain)) {
			list = slices.Concat(list, h.plain[lang])
		}
		for _, w := range list {
			for _, one := range w.apart() {
				t := &tell{h.id, one}
				if len(one) > 0 && !slices.ContainsFunc(open, t.in) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// maxApart bounds how many wordings one with alternatives is taken apart to.
const maxApart = 200

// apart returns the wordings that one with alternatives stands for, so that one of them may be open and the others not.
func (w wording) apart() []wording {
	out := []wording{nil}
	for _, e := range w {
		var next []wording
		for _, begun := range out {
			for _, expression := range e.any {
				next = append(next, append(slices.Clone(begun), element{any: []string{expression}, gap: e.gap}))
			}
		}
		if len(next) > maxApart {
			return []wording{w}
		}
		out = next
	}
	return out
}

// audible are the texts that a candidate may hear at any time, in all languages: all but the hints. What other ways are called is no
// secret either.
func (p *Problem) audible() []string {
	var out []string
	for at, text := range p.open() {
		if !strings.HasPrefix(at, "hints.") && !strings.HasPrefix(at, "first_step.") {
			out = append(out, text)
		}
	}
	for _, f := range p.Sheet() {
		if f.Tell != facts.Never {
			out = slices.AppendSeq(out, maps.Values(f.Say))
		}
	}
	for i := range p.Mistakes {
		out = slices.AppendSeq(out, maps.Values(p.Mistakes[i].Names))
	}
	for i := range p.Approaches {
		if a := &p.Approaches[i]; a.Quality != Best {
			out = slices.AppendSeq(append(out, a.Keywords...), maps.Values(a.Names))
			for lang := range p.Text {
				out = append(out, p.Wordings(a.ID, lang)...)
			}
		}
	}
	return out
}
