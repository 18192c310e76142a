package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// noAnswer are the intents of a turn that answers nothing: it asks for something, or will not answer.
var noAnswer = []understand.Intent{
	understand.Think, understand.Repeat, understand.Refuse, understand.End, understand.Answer, understand.Frustrated, understand.Skip,
	understand.Hint,
}

// atALoss are the intents of somebody who may be given a hint.
var atALoss = []understand.Intent{understand.Hint, understand.Answer, understand.Frustrated, understand.Refuse, understand.Repeat}

const (
	// substance is how many words a turn needs to be an answer although it also asks for something.
	substance = 12
	// fewestAsked is how many words a question of the candidate has at least: "A heap?" is a guess, and an answer.
	fewestAsked = 4
	// fewestRepeated is how many words a turn has at least that is taken for the repetition of another: "Yes." answers each time.
	fewestRepeated = 6
)

// answers reports whether a turn of the candidate answers something: silence, requests, refusals, questions and what was said before do
// not (RM-31).
func (b *builder) answers(t state.Turn) bool {
	return t.Speaker == state.SpeakerCandidate && understand.Words(b.fresh(t)) > 0
}

// fresh is what of a turn is new and answers: without the candidate's own questions, requests and refusals, without orders to a machine and
// scorn, and without what they had said before, word for word. Who says a thing again, in the same turn or a later one, answers one question
// with it, not two.
func (b *builder) fresh(t state.Turn) string {
	if known, is := b.said[t.ID]; is {
		return known
	}
	var before strings.Builder
	for _, o := range b.u.Turns {
		if o.ID < t.ID && o.Speaker == t.Speaker {
			before.WriteString(b.lines(o))
		}
	}
	var kept strings.Builder
	sentences := evaluate.Sentences(unasked(t.Text))
	for i, s := range sentences {
		if i == 0 && len(sentences) > 1 && b.goesOn(t) {
			before.WriteString(folded(s) + "\n")
			continue
		}
		if !repeated(before.String(), s) && !stump(before.String(), sentences, i) && !phrase.Scorns(s) && !toMachine(s) && !b.only(s) {
			kept.WriteString(s)
		}
		before.WriteString(folded(s) + "\n")
	}
	b.said[t.ID] = kept.String()
	return b.said[t.ID]
}

// lines are a turn and each of its sentences, folded, one a line.
func (b *builder) lines(t state.Turn) string {
	known, is := b.folded[t.ID]
	if is {
		return known
	}
	out := folded(t.Text) + "\n"
	for _, s := range evaluate.Sentences(t.Text) {
		out += folded(s) + "\n"
	}
	b.folded[t.ID] = out
	return out
}

// repeated reports whether a sentence, or one that it is the end of, was said before. Short ones may answer each time.
func repeated(before, sentence string) bool {
	words := understand.Words(sentence)
	begins, _ := utf8.DecodeRuneInString(strings.TrimSpace(sentence))
	return (words >= fewestRepeated || unicode.IsLower(begins) && words >= fewestWords) && strings.Contains(before, folded(sentence))
}

// stump reports whether a sentence at an edge of a turn that has others is a piece of one that was said before: the end of a turn cut it off.
func stump(before string, sentences []string, at int) bool {
	text, first, last := strings.TrimSpace(sentences[at]), at == 0, at == len(sentences)-1
	begins, _ := utf8.DecodeRuneInString(text)
	ends, _ := utf8.DecodeLastRuneInString(text)
	piece := folded(text)
	switch {
	case first == last || piece == "":
		return false
	case first:
		return unicode.IsLower(begins) && strings.Contains(before, " "+piece+"\n")
	}
	return !unicode.IsPunct(ends) && strings.Contains("\n"+before, "\n"+piece+" ")
}

// goesOn reports whether a turn begins with the end of a sentence that the turn before was cut off in, before the interviewer asked something else.
func (b *builder) goesOn(t state.Turn) bool {
	begins, _ := utf8.DecodeRuneInString(strings.TrimSpace(t.Text))
	last, asked := "", false
	for _, o := range b.u.Turns {
		switch {
		case o.ID >= t.ID:
		case o.Speaker == t.Speaker:
			last, asked = strings.TrimSpace(o.Text), false
		default:
			asked = asked || strings.ContainsAny(o.Text, "?？")
		}
	}
	ends, _ := utf8.DecodeLastRuneInString(last)
	return unicode.IsLower(begins) && asked && last != "" && (!unicode.IsPunct(ends) || ends == ',') && strings.ContainsAny(last, ".!?")
}

// only reports whether a sentence does nothing but ask for something or refuse it.
func (b *builder) only(sentence string) bool {
	rules := b.src.Rules
	if rules == nil || understand.Words(sentence) >= substance {
		return false
	}
	if l := understand.Language(sentence, b.words.Language); l != b.words.Language { // candidates mix languages
		if own, err := understand.Load(understand.Shipped(), l); err == nil {
			rules = own
		}
	}
	asks := func(i understand.Intent) bool { return slices.Contains(noAnswer, i) }
	return slices.ContainsFunc(rules.Intents(sentence), asks) || !slices.ContainsFunc(rules.Acts(sentence), func(a understand.Act) bool {
		return answering(a) || a.Kind == understand.ActEmotion || a.Kind == understand.ActQuestion || a.Kind == understand.ActRemark
	})
}

// folded makes the same words look the same.
func folded(text string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(text), " ")), ".,!?。，！？ ")
}

// toMachine reports whether a sentence speaks to a program or a judge, and not to an interviewer.
func toMachine(sentence string) bool {
	_, found := evaluate.Screen([]evaluate.Turn{{Role: evaluate.RoleUser, Content: sentence}})
	return found || material.Instructs(sentence)
}

// unasked returns a text without its questions.
func unasked(text string) string {
	var kept strings.Builder
	start := 0
	for i, c := range text {
		if !strings.ContainsRune(".!?。！？", c) {
			continue
		}
		end := i + len(string(c))
		sentence := text[start:end]
		start = end
		quoted := strings.HasPrefix(text[end:], `"`) || strings.HasPrefix(text[end:], "”") // somebody else's, told
		if c != '?' && c != '？' || understand.Words(sentence) < fewestAsked || quoted {
			kept.WriteString(sentence)
		}
	}
	kept.WriteString(text[start:])
	return kept.String()
}

// answersOf are the answers among the turns of these visits.
func (b *builder) answersOf(visits []uint64) []state.Turn {
	var out []state.Turn
	for _, t := range b.u.Turns {
		if slices.Contains(visits, t.Visit) && b.answers(t) {
			out = append(out, t)
		}
	}
	return out
}

// answer is what of a turn answers and is new, without words about how the candidate feels.
func (b *builder) answer(t state.Turn) string {
	text := strings.TrimSpace(b.fresh(t))
	if b.src.Rules == nil {
		return text
	}
	kept := text
	for _, a := range b.src.Rules.Acts(text) {
		if a.Kind == understand.ActEmotion || a.Kind == understand.ActDistress {
			kept = strings.Replace(kept, a.Text, "", 1)
		}
	}
	if kept = strings.Join(strings.Fields(kept), " "); understand.Words(kept) < fewestWords {
		return text
	}
	return strings.TrimLeft(kept, ".,!?。，！？ ")
}
