package engine

import (
	"strings"
	"unicode"

	"github.com/vivavoice/viva/state"
)

// Similar is the token-set similarity (2·|A∩B| / (|A|+|B|), Dice) from which on two questions count as the same
// (acceptance R001-53).
const Similar = 0.85

// contained is how many words a question needs to count as the same as a longer one that holds all of them: the
// question without its preamble. Shorter ones ("and why?") are in too many.
const contained = 4

// asked reports whether a question was heard before, in the same or nearly the same words.
func asked(u *state.UserData, question string) bool {
	q := normalise(question)
	for _, said := range u.Ledger.Said {
		if similarity(q, said) >= Similar {
			return true
		}
	}
	return false
}

// normalise lower-cases a text and keeps its letters and digits, one space between words.
func normalise(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}), " ")
}

func similarity(a, b string) float64 {
	x, y := set(a), set(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if fewer := min(len(x), len(y)); both == fewer && fewer >= contained {
		return 1
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

func set(text string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}
