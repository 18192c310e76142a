package turn

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Features are what a transcript and its context say about whether the candidate has finished. Each is between 0 and 1,
// except Pause. Features of the sound (pitch, energy, lengthening) join here once they are measured.
type Features struct {
	// Terminal: ends with a full stop or exclamation mark.
	Terminal float64
	// Question: ends with a question mark.
	Question float64
	// Comma: ends with a comma, colon, semicolon, dash or ellipsis.
	Comma float64
	// Trailing: the last word calls for another: a conjunction, preposition or article.
	Trailing float64
	// Filler: the last word holds the floor: "um", "uh", "like".
	Filler float64
	// List: a list was begun and not closed with "and" or "or".
	List float64
	// Digits: ends with a number, so more of it may follow; after a full stop only where digits are being dictated.
	Digits float64
	// Short: fewer than three words.
	Short float64
	// QuickAnswer: a yes or no to a question that asks for one.
	QuickAnswer float64
	// Story: a longer account was asked for.
	Story float64
	// Pause: the candidate's usual pause above 0.5 s, in seconds, at most 1.5.
	Pause float64
}

// Weights are the log odds that each feature adds to the turn being complete.
type Weights struct {
	Bias                                                float64
	Terminal, Question, Comma, Trailing, Filler         float64
	List, Digits, Short, QuickAnswer, Story, UsualPause float64
}

// DefaultWeights are set by hand: a finished sentence waits the minimum, unpunctuated words about 0.3 s longer, a trailing
// "and" nearly the maximum.
var DefaultWeights = Weights{
	Bias:     0.6,
	Terminal: 2.5, Question: 2.5, Comma: -2, Trailing: -4.5, Filler: -4,
	List: -1.5, Digits: -1, Short: -0.5, QuickAnswer: 5, Story: -0.3, UsualPause: -0.5,
}

// Complete fuses the features into the probability that the turn is over. It is the one place where they meet.
func (w Weights) Complete(f Features) float64 {
	odds := w.Bias +
		w.Terminal*f.Terminal + w.Question*f.Question + w.Comma*f.Comma +
		w.Trailing*f.Trailing + w.Filler*f.Filler + w.List*f.List +
		w.Digits*f.Digits + w.Short*f.Short + w.QuickAnswer*f.QuickAnswer +
		w.Story*f.Story + w.UsualPause*f.Pause
	return 1 / (1 + math.Exp(-odds))
}

// Read takes the features of a state.
func Read(s State) Features {
	text := strings.TrimRight(strings.TrimSpace(s.Text), `"'”’)»`)
	words := Words(text)
	f := Features{Pause: min(max(s.Pause.Seconds()-0.5, 0), 1.5)}
	f.Terminal, f.Question, f.Comma = ending(text)
	if len(words) == 0 {
		return f
	}
	last := words[len(words)-1]
	f.Filler = truth(fillers[last])
	f.Trailing = truth(trailing[last] && f.Question == 0 && !pairIn(settled, words) || pairIn(pairs, words))
	f.Digits = truth(number(last) && (f.Terminal == 0 || len(words) > 1 && number(words[len(words)-2])))
	f.List = truth(openList(text))
	f.Short = truth(len(words) < 3)
	f.QuickAnswer = truth(s.Expect.Kind == YesNo && answers[words[0]] && len(words) <= 4 && f.Trailing+f.Filler+f.Comma == 0)
	f.Story = truth(s.Expect.Kind == Story)
	if f.Trailing+f.Filler > 0 { // recognisers like to close every segment with a full stop
		f.Terminal = 0
	}
	return f
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// ending reads the last mark of punctuation.
func ending(text string) (terminal, question, comma float64) {
	if strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…") {
		return 0, 0, 1
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	switch last {
	case '.', '!', '。', '！':
		return 1, 0, 0
	case '?', '？':
		return 0, 1, 0
	case ',', ';', ':', '-', '–', '—', '，', '、', '；', '：':
		return 0, 0, 1
	}
	return 0, 0, 0
}

// pairIn says that the last two words are one of the phrases.
func pairIn(phrases map[string]bool, words []string) bool {
	return len(words) > 1 && phrases[words[len(words)-2]+" "+words[len(words)-1]]
}

func number(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 || numerals[word]
}

// openList finds "a, b" without the closing "and c": two short items after a comma, none introduced by a conjunction.
func openList(text string) bool {
	clauses := strings.FieldsFunc(lastSentence(text), func(r rune) bool { return r == ',' || r == '、' })
	if len(clauses) < 2 {
		return false
	}
	item := Words(clauses[len(clauses)-1])
	if len(item) == 0 || len(item) > 3 {
		return false
	}
	return len(clauses) > 2 && !closing[item[0]] || announced(clauses[0])
}

// announced says that a clause promises a list: "for example", "such as", "things like", "first".
func announced(clause string) bool {
	words := Words(clause)
	for i, w := range words {
		if w == "first" || w == "firstly" || i > 0 && pairs[words[i-1]+" "+w] {
			return true
		}
	}
	return false
}

func lastSentence(text string) string {
	body := strings.TrimRight(text, ".!?…")
	return body[strings.LastIndexAny(body, ".!?")+1:]
}

// reason names the feature that weighs most.
func (f Features) reason() string {
	switch {
	case f.Filler > 0:
		return "ends with a filler"
	case f.Trailing > 0:
		return "last word calls for more"
	case f.QuickAnswer > 0:
		return "short answer to a yes or no question"
	case f.Question > 0:
		return "question"
	case f.List > 0:
		return "list not closed"
	case f.Comma > 0:
		return "clause not closed"
	case f.Digits > 0:
		return "ends with a number"
	case f.Terminal > 0:
		return "complete sentence"
	case f.Short > 0:
		return "one or two words"
	}
	return "end of sentence unknown"
}
