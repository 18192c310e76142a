package phrase

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// leastRare is the rarity from which on a word says what a text is about.
const leastRare = 0.1

// Content returns the words that say what a text is about, each once, without their endings: no function words, none that are in everybody's
// mouth, no numbers. In a script without blanks they are pairs of characters.
func (r *Rules) Content(text string) []string {
	if r == nil {
		return nil
	}
	var out []string
	keep := func(w string) {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	tokens := r.tokens(text)
	for i := range tokens {
		t := &tokens[i]
		switch c, _ := utf8.DecodeRuneInString(t.word); {
		case wide(c):
			if before, _ := utf8.DecodeLastRuneInString(text[:t.from]); wide(before) {
				keep(string(before) + t.word)
			}
		case !t.is(function) && !t.is(numeral) && t.rare >= leastRare:
			keep(strings.TrimSuffix(stem(t.word), "e"))
		}
	}
	return out
}
