package local

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/tts"
)

// ByLanguage speaks each text with the voice that knows its language: the text's own where its letters tell, else that of
// the request. No voice reads what it does not know: a text without one fails with fault.BadRequest.
type ByLanguage struct {
	english tts.Synthesizer
	others  *Espeak
}

var _ tts.Synthesizer = (*ByLanguage)(nil)

// NewByLanguage makes a synthesizer of the English voice and, where espeak-ng is installed, the voice for other languages; nil
// means that it is not.
func NewByLanguage(english tts.Synthesizer, others *Espeak) *ByLanguage {
	return &ByLanguage{english: english, others: others}
}

// Synthesize implements tts.Synthesizer.
func (b *ByLanguage) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	r.Language = languageOf(r.Text, r.Language)
	switch {
	case r.Language == english:
		return b.english.Synthesize(ctx, r)
	case espeakVoices[r.Language].name == "":
		return nil, refuse(fault.BadRequest, fmt.Errorf("no voice on this machine speaks %q; choose --tts openai", r.Language))
	case b.others == nil:
		return nil, refuse(fault.BadRequest, fmt.Errorf("nothing here speaks %q: %w", r.Language, ErrNoEspeak))
	}
	return b.others.Synthesize(ctx, r)
}

const english = "en"

// vietnamese are letters that tell Vietnamese from other languages in Latin script.
const vietnamese = "ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"

// languageOf is the language to read a text in. Chinese characters and Vietnamese letters tell; a text in neither, such as a
// formula, is in the language of its surroundings, and that is English where nobody says. A single foreign word in an
// English sentence (a candidate's name, say) does not turn the sentence.
func languageOf(text, tag string) string {
	own := baseOf(tag)
	if own == "" {
		own = english
	}
	han, viet, latin := census(text)
	switch {
	case han > 0 && (own == "zh" || han >= latin):
		return "zh"
	case viet > 0 && (own == "vi" || 3*viet >= latin):
		return "vi"
	}
	if espeakVoices[own].name != "" && latin >= englishWords && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
		return english
	}
	return own
}

// englishWords is how many words in plain letters, and nothing else, make an English sentence of a text in a Chinese or
// Vietnamese interview; fewer are terms.
const englishWords = 4

// census counts Chinese characters, Vietnamese words and words in Latin letters; a single letter is a symbol.
func census(text string) (han, viet, latin int) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(norm.NFC.String(text)), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		ideographs := 0
		for _, r := range word {
			if unicode.Is(unicode.Han, r) {
				ideographs++
			}
		}
		switch {
		case ideographs > 0:
			han += ideographs
		case strings.ContainsAny(word, vietnamese):
			viet++
			latin++
		case len(word) > 1:
			latin++
		}
	}
	return han, viet, latin
}

// baseOf is a BCP 47 tag's language, in lower case.
func baseOf(tag string) string {
	lang, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	return lang
}
