package persona

import (
	"strings"
	"unicode"
)

// alike is the token-set similarity (Dice: 2·|A∩B| / (|A|+|B|)) from which on two questions are the same (R001-53).
const alike = 0.85

// contained is how many words a question needs to be the same as a longer one that holds all of them.
const contained = 4

// similar reports whether two questions are the same but for details.
func similar(a, b string) bool {
	x, y := tokenSet(a), tokenSet(b)
	if len(x)+len(y) == 0 {
		return false
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if fewer := min(len(x), len(y)); both == fewer && fewer >= contained {
		return true
	}
	return 2*float64(both)/float64(len(x)+len(y)) >= alike
}

func tokenSet(text string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(normalise(text)) {
		out[w] = true
	}
	return out
}

// normalise keeps a text's letters and digits in lower case, one space between words; every character of a script
// without spaces is a word.
func normalise(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			b.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			b.WriteRune(r)
		case r == '\'' || r == '’':
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
