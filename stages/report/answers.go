package report

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// noAnswer are the intents of a turn that answers nothing: it asks for something, or will not answer.
var noAnswer = []understand.Intent{
	understand.Think, understand.Repeat, understand.Refuse, understand.End, understand.Answer, understand.Frustrated, understand.Skip,
	understand.Hint,
}

const (
	// substance is how many words a turn needs to be an answer although it also asks for something.
	substance = 12
	// fewestAsked is how many words a question of the candidate has at least: "A heap?" is a guess, and an answer.
	fewestAsked = 4
	// fewestRepeated is how many words a turn has at least that is taken for the repetition of another: "Yes." answers each time.
	fewestRepeated = 6
)

// answers reports whether a turn of the candidate answers something: silence, requests, refusals and questions do not (RM-31).
func (b *builder) answers(t state.Turn) bool {
	if t.Speaker != state.SpeakerCandidate {
		return false
	}
	words := understand.Words(unasked(t.Text))
	if words == 0 || words >= fewestRepeated && b.repeats(t) {
		return false
	}
	if b.src.Rules == nil || words >= substance {
		return true
	}
	intents := b.src.Rules.Intents(t.Text)
	return !slices.ContainsFunc(intents, func(i understand.Intent) bool { return slices.Contains(noAnswer, i) })
}

// repeats reports whether the candidate had said the same before, word for word: that answers one question, not two.
func (b *builder) repeats(t state.Turn) bool {
	return slices.ContainsFunc(b.u.Turns, func(before state.Turn) bool {
		return before.ID < t.ID && before.Speaker == t.Speaker && strings.EqualFold(strings.TrimSpace(before.Text), strings.TrimSpace(t.Text))
	})
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

// answer is what of a turn answers: without the candidate's own questions, and without words about how they feel.
func (b *builder) answer(t state.Turn) string {
	text := strings.TrimSpace(t.Text)
	if b.src.Rules == nil {
		return text
	}
	kept := text
	for _, a := range b.src.Rules.Acts(text) {
		if a.Kind == understand.ActEmotion || a.Kind == understand.ActDistress {
			kept = strings.Replace(kept, a.Text, "", 1)
		}
	}
	if kept = strings.Join(strings.Fields(unasked(kept)), " "); understand.Words(kept) < fewestWords {
		return text
	}
	return strings.TrimLeft(kept, ".,!?。，！？ ")
}
