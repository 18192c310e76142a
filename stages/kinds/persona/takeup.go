package persona

import (
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

// follow has the next question follow from the last answer, as far as rules can: every second one asks about a piece of it, word for
// word, in place of the bank's; the others name the piece before they go elsewhere (RM-18).
func (e questioner) follow(b *expert.Board, s Situation, number int, q Question) (lead string, _ Question) {
	piece := e.piece(b, s)
	if piece == "" {
		return "", q
	}
	words := e.cast.words
	if number%2 == 0 {
		wordings := prompts.In(words.TakeUp, b.Locale)
		if phrase.Percent(piece) {
			wordings = slices.Concat(prompts.In(words.Percent, b.Locale), wordings)
		}
		for _, w := range wordings {
			if text := strings.ReplaceAll(w, pieceField, piece); !used(b, w) && !repeats(s.Asked, text) {
				return "", Question{Text: text}
			}
		}
	}
	for _, w := range prompts.In(words.LeadIn, b.Locale) {
		if !used(b, w) {
			return strings.ReplaceAll(w, pieceField, piece), q
		}
	}
	return "", q
}

// piece is what of the last answer is worth taking up, or "".
func (e questioner) piece(b *expert.Board, s Situation) string {
	if n := len(s.Asked); n == 0 || len(s.History) == 0 || s.History[len(s.History)-1].Question != s.Asked[n-1] {
		return ""
	}
	answer := s.History[len(s.History)-1].Answer
	rules := phrase.For(b.Locale)
	if material.Instructs(answer) || rules.Secret(answer) || rules.Confided(answer) {
		return ""
	}
	var past phrase.Past
	for _, t := range b.History {
		if t.Role != evaluate.RoleUser {
			past.Taken = append(past.Taken, phrase.Quoted(t.Content)...)
		} else if topic, asks := rules.Leaves(t.Content); asks && topic != "" {
			past.Left = append(past.Left, topic)
		}
	}
	return rules.Pick(phrase.Answers(rulesFor(b.Locale).Acts(answer)), past)
}

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
