package evaluate

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// token is one word of a text, or one letter of a script that puts no spaces between words.
type token struct {
	text       string // compatibility-normalised, lower case
	start, end int    // in bytes of the text it came from
}

// tokens splits a text into words and takes the inflection off them.
func tokens(text string) []token {
	out := words(text)
	for i := range out {
		out[i].text = stem(out[i].text)
	}
	return out
}

// words splits a text into words. All else (signs, hyphens, spaces) only separates.
func words(text string) []token {
	var out []token
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, token{fold(text[start:end]), start, end})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case wide(r):
			flush(i)
			end := i + len(string(r))
			out = append(out, token{fold(text[i:end]), i, end})
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}

func fold(word string) string {
	if strings.IndexFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(word) // as it is in compatibility form
	}
	return strings.ToLower(norm.NFKC.String(word))
}

// firstWide is the first letter of the scripts below, Thai; most letters come before it.
const firstWide = '\u0E01'

// wide reports whether r belongs to a script without spaces between words, or with particles tied to them.
func wide(r rune) bool {
	return r >= firstWide && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// shortestStem is how many letters a stem keeps at least.
const shortestStem = 3

// stem takes the inflection off an English word: plural, -ing, -ed, and the final e and y that come and go with them.
// It follows step 1 of M. F. Porter, "An algorithm for suffix stripping" (1980), and goes no further: derivation
// would make "consists" of "consistency" and "responsible" of "response". Those are aliases, in data.
func stem(word string) string {
	if len(word) <= shortestStem || strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return word
	}
	word = singular(word)
	for _, suffix := range []string{"ing", "ed"} {
		if base, found := strings.CutSuffix(word, suffix); found && len(base) >= shortestStem && voiced(base) && !strings.HasSuffix(word, "eed") {
			word = undouble(base)
			break
		}
	}
	if base, found := strings.CutSuffix(word, "y"); found && voiced(base) {
		return base + "i"
	}
	if base, found := strings.CutSuffix(word, "e"); found && len(base) >= shortestStem {
		return base
	}
	return word
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ss"):
		return word
	case strings.HasSuffix(word, "ies") && len(word) > shortestStem+2:
		return strings.TrimSuffix(word, "es") // policies, policy → polici
	}
	return strings.TrimSuffix(word, "s")
}

func voiced(base string) bool { return strings.ContainsAny(base, "aeiouy") }

// undouble takes back a consonant that was doubled before -ing or -ed: "mapping" is of "map", "falling" of "fall".
func undouble(base string) string {
	n := len(base)
	if n > shortestStem && base[n-1] == base[n-2] && !strings.ContainsRune("aeioulsz", rune(base[n-1])) {
		return base[:n-1]
	}
	return base
}
