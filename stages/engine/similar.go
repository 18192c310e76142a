package engine

import (
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// heardBefore reports whether a question was heard before, in the same or nearly the same words.
func heardBefore(u *state.UserData, question string) bool {
	q := strings.Fields(normalise(question))
	return slices.ContainsFunc(u.Ledger.Said, func(said string) bool { return understand.Alike(q, strings.Fields(said)) })
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
