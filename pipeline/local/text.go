package local

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// typographic maps signs that Flite does not know to those it does.
var typographic = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", ", ", "—", ", ", "…", ". ", "&", " and ", "%", " percent ")

// speakable turns text into what Flite can say: ASCII on one line, accents taken off. Text without a letter or digit gives "".
func speakable(text string) string {
	text = norm.NFD.String(typographic.Replace(text))
	var b strings.Builder
	b.Grow(len(text))
	spoken := false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r > unicode.MaxASCII || r < ' ':
			b.WriteByte(' ')
		default:
			spoken = spoken || unicode.IsLetter(r) || unicode.IsDigit(r)
			b.WriteRune(r)
		}
	}
	if !spoken {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
