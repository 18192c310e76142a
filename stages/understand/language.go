package understand

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/prompts"
)

// vietnamese are the letters that Vietnamese shares with no other widely used language.
const vietnamese = "ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"

// english are words that only a sentence in English has.
const english = " i the a an is are it we you to of and with would could can have has that this what how then if for use my in on "

// englishWords is how many words it takes to be sure that somebody went over to English.
const englishWords = 4

// Language returns the language a reply to the text should be in: Chinese and Vietnamese are known by their script,
// English by its small words. A text that mixes Chinese with English terms is Chinese. When the text does not tell
// (a formula, a name), or is in the fallback's own language, it is the fallback (R003-96).
func Language(text, fallback string) string {
	han, viet, latin, small := census(strings.ToLower(norm.NFC.String(text)))
	lang := ""
	switch {
	case han > 0 && han >= latin:
		lang = "zh"
	case viet > 0 && 4*viet >= latin:
		lang = "vi"
	case latin >= englishWords && small > 0:
		lang = "en"
	}
	own := prompts.Language(fallback)
	if lang == "" || lang == own || lang == "en" && !other(own) {
		return fallback
	}
	return lang
}

// other reports whether English words in an interview of this language mean that the candidate changed over.
func other(lang string) bool { return lang == "" || lang == "zh" || lang == "vi" }

// census counts Han characters, Vietnamese words, Latin words, and English small words.
func census(text string) (han, viet, latin, small int) {
	word := func(w string) {
		latin++
		if strings.ContainsAny(w, vietnamese) {
			viet++
		}
		if strings.Contains(english, " "+w+" ") {
			small++
		}
	}
	start := -1
	for i, c := range text {
		switch {
		case unicode.Is(unicode.Latin, c):
			if start < 0 {
				start = i
			}
			continue
		case unicode.Is(unicode.Han, c):
			han++
		}
		if start >= 0 {
			word(text[start:i])
			start = -1
		}
	}
	if start >= 0 {
		word(text[start:])
	}
	return han, viet, latin, small
}
