package understand

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/stages/conclusion"
)

// The word lists of the shipped rules.
const (
	LexiconComplexity = "complexity" // ways to speak of a cost
	LexiconShort      = "short"      // answers although they are short
	LexiconWork       = "work"       // words of somebody who works on a task

	LexiconConsent   = "consent"    // answers that agree to what was asked
	LexiconNoConsent = "no_consent" // answers that do not
	LexiconDoubt     = "doubt"      // answers that are neither

	LexiconAsksStory = "asks_story"  // questions of ours that earn an account
	LexiconAsksYesNo = "asks_yes_no" // that earn a yes or no
	LexiconAsksShort = "asks_short"  // that earn a few words: a name, a number, a choice

	LexiconStopRecording = "stop_recording" // ways to ask for the end of a recording
)

// lexicon is a list of words and patterns.
type lexicon struct {
	phrases  []string // as joined makes them
	patterns []*regexp.Regexp
}

// Mentions reports whether the text holds an entry of the named word list. An unknown list has none.
func (r *Rules) Mentions(name, text string) bool {
	list := r.lexicons[name]
	if name == LexiconComplexity && len(conclusion.Read(text).Claims) > 0 {
		return true
	}
	if holds(tokens(text), list.phrases) {
		return true
	}
	text = plain(norm.NFKC.String(strings.NewReplacer("²", "^2", "³", "^3").Replace(text)))
	return slices.ContainsFunc(list.patterns, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// Lexicon reports whether there is a word list of this name.
func (r *Rules) Lexicon(name string) bool { _, there := r.lexicons[name]; return there }

// Says reports whether the text holds one of the phrases: word for word, whatever stands between the words, singular
// or plural, written together or apart. In scripts without spaces every character is a word.
func Says(text string, phrases []string) bool { return Which(text, phrases) != "" }

// Which returns the first of the phrases that the text holds, or "".
func Which(text string, phrases []string) string {
	words := tokens(text)
	for _, phrase := range phrases {
		if holds(words, prepare([]string{phrase})) {
			return phrase
		}
	}
	return ""
}

// Reveals reports whether a text would give something away: whether it holds one of the synonyms, as Says finds them
// (R003-30). Spelling a synonym out ("h-a-s-h") or spacing it differently does not hide it.
func Reveals(text string, synonyms []string) bool { return Says(text, synonyms) }

// prepare joins the tokens of each phrase.
func prepare(phrases []string) []string {
	out := make([]string, 0, len(phrases))
	for _, phrase := range phrases {
		if joined := strings.Join(tokens(phrase), ""); joined != "" {
			out = append(out, joined)
		}
	}
	return out
}

// holds reports whether some words in a row are, written together, one of the phrases.
func holds(words, phrases []string) bool {
	for _, phrase := range phrases {
		for i := range words {
			if begins(words[i:], phrase) {
				return true
			}
		}
	}
	return false
}

func begins(words []string, phrase string) bool {
	for _, w := range words {
		rest, ok := strings.CutPrefix(phrase, w)
		if !ok {
			return false
		}
		if phrase = rest; phrase == "" {
			return true
		}
	}
	return false
}

// QuestionMarks counts them, those of Chinese too.
func QuestionMarks(text string) int { return strings.Count(text, "?") + strings.Count(text, "？") }

// Tokens splits a text into words as Says compares them: without case and plural; characters of scripts without spaces stand alone.
func Tokens(text string) []string { return tokens(text) }

// tokens splits a text into words without case and plural; characters of scripts without spaces stand alone.
func tokens(text string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, singular(word.String()))
			word.Reset()
		}
	}
	for _, c := range strings.ToLower(norm.NFKC.String(text)) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9': // nearly always: the tables need not be asked
			word.WriteByte(byte(c))
		case c < unicode.MaxASCII:
			flush()
		case wide(c):
			flush()
			out = append(out, string(c))
		case unicode.In(c, unicode.Mn, unicode.Cf): // marks, and characters that do not show
			continue
		case unicode.IsLetter(c) || unicode.IsNumber(c):
			word.WriteRune(c)
		default:
			flush()
		}
	}
	flush()
	return out
}

// wide reports whether the character belongs to a script that puts no spaces between words.
func wide(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func singular(w string) string {
	switch {
	case len(w) <= 3 || strings.HasSuffix(w, "ss"):
		return w
	case strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	}
	return strings.TrimSuffix(w, "s")
}
