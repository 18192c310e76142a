package evaluate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// Telling blanks what shows nothing of a candidate, whatever words it holds: terms in a row, the rubric's own words, and words by the way. It is for
// rules, which go by words; what is left stands where it stood.
func Telling(content string) string {
	told := []byte(content)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			told[i] = ' '
		}
	}
	at, from, terms := 0, 0, 0 // the row of terms that ends at at begins at from
	for _, s := range append(Sentences(content), "") {
		n := termsOf(s)
		if n == 0 && terms >= leastTerms {
			blank(from, at)
		}
		if n == 0 {
			from, terms = at+len(s), 0
		}
		if terms += n; quotesRubric(s) {
			blank(at, at+len(s))
		}
		at += len(s)
	}
	folded := prefilter.Fold(content)
	for _, p := range shipped().idle {
		if p.May(folded) {
			for _, at := range p.FindAllStringIndex(content, -1) {
				blank(at[0], at[1])
			}
		}
	}
	return string(told)
}

// Terms stand in a row where there are leastTerms of them, within a sentence or in several that hold nothing else, with so many words or
// Chinese letters each on the average. Who tells so many things so briefly says of each more than what it is called.
const (
	leastTerms = 6
	termWords  = 2.8
	termHan    = 3.5
)

// termsOf returns how many terms a sentence lists; 0 = it is no list.
func termsOf(sentence string) int {
	n, words, han := 0, 0, 0
	for _, clause := range strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(",;:.!?，；：。！？、/|\n", r) }) {
		clause = strings.ToLower(strings.TrimSpace(clause))
		if shipped().fillers[clause] || strings.Trim(clause, "0123456789- ") == "" {
			continue
		}
		w, h := 0, 0
		for _, field := range strings.FieldsFunc(clause, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
			if r, _ := utf8.DecodeRuneInString(field); wide(r) {
				h += utf8.RuneCountInString(field)
			} else {
				w++
			}
		}
		if w+h > 0 {
			n, words, han = n+1, words+w, han+h
		}
	}
	if float64(words)/termWords+float64(han)/termHan > float64(n) {
		return 0
	}
	return n
}

const (
	gram        = 3 // words in a row
	leastQuoted = 3 // of them
	quotedPart  = 0.6
)

// quotesRubric reports whether a sentence is made of words that stand so in a rubric.
func quotesRubric(sentence string) bool {
	all := grams(sentence)
	known := 0
	for _, g := range all {
		if shipped().anchors[g] {
			known++
		}
	}
	return known >= leastQuoted && float64(known) >= quotedPart*float64(len(all))
}

// grams are the stretches of a text that are gram words long.
func grams(text string) []string {
	list := tokens(text)
	var out []string
	for i := 0; i+gram <= len(list); i++ {
		var b strings.Builder
		for _, t := range list[i : i+gram] {
			b.WriteString(t.text + " ")
		}
		out = append(out, b.String())
	}
	return out
}

// anchors are the stretches of what rubrics say of their criteria.
func anchors(rubrics map[string]*Rubric) map[string]bool {
	out := make(map[string]bool)
	for _, r := range rubrics {
		for i := range r.Criteria {
			c := &r.Criteria[i]
			texts := []string{c.Asks}
			for _, level := range c.Levels {
				texts = append(texts, level)
			}
			for _, by := range []map[string]string{c.Shown, c.Advice, c.Further} {
				for _, text := range by {
					texts = append(texts, text)
				}
			}
			for _, text := range texts {
				for _, g := range grams(text) {
					out[g] = true
				}
			}
		}
	}
	return out
}
