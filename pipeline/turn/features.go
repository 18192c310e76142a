package turn

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Feature is one thing that the words, the melody or the context say about whether the candidate has finished.
type Feature uint8

// The features. Those of the words are 0 or 1; those of the melody are centred and scaled so that they lie mostly within ±1, and are
// 0 where nothing was heard and where the words leave nothing open: a voice that reads a complete sentence with a strange melody is
// not kept waiting for it.
const (
	// Terminal: ends with a full stop or exclamation mark, and no word calls for more.
	Terminal Feature = iota
	// Question: ends with a question mark.
	Question
	// Comma: ends with a comma, colon, semicolon, dash or ellipsis.
	Comma
	// Conjunction: the last word joins a clause that has not come ("and", "because", "which").
	Conjunction
	// Function: the last word is an article, preposition, auxiliary or attribute that calls for another word.
	Function
	// Filler: the last word holds the floor: "um", "uh", "like".
	Filler
	// List: a list was begun and not closed with "and" or "or".
	List
	// Digits: ends with a number, so more of it may follow; after a full stop only where digits are being dictated.
	Digits
	// Dictation: ends with two numbers or more.
	Dictation
	// Subordinate: the last sentence opens with "when", "if", "although"…, and its main clause is to come.
	Subordinate
	// Subject: the last sentence begins with a noun that has no verb yet ("the people in my team").
	Subject
	// Hungry: the last word is a verb that wants an object ("we used").
	Hungry
	// Short: fewer than three words, in scripts that part words, where no short answer was asked for.
	Short
	// Settled: ends with words that close an answer ("that's it", "thank you", "as well").
	Settled
	// Phrase: closed with a full stop, and all that is against it is Dictation, List, or Subject in a turn that has nothing else: it may
	// be a whole answer as well ("the people in my last team.", "Monday, Tuesday."). It has no weight, but bounds the wait; see
	// Weights.Delay.
	Phrase
	// QuickAnswer: a yes or no to a question that asks for one.
	QuickAnswer
	// PitchFall: the pitch falls over the last 0.4 s; 1 for 20 semitones per second.
	PitchFall
	// PitchLow: the last pitch lies below the usual one; 1 for 5 semitones.
	PitchLow
	// LevelFall: the sound fades over the last 0.3 s; 1 for 80 dB per second.
	LevelFall
	// LevelLow: the last sound is below the usual level by more than 6 dB; 1 for 12 dB more.
	LevelLow
	// Lengthened: the last voiced run is longer than 0.2 s; 1 for 0.2 s more.
	Lengthened
	// AudioModel: the log odds of an external model of the sound, within ±4.
	AudioModel

	// FeatureCount is the number of features.
	FeatureCount
)

// String returns the feature's name.
func (f Feature) String() string {
	names := [FeatureCount]string{"Terminal", "Question", "Comma", "Conjunction", "Function", "Filler", "List", "Digits", "Dictation", "Subordinate", "Subject", "Hungry", "Short", "Settled", "Phrase", "QuickAnswer", "PitchFall", "PitchLow", "LevelFall", "LevelLow", "Lengthened", "AudioModel"}
	if f < FeatureCount {
		return names[f]
	}
	return fmt.Sprintf("feature(%d)", uint8(f))
}

// Features holds the value of each Feature.
type Features [FeatureCount]float64

// Read takes the features of a state.
func Read(s State) Features {
	var f Features
	f.readContext(s)
	text := strings.TrimRight(strings.TrimSpace(s.Text), `"'”’)»`)
	f.readEnding(text)
	if words := Words(text); len(words) > 0 {
		f.readWords(text, words)
		f[QuickAnswer] = truth(s.Expect.Kind == YesNo && answers[words[0]] && len(words) <= 4 && !f.callsForMore() && f[Comma] == 0)
	}
	if s.Expect.Kind == Brief || s.Expect.Kind == YesNo {
		f[Short] = 0
	}
	if f.callsForMore() { // recognisers like to close every segment with a full stop
		whole := f[Subject] == 0 || len(lastThought(text)) == len(text)
		f[Phrase] = truth(whole && f[Terminal] > 0 && f[Conjunction]+f[Function]+f[Filler]+f[Hungry]+f[Subordinate] == 0)
		f[Terminal] = 0
	} else if f[Dictation] > 0 {
		f[Phrase] = f[Terminal]
	}
	if f[Terminal]+f[Question]+f[QuickAnswer] == 0 {
		f.readTail(s.Tail)
	}
	return f
}

