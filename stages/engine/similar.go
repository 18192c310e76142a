package engine

import (
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// distinct is from how many words on a question is another one with other words: a short one ("How many do you open now?") lives by the
// sentence before it, and is the same only in the same words, with or without a lead-in ("And how many …").
const distinct = 8

// heardBefore reports whether a question was heard before, in the same or nearly the same words.
func heardBefore(u *state.UserData, question string) bool {
	q := strings.Fields(normalise(question))
	return slices.ContainsFunc(u.Ledger.Said, func(said string) bool {
		words := strings.Fields(said)
		if len(q) >= distinct && len(words) >= distinct {
			return understand.Alike(q, words)
		}
		return endsWith(q, words) || endsWith(words, q)
	})
}

func endsWith(list, end []string) bool {
	return len(end) > 0 && len(list) >= len(end) && slices.Equal(list[len(list)-len(end):], end)
}

// sameWords reports whether one of two quotes holds the other's words.
func sameWords(a, b string) bool {
	a, b = " "+normalise(a)+" ", " "+normalise(b)+" "
	return a != "  " && b != "  " && (strings.Contains(a, b) || strings.Contains(b, a))
}

// normalise lower-cases a text and keeps its letters and digits, one space between words.
func normalise(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}), " ")
}
