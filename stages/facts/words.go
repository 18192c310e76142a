package facts

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/prompts"
)

// short are contractions of English, written out, what is longer first; in Chinese the polite you is one with the other.
var short = strings.NewReplacer(
	"’", "'", "您", "你", "can't", "can not", "won't", "will not", "n't", " not", "let's", "let us",
)

var shortened = strings.NewReplacer("'s ", " is ", "'re ", " are ", "'m ", " am ", "'ll ", " will ", "'d ", " would ", "'ve ", " have ", "'", "")

// plain writes a text in lower case, without contractions.
func plain(text string) string {
	text = short.Replace(strings.ToLower(norm.NFKC.String(text)))
	return strings.TrimSpace(shortened.Replace(text + " "))
}

// tokens splits a plain text into words; a Han character stands alone.
func tokens(text string) []string {
	var out []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, text[start:end])
			start = -1
		}
	}
	for i, c := range text {
		switch {
		case unicode.Is(unicode.Han, c):
			flush(i)
			out = append(out, string(c))
		case unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Mn, c) || c == '_':
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

// idle are words that change no question.
var idle = map[string][]string{
	"en": {"a", "an", "the", "um", "uh", "er", "please", "just", "actually", "exactly", "really"},
	"zh": {},
	"vi": {"ạ", "nhé", "à", "ừm", "dạ"},
}

// content returns the words of a plain text without those that are idle, singular and plural as one.
func content(text, language string) []string {
	var out []string
	for _, w := range tokens(text) {
		if slices.Contains(idle[language], w) {
			continue
		}
		if language == "en" && len(w) > 3 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		out = append(out, w)
	}
	return out
}

// bare takes the marks off Vietnamese letters: people type without them.
func bare(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case c == 'đ':
			return 'd'
		case unicode.Is(unicode.Mn, c):
			return -1
		}
		return c
	}, norm.NFD.String(text))
	return norm.NFC.String(text)
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > unicode.MaxASCII })
}

// vietnamese are letters that no other widely used language has.
const vietnamese = "ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"

// spoken returns the languages that a text may be in: the locale's, and what its letters say.
func spoken(text, locale string) []string {
	seen := "en"
	switch {
	case strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) }):
		seen = "zh"
	case strings.ContainsAny(strings.ToLower(norm.NFC.String(text)), vietnamese):
		seen = "vi"
	}
	if own := prompts.Language(locale); own != seen && slices.Contains(Languages, own) {
		return []string{own, seen}
	}
	return []string{seen}
}

// sentence is one of a text, plain, without the mark at its end.
type sentence struct {
	text  string
	asked bool // a question mark ends it
}

// split cuts a text into its sentences. What is quoted is somebody else's and left out.
func split(text string) []sentence {
	runes := []rune(plain(unquote(text)))
	var out []sentence
	start := 0
	cut := func(end int, asked bool) {
		if t := strings.TrimSpace(string(runes[start:end])); t != "" {
			out = append(out, sentence{t, asked})
		}
		start = end + 1
	}
	for i, c := range runes {
		last := i+1 == len(runes) || unicode.IsSpace(runes[i+1])
		switch {
		case c == '?' || c == '？':
			cut(i, true)
		case strings.ContainsRune("。！!；\n", c), strings.ContainsRune(".;", c) && last:
			cut(i, false)
		}
	}
	if start < len(runes) {
		cut(len(runes), false)
	}
	return out
}

// unquote leaves out what stands in double quotes, unless that is all there is.
func unquote(text string) string {
	var b strings.Builder
	in := false
	for _, c := range text {
		switch c {
		case '"':
			in = !in
		case '“', '「', '『':
			in = true
		case '”', '」', '』':
			in = false
		default:
			if !in {
				b.WriteRune(c)
			}
		}
	}
	if strings.ContainsFunc(b.String(), unicode.IsLetter) {
		return b.String()
	}
	return text
}
