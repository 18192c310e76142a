package understand

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Verdict says whether a turn is an answer.
type Verdict string

// The verdicts.
const (
	Valid    Verdict = "ok"
	Empty    Verdict = "empty"
	Short    Verdict = "short"
	Repeated Verdict = "repeated"
	OffTopic Verdict = "off_topic"
)

// Defaults of Bounds.
const (
	DefaultShort  = 5 // letters: fewer are too short, exactly so many pass (R003-73)
	DefaultWindow = 3 // turns (R003-75)
)

// offTopicWords is how many words a turn needs before it can be off the topic.
const offTopicWords = 4

// Bounds say what counts as an answer. The zero value is the default without a test of the topic.
type Bounds struct {
	ShortBelow int // fewer letters are too short; 0 = DefaultShort
	Window     int // how many of the turns before are compared; 0 = DefaultWindow
	// Lexicon are words that are an answer although they are short, beyond the rules' own (R003-74).
	Lexicon []string
	// OffTopic compares the turn with the words of somebody at work and with those of Topic: a turn of four words
	// or more that holds none of either is off the topic.
	OffTopic bool
	Topic    []string
}

// Validity judges a turn whose intents have been dealt with before (R003-47). recent are the candidate's turns before
// it, the latest last. Silence is no turn: it belongs to the silence ladder (R003-78).
func (r *Rules) Validity(text string, recent []string, b Bounds) Verdict {
	letters, symbols := count(text)
	if letters+symbols == 0 {
		return Empty
	}
	words := tokens(text)
	answer := holds(words, r.lexicons[LexiconShort].phrases) || r.Mentions(LexiconComplexity, text) ||
		r.Mentions(LexiconShort, text) || Says(text, b.Lexicon)
	below := b.ShortBelow
	if below == 0 {
		below = DefaultShort
	}
	if letters < below {
		if answer {
			return Valid
		}
		return Short
	}
	if len(words) > 1 && repeats(words, recent, b.Window) {
		return Repeated
	}
	if b.OffTopic && !answer && r.strays(text, b.Topic) {
		return OffTopic
	}
	return Valid
}

// count returns the letters of a text, in any script, and the digits and symbols that may stand for an answer.
func count(text string) (letters, symbols int) {
	for _, c := range norm.NFC.String(text) {
		switch {
		case unicode.IsLetter(c):
			letters++
		case unicode.IsNumber(c) || unicode.IsSymbol(c):
			symbols++
		}
	}
	return letters, symbols
}

func repeats(words, recent []string, window int) bool {
	if window == 0 {
		window = DefaultWindow
	}
	recent = recent[max(0, len(recent)-window):]
	text := strings.Join(words, " ")
	return slices.ContainsFunc(recent, func(before string) bool { return strings.Join(tokens(before), " ") == text })
}

func (r *Rules) strays(text string, topic []string) bool {
	return Words(text) >= offTopicWords && !r.Mentions(LexiconWork, text) && !Says(text, topic)
}
