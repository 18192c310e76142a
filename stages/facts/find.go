package facts

import (
	"slices"
	"strings"
)

// Find returns the facts that a text asks for, those of the most telling wordings first; what nobody may hear is left out. A text
// that asks for nothing finds nothing, whatever words it holds (RM-3).
//
// The wordings of a fact are words in the order in which they are said. Up to two others may stand between them (in Chinese, up
// to six characters between parts written apart); a/b is one word or the other, a-b are two with nothing between (so that a/b-c is a, or b and c); ^ before the first word and $ after the last mean
// that the sentence begins and ends there.
func (s Sheet) Find(question, locale string) []Fact { return s.find(question, locale, false) }

// FindAsked is Find for a text that is known to be a question, whatever form it has.
func (s Sheet) FindAsked(question, locale string) []Fact { return s.find(question, locale, true) }

func (s Sheet) find(question, locale string, asked bool) []Fact {
	var hits []hit
	for _, language := range spoken(question, locale) {
		for n, one := range split(question) {
			one.asked = one.asked || asked
			if !asks(one, language) {
				continue
			}
			folded := language == "vi" && ascii(one.text)
			words := content(begin(one.text, language), language)
			for i := range s {
				if h, ok := s[i].heard(words, language, folded); ok {
					h.fact, h.sentence = i, n
					hits = append(hits, h)
				}
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.words - a.words })
	var out []Fact
	for i, h := range hits {
		covered := slices.ContainsFunc(hits[:i], func(o hit) bool { return o.fact == h.fact || o.overlaps(h) })
		if !covered {
			out = append(out, s[h.fact])
		}
	}
	return out
}

// hit is where a wording was found.
type hit struct {
	fact, sentence int
	from, to       int // words of the sentence
	words          int // of them, those of the wording
}

// overlaps reports whether both are about the same words: the more telling one counts.
func (h hit) overlaps(o hit) bool {
	return h.sentence == o.sentence && h.from < o.to && o.from < h.to
}

// heard looks for the most telling wording of a fact among the words of a sentence, which may be folded: without the marks of Vietnamese.
func (f *Fact) heard(words []string, language string, folded bool) (best hit, ok bool) {
	if f.Tell == Never {
		return hit{}, false
	}
	from, as := &wordings, compile
	if folded {
		from, as = &foldedWordings, compileFolded
	}
	for _, ask := range f.Asks[language] {
		w := from.get(ask, language, as)
		if h, found := w.in(words); found && h.words > best.words {
			best, ok = h, true
		}
	}
	return best, ok
}

// wording is one way to ask.
type wording struct {
	pieces       [][][]string // parts in order; each in alternatives, each a run of words
	first, final bool         // it begins or ends the sentence
	gap          int          // other words between parts, at most
}

const (
	gapWords      = 2
	gapCharacters = 6
)

var wordings, foldedWordings memo[wording]

func compileFolded(text, language string) wording { return compile(bare(text), language) }

func compile(text, language string) wording {
	w := wording{gap: gapWords}
	if language == "zh" {
		w.gap = gapCharacters
	}
	text = strings.TrimSpace(text)
	text, w.first = strings.CutPrefix(text, "^")
	text, w.final = strings.CutSuffix(text, "$")
	for part := range strings.FieldsSeq(plain(text)) {
		var piece [][]string
		for alternative := range strings.SplitSeq(part, "/") {
			if run := content(alternative, language); len(run) > 0 {
				piece = append(piece, run)
			}
		}
		if len(piece) > 0 {
			w.pieces = append(w.pieces, piece)
		}
	}
	return w
}

// in looks for the wording among the words of a sentence and returns where it stands.
func (w *wording) in(words []string) (hit, bool) {
	if len(w.pieces) == 0 {
		return hit{}, false
	}
	last := len(words) - 1
	if w.first {
		last = 0
	}
	for from := 0; from <= last; from++ {
		for _, run := range w.pieces[0] {
			if !begins(words[from:], run) {
				continue
			}
			if to, found, ok := w.rest(words, from+len(run), 1); ok {
				return hit{from: from, to: to, words: len(run) + found}, true
			}
		}
	}
	return hit{}, false
}

// rest looks for the parts from n on, the first of them not far behind at, and returns where they end and how many words they are.
func (w *wording) rest(words []string, at, n int) (to, found int, ok bool) {
	if n == len(w.pieces) {
		return at, 0, !w.final || at == len(words)
	}
	for next := at; next <= min(at+w.gap, len(words)-1); next++ {
		for _, run := range w.pieces[n] {
			if !begins(words[next:], run) {
				continue
			}
			if to, found, ok := w.rest(words, next+len(run), n+1); ok {
				return to, len(run) + found, true
			}
		}
	}
	return 0, 0, false
}

func begins(words, run []string) bool {
	return len(words) >= len(run) && slices.Equal(words[:len(run)], run)
}
