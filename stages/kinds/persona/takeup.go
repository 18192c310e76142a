package persona

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/phrase"
)

// pieceField is what stands in a wording for the piece of an answer.
const pieceField = "{picked}"

// follow has the next question follow from the last answer, as far as rules can: it asks about a piece of it, word for word, in place of the
// bank's (RM-18). The first one takes up how they have introduced themselves.
func (e questioner) follow(b *expert.Board, brief Brief, q Question) Question {
	words, first := e.cast.words, brief.Number == 1
	piece, wordings := e.piece(b, brief.Situation), prompts.In(words.TakeUp, b.Locale)
	for i := len(brief.History) - 2; piece == "" && i >= 0; i-- { // what was told before may still be worth it
		piece = e.pieceOf(b, brief.History[i].Answer)
	}
	switch {
	case piece == "":
		return q
	case first:
		wordings = prompts.In(words.Introduced, b.Locale)
	case phrase.Percent(piece):
		wordings = slices.Concat(prompts.In(words.Percent, b.Locale), wordings)
	}
	for _, w := range wordings {
		if text := strings.ReplaceAll(e.fill(w, brief, ""), pieceField, piece); !used(b, w) && !repeats(brief.Asked, text) {
			if !first {
				q.Topic = ""
			}
			return Question{Text: text, Topic: q.Topic}
		}
	}
	return q
}

// piece is what of the last answer is worth taking up, or ""; before the first question it is of what they have just said. What they said in
// confidence, and what orders something, is left out.
func (e questioner) piece(b *expert.Board, s Situation) string {
	answer := b.Input
	if n := len(s.Asked); n > 0 {
		if len(s.History) == 0 || s.History[len(s.History)-1].Question != s.Asked[n-1] {
			return ""
		}
		answer = s.History[len(s.History)-1].Answer
	}
	return e.pieceOf(b, answer)
}

// pieceOf is what of an answer is worth taking up and was not.
func (e questioner) pieceOf(b *expert.Board, answer string) string {
	rules := phrase.For(b.Locale)
	if material.Instructs(answer) || rules.Secret(answer) { // "between us" is said of what follows, too
		return ""
	}
	open := sentence.ReplaceAllStringFunc(answer, func(one string) string {
		if rules.Confided(one) {
			return ""
		}
		return one
	})
	var past phrase.Past
	for _, t := range b.History {
		if t.Role != evaluate.RoleUser {
			past.Taken = append(past.Taken, phrase.Quoted(t.Content)...)
		} else if topic, asks := rules.Leaves(t.Content); asks && topic != "" {
			past.Left = append(past.Left, topic)
		}
	}
	return rules.Pick(phrase.Answers(rulesFor(b.Locale).Acts(open)), past)
}

// sentence is one of an answer.
var sentence = regexp.MustCompile(`[^.!?。！？]+[.!?。！？]*`)

// used reports whether a wording was heard, about whatever piece.
func used(b *expert.Board, wording string) bool {
	before, after, _ := strings.Cut(wording, pieceField)
	return slices.ContainsFunc(b.History, func(t evaluate.Turn) bool {
		if t.Role == evaluate.RoleUser {
			return false
		}
		_, rest, found := strings.Cut(t.Content, before)
		return found && strings.Contains(rest, strings.TrimSpace(after)) && strings.TrimSpace(after) != ""
	})
}
