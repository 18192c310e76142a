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

// Foreign reports whether a remark is surely not in the language of a locale: one in Chinese has signs and one in Vietnamese has marks, and
// no other has either. A formula is in every language.
func Foreign(text, locale string) bool {
	text = strings.ToLower(norm.NFC.String(text))
	han, viet, latin, _ := census(text)
	switch prompts.Language(locale) {
	case "zh":
		return han == 0 && latin > 0 && longWords(text)
	case "vi":
		return han > 0 || longWords(text) && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
	}
	return han > 0 || viet > 0
}

// longWords reports whether a text has words, and not only what formulas are made of.
func longWords(text string) bool {
	n := 0
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 3 {
			n++
		}
	}
	return n > 0
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
