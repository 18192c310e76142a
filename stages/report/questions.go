package report

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// questions lists the numbered questions, each with what was answered to it and how that was judged.
func (b *builder) questions() {
	for i, asked := range b.src.Asked {
		passed := b.passedOver(i)
		turns := b.turns(append(slices.Clone(passed), asked.Turns...))
		turns = slices.DeleteFunc(turns, func(t state.Turn) bool { return !b.answers(t) })
		if len(passed) > 0 && asked.Missing == ReasonUnanswered {
			asked.Missing = ReasonNothing
		}
		q := Question{ID: asked.Item, Number: i + 1, Text: asked.Text, Turns: []uint64{}}
		var said []string
		for _, t := range turns {
			q.Turns, said = append(q.Turns, t.ID), append(said, b.answer(t))
		}
		q.Answer = strings.Join(said, " ")
		if len(turns) > 0 {
			q.At, _ = b.clock.turn(turns[0])
		}
		if q.Assessment = b.assess(asked.Judged, turns); asked.Missing == ReasonUnanswered {
			q.Answer, q.Turns = "", []uint64{}
		}
		q.Excerpt = b.leavesOut(&q)
		b.r.Questions = append(b.r.Questions, q)
	}
	for i := range b.r.Questions {
		b.items = append(b.items, item{number: i + 1, name: b.words.Say("question_n", "n", number(i+1)), a: &b.r.Questions[i].Assessment})
	}
}

// passedOver are the turns between a numbered question, or its repetition, and the next thing that was asked in which something was told at
// length, and nothing else, although the talk took them for no answer.
func (b *builder) passedOver(at int) []uint64 {
	var out []uint64
	open := false
	for _, t := range b.u.Turns {
		switch agent := t.Speaker == state.SpeakerAgent; {
		case agent && puts(t, b.src.Asked[at].Text):
			open = true
		case agent && open && (t.Interrupted || strings.ContainsAny(t.Text, "?？")): // a question that was cut off has lost its sign
			open = false
		case open && !b.judgedWith(t.ID) && b.tellsOnly(t):
			out = append(out, t.ID)
		}
	}
	return out
}

// judgedWith reports whether a turn was judged with a numbered question.
func (b *builder) judgedWith(turn uint64) bool {
	return slices.ContainsFunc(b.src.Asked, func(a Asked) bool { return slices.Contains(a.Turns, turn) })
}

// leavesOut reports whether the candidate said more to a question than its answer holds, up to the next numbered question.
func (b *builder) leavesOut(q *Question) bool {
	said, open := "", false
	for _, t := range b.u.Turns {
		switch agent := t.Speaker == state.SpeakerAgent; {
		case agent && puts(t, q.Text):
			open = true
		case agent && open && slices.ContainsFunc(b.src.Asked, func(a Asked) bool { return puts(t, a.Text) }):
			open = false
		case !agent && (open || slices.Contains(q.Turns, t.ID)):
			said += t.Text + " "
		}
	}
	return strings.Join(strings.Fields(said), " ") != strings.Join(strings.Fields(q.Answer), " ")
}

// puts reports whether the interviewer's words put this question, or began to.
func puts(t state.Turn, question string) bool {
	if strings.Contains(t.Text, question) {
		return true
	}
	said := evaluate.Sentences(t.Text)
	if !t.Interrupted || len(said) == 0 {
		return false
	}
	begun := strings.TrimRight(said[len(said)-1], "…., ")
	return understand.Words(begun) >= fewestWords && strings.HasPrefix(question, strings.TrimSpace(begun))
}

// tellsOnly reports whether a turn tells something at length that was not told before, and does nothing else.
func (b *builder) tellsOnly(t state.Turn) bool {
	rules := b.src.Rules
	return rules != nil && t.Speaker == state.SpeakerCandidate && b.answers(t) && understand.Words(b.fresh(t)) >= substance &&
		!slices.ContainsFunc(rules.Acts(t.Text), func(a understand.Act) bool { return a.Kind != understand.ActAnswer })
}
