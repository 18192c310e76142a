package report

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// quoted says the one or two most particular things that were told, word for word; "" where nothing is. It is for a summary that has
// no score to tell: there is always something that was said (RM-17, RM-30).
func (b *builder) quoted() string {
	rules := phrase.For(b.r.Locale)
	past := phrase.Past{Own: true}
	for _, name := range []string{b.u.Candidate.Name, b.u.Slots["name"].Value} {
		if name != "" {
			past.Left = append(past.Left, name)
		}
	}
	first, second := b.particular(rules, past)
	switch {
	case first.piece == "":
		return ""
	case second.piece == "":
		return b.words.Say("spoken.quoted", "quote", first.piece)
	case second.turn < first.turn:
		first, second = second, first
	}
	return b.words.Say("spoken.quoted_two", "quote", first.piece, "other", second.piece)
}

// particular are the two most particular pieces of what was answered.
func (b *builder) particular(rules *phrase.Rules, past phrase.Past) (first, second said) {
	for i, t := range b.u.Turns {
		if t.Speaker != state.SpeakerCandidate || b.def.Personas != nil && t.Stage == b.def.Personas.Menu {
			continue
		}
		if topic, asks := rules.Leaves(t.Text); asks && topic != "" {
			past.Left = append(past.Left, topic)
		}
		if t.Aside || !b.answers(t) {
			continue
		}
		piece, worth := rules.Weigh(strings.Join(b.sentences(t), " "), past)
		switch s := (said{piece, worth, i}); {
		case piece == "", b.corrected(Quote{Turn: t.ID, Text: piece}):
		case worth > first.worth:
			first, second = s, first
		case worth > second.worth:
			second = s
		}
	}
	return first, second
}

// said is a piece of a turn.
type said struct {
	piece string
	worth float64
	turn  int
}

// corrected reports whether words did not stay as they were said: a note that rests on them was corrected later or, where rules alone
// listened, the candidate's next answer corrects them.
func (b *builder) corrected(q Quote) bool {
	noted := false
	for i, n := range b.u.Notebook {
		if noted = true; n.Turn != q.Turn || !strings.Contains(q.Text, n.Quote) && !strings.Contains(n.Quote, q.Text) {
			continue
		}
		if slices.ContainsFunc(b.u.Notebook[i+1:], func(o state.Note) bool { return o.ID == n.ID && o.Corrects && o.Turn > n.Turn }) {
			return true
		}
	}
	if noted || b.src.Rules == nil {
		return false
	}
	for _, t := range b.u.Turns {
		if t.ID > q.Turn && b.answers(t) {
			return slices.ContainsFunc(b.src.Rules.Acts(t.Text), func(a understand.Act) bool { return a.Kind == understand.ActCorrection })
		}
	}
	return false
}
