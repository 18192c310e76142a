package material

import (
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/understand"
)

// Speakable keeps of a name what can be spoken in the middle of a sentence: letters, digits and a few signs on one line,
// cut at a word after limit characters.
func Speakable(name string, limit int) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mn, r), strings.ContainsRune("+#&/'’().,-", r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, Visible(name))
	return strings.TrimRight(understand.Clip(strings.Join(strings.Fields(name), " "), limit), " .,-/&")
}
