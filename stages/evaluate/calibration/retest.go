package calibration

import (
	"regexp"
	"strings"
	"unicode"
)

// Wording is the same answers as recognisers or people might have put them; no level should depend on it.
type Wording struct {
	Name   string
	Labels []Label
}

// Reworded says answers again: without signs and capitals, with fillers, and without articles, where the language has any.
func Reworded(labels []Label) []Wording {
	out := []Wording{{Name: "without signs"}, {Name: "with fillers"}, {Name: "without articles"}}
	for _, l := range labels {
		for i, again := range []string{unsigned(l.Answer), hesitant(l.Answer, l.Language), bare(l.Answer, l.Language)} {
			if again != l.Answer {
				l := l
				l.Answer = again
				out[i].Labels = append(out[i].Labels, l)
			}
		}
	}
	return out
}

// unsigned leaves out the signs that end sentences and phrases, as some recognisers do; those within numbers and formulas stay.
func unsigned(text string) string {
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		last := i+1 == len(runes)
		switch {
		case strings.ContainsRune("。，；：！？、", r), strings.ContainsRune(".,;:!?", r) && (last || unicode.IsSpace(runes[i+1])):
			if !last && !unicode.IsSpace(runes[i+1]) {
				b.WriteByte(' ')
			}
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// fillers of each language, with the place behind which they are put: each second comma.
var (
	fillers = map[string][]string{"en": {"um,", "you know,", "like,"}, "vi": {"ờ,", "thì,", "kiểu như,"}, "zh": {"嗯，", "那个，", "就是，"}}
	pause   = regexp.MustCompile(`[,.] |[，。]`)
)

func hesitant(text, language string) string {
	n := 0
	return pause.ReplaceAllStringFunc(text, func(sign string) string {
		if n++; n%2 == 0 || len(fillers[language]) == 0 {
			return sign
		}
		filler := fillers[language][n/2%len(fillers[language])]
		if strings.HasSuffix(sign, " ") {
			return sign + filler + " "
		}
		return sign + filler
	})
}

var article = regexp.MustCompile(`(?i)\b(?:the|an?) `)

// bare leaves out articles, as many do whose first language has none.
func bare(text, language string) string {
	if language != "en" {
		return text
	}
	return article.ReplaceAllString(text, "")
}
