package material

import (
	"strings"
	"unicode"

	encoding "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/unicode/norm"
)

// blank are characters that have a width or a class of their own and still show nothing.
const blank = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"

// Visible returns a text without characters that do not show: zero-width and direction marks, tags, private and control
// characters, variation selectors, fillers. Line breaks and tabs stay.
func Visible(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\f':
			return r
		case invisible(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}

func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Cs, unicode.Variation_Selector) || strings.ContainsRune(blank, r)
}

// hides reports whether a text holds characters that do not show, beyond those that ordinary files have: a byte order
// mark in front, soft hyphens, a joiner in an emoji.
func hides(text string) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	return strings.IndexFunc(text, func(r rune) bool {
		switch r {
		case '\n', '\t', '\r', '\f', '\u00ad', '\u200d', '\ufe0f':
			return false
		}
		return invisible(r)
	}) >= 0
}

// utf16Text reads UTF-16 with a byte order mark.
func utf16Text(data []byte) (string, bool) {
	if len(data)%2 != 0 {
		return "", false
	}
	text, err := encoding.UTF16(encoding.BigEndian, encoding.ExpectBOM).NewDecoder().Bytes(data)
	return string(text), err == nil
}
