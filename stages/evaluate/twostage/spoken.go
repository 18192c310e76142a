package twostage

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/evaluate"
)

// Framing is how a spoken answer takes a problem apart: inputs are entities, data held are state variables, operations
// are actions, limits are constraints (R004-65). A sentence is listed in at most two sections, a long one in more.
type Framing struct {
	Sections   map[string][]string // sentences, by section
	Conclusion string              // as a value of the expected kind, or the words that hold it; empty = none was stated
}

// maxShared is how many sections one sentence can serve: one sentence that names everything takes nothing apart.
const (
	maxShared = 2
	oneMore   = 100 // for so many bytes one section more: recognisers may put no stops
)

// Frame finds the framing and the conclusion of a spoken answer by rules: by the patterns of words/*.yaml. groundtruth
// says what kind of conclusion is looked for.
// question tells whether a cost is one of time or of memory; it may be empty.
func (e *Evaluator) Frame(question, answer, groundtruth string) Framing {
	said := sentences(answer)
	f := Framing{Sections: make(map[string][]string)}
	for _, s := range sentences(evaluate.Telling(answer)) {
		if names(s) {
			continue
		}
		shared := 0
		for _, id := range e.rubric.Sections {
			if shared < maxShared+len(s)/oneMore && cued(id, s) {
				f.Sections[id] = append(f.Sections[id], s)
				shared++
			}
		}
	}
	f.Conclusion = e.concluded(question, said, groundtruth)
	return f
}

// names reports whether a sentence does little more than name sections, in any language.
func names(sentence string) bool {
	folded := strings.ToLower(sentence)
	return slices.ContainsFunc(shipped().all, func(w *words) bool {
		named := 0
		for _, s := range w.Sections {
			if strings.Contains(folded, strings.ToLower(s.Name)) {
				named++
			}
		}
		return named > maxShared && len([]rune(sentence)) <= perName*named
	})
}

// perName is how many letters a sentence has for each section that it only names.
const perName = 24

// cued reports whether a sentence sounds like a section, in any language.
func cued(section, text string) bool {
	s := newSentence(text)
	return slices.ContainsFunc(shipped().all, func(w *words) bool {
		return slices.ContainsFunc(w.Sections[section].Cues, func(p pattern) bool { return p.match(s) })
	})
}

// concluded returns the conclusion of a spoken answer. Speakers correct themselves: the last one counts.
func (e *Evaluator) concluded(question string, said []string, groundtruth string) string {
	kind, expected := e.chain.read(groundtruth)
	if kind == nil || len(said) == 0 {
		return ""
	}
	if kind.Name() == KindComplexity {
		asked := asks(question, groundtruth)
		return costOf(conclusion.About(strings.Join(said, "\n"), asked), asked, groundtruth)
	}
	t := thought{sentences: said}
	finder, closed := kind.(Finder)
	if !closed {
		return t.chosen(kind, expected, groundtruth)
	}
	if values := stated(t, kind, groundtruth); len(values) > 0 {
		return values[len(values)-1]
	}
	if kind.Name() == KindBoolean {
		// An answer begins with yes or no; within it the words mean anything.
		opening := said[0]
		if values := finder.Find(clause.ReplaceAllString(opening, "")); len(values) > 0 {
			return values[0]
		}
		return ""
	}
	for _, s := range slices.Backward(said) {
		if values := finder.Find(s); len(values) > 0 {
			return values[len(values)-1]
		}
	}
	return ""
}

// chosen returns what a speaker settled on, in free text: the expected words where they were chosen, else the words
// that were chosen, else the expected words if they were at least said and not turned down.
func (t thought) chosen(kind Normaliser, expected, groundtruth string) string {
	phrases := append(t.phrases(tierSaid), t.phrases(tierFinal)...)
	for _, p := range slices.Backward(phrases) {
		if mentions(p, kind, expected) {
			return groundtruth
		}
	}
	for _, s := range t.sentences {
		if mentions(s, kind, expected) {
			return groundtruth
		}
	}
	if len(phrases) == 0 {
		return ""
	}
	return clause.ReplaceAllString(article.ReplaceAllString(phrases[len(phrases)-1], ""), "")
}

// mentions reports whether the words of a value stand in a text, and are not turned down right there.
func mentions(text string, kind Normaliser, expected string) bool {
	folded, ok := kind.Normalise(text)
	if !ok {
		return false
	}
	for from := 0; ; {
		i := strings.Index(folded[from:], expected)
		if i < 0 {
			return false
		}
		at := from + i
		if wordEnds(folded, at, at+len(expected)) && !negated(folded[:at], 3) {
			return true
		}
		from = at + 1
		for from < len(folded) && folded[from]&0xC0 == 0x80 {
			from++
		}
	}
}

// wordEnds reports whether whole words stand between two places; plurals count.
func wordEnds(text string, from, to int) bool {
	letter := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9')
	}
	if to < len(text) && text[to] == 's' {
		to++
	}
	return !letter(from-1) && !letter(to)
}

// fill takes from a framing what a sample lacks. The construction is returned where it was spoken.
func (e *Evaluator) fill(s Sample, f Framing) (Sample, *Construction) {
	if blank(s.Prediction) {
		s.Prediction = f.Conclusion
	}
	if blank(s.Reasoning) && !blank(s.Prediction) {
		s.Reasoning = s.Answer
	}
	if !blank(s.Construction) || blank(s.Answer) {
		return s, nil
	}
	found := make(map[string]int, len(f.Sections))
	for id, list := range f.Sections {
		found[id] = len(list)
	}
	c := e.construction(found, readSpoken, "")
	return s, &c
}