// callsForMore says that the last words cannot end a sentence, whatever mark is behind them.
func (f *Features) callsForMore() bool {
	return f[Conjunction]+f[Function]+f[Filler]+f[Hungry]+f[Subordinate]+f[Subject]+f[List] > 0
}

func (f *Features) readContext(s State) {
	if s.Audio > 0 {
		p := min(max(s.Audio, 0.018), 0.982) // log odds of ±4
		f[AudioModel] = math.Log(p / (1 - p))
	}
}

func (f *Features) readTail(t Tail) {
	if !t.Known {
		return
	}
	f[PitchFall] = atMost2(-t.PitchSlope / 20)
	f[PitchLow] = atMost2(-t.PitchEnd / 5)
	f[LevelFall] = atMost2(-t.LevelSlope / 80)
	f[LevelLow] = atMost2((-t.LevelEnd - 6) / 12)
	f[Lengthened] = atMost2((t.Lengthening - 0.2) / 0.2)
}

// atMost2 bounds v by ±2, so that one odd measurement does not outweigh everything else.
func atMost2(v float64) float64 { return min(max(v, -2), 2) }

func (f *Features) readWords(text string, words []string) {
	last := words[len(words)-1]
	thought := lastThought(text)
	sentence := Words(thought)
	f[Short] = truth(len(words) < 3 && strings.IndexFunc(text, ideograph) < 0)
	f[Digits] = truth(number(last) && (f[Terminal]+f[Question] == 0 || len(words) > 1 && number(words[len(words)-2])))
	f[Dictation] = truth(len(words) > 1 && number(last) && number(words[len(words)-2]))
	f[List] = truth(openList(text, thought) || enumerates(sentence))
	f.readClosing(words, sentence)
}

// readClosing reads whether the last words of a sentence call for more, or close it.
func (f *Features) readClosing(words, sentence []string) {
	last := words[len(words)-1]
	answer := len(sentence) < 5 && pairIn(agreeing, words)
	relative := stranded(sentence)
	f[Settled] = truth(closes(words) || answer)
	f[Function] = truth(pairIn(pairs, words) && !relative)
	if f[Question] > 0 {
		return
	}
	f[Filler] = truth(fillers[last] || last == "well" && len(sentence) < 3)
	f[Subordinate] = truth(subordinateOnly(sentence))
	if !answer && !pairIn(settled, words) {
		f[Conjunction] = truth(conjunctions[last])
		f[Function] = max(f[Function], truth(trailing[last] && !relative || attributive(words)))
	}
	if f[Settled] == 0 {
		f[Subject] = truth(subjectOnly(sentence))
		f[Hungry] = truth(!relative && hungry(words))
	}
}

func ideograph(r rune) bool { return unicode.Is(unicode.Han, r) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// readEnding reads the last mark of punctuation.
func (f *Features) readEnding(text string) {
	if strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…") {
		f[Comma] = 1
		return
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	switch last {
	case '.', '!', '。', '！':
		f[Terminal] = 1
	case '?', '？':
		f[Question] = 1
	case ',', ';', ':', '-', '–', '—', '，', '、', '；', '：':
		f[Comma] = 1
	}
}

// pairIn says that the last two words are one of the phrases.
func pairIn(phrases map[string]bool, words []string) bool {
	return len(words) > 1 && phrases[words[len(words)-2]+" "+words[len(words)-1]]
}

func number(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 || numerals[word]
}

// closes says that the words end as answers end.
func closes(words []string) bool {
	tail := " " + strings.Join(words[max(0, len(words)-3):], " ")
	for _, phrase := range closers {
		if strings.HasSuffix(tail, phrase) {
			return true
		}
	}
	return false
}

// reasons are what a feature is called in the trace, strongest first.
var reasons = []struct {
	feature Feature
	text    string
}{
	{Filler, "ends with a filler"},
	{Conjunction, "last word calls for more"},
	{Function, "last word calls for more"},
	{Subordinate, "main clause to come"},
	{Phrase, "a whole answer or the beginning of one"},
	{Subject, "subject without its verb"},
	{Hungry, "verb without its object"},
	{QuickAnswer, "short answer to a yes or no question"},
	{Question, "question"},
	{List, "list not closed"},
	{Comma, "clause not closed"},
	{Dictation, "digits are dictated"},
	{Digits, "ends with a number"},
	{Terminal, "complete sentence"},
	{Settled, "words that close an answer"},
	{Short, "one or two words"},
}

// reason names the feature that says most.
func (f *Features) reason() string {
	for _, r := range reasons {
		if f[r.feature] > 0 {
			return r.text
		}
	}
	return "end of sentence unknown"
}
