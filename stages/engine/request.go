package engine

import (
	"fmt"
	"slices"

	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Line is one message to a model.
type Line = respond.Line

// Lead lets a model lead the turn: its reply is one object by respond.Schema, of which say is spoken and reading comes back as a Read. The
// Say that carries it has no Text of its own: where the model fails, VoiceEnded says so and the rules go on. What the model is told, and
// what its words are held to, is made only when it is wanted: many moves are foreseen, and many replayed, that no model words.
type Lead struct {
	Must string // what the words have to do; empty = what fits the turn

	reply state.Reply     // what it is to do
	iv    *Interview      // in the language that it began in
	u     *state.UserData // as the Step left it
}

// Request is what the model is asked. again adds that its first try repeated a question.
func (l *Lead) Request(again bool) ([]Line, error) {
	s := brief{&l.iv.stepping(l.u).words}
	b, err := s.compose(&l.reply, again)
	if err != nil {
		return nil, fmt.Errorf("make the brief: %w", err)
	}
	return b.Lines(), nil
}

// Repeats reports whether a question was heard before, in the same or nearly the same words, and the candidate has not asked for it
// once more.
func (l *Lead) Repeats(question string) bool { return !l.wantsAgain() && heardBefore(l.u, question) }

// wantsAgain reports whether the candidate asked for the question once more.
func (l *Lead) wantsAgain() bool {
	v := l.u.Current()
	return v != nil && slices.Contains(l.iv.Speaking(l.u).Rules.Intents(v.Input), understand.Repeat)
}

// Reveals reports whether a text gives away what is hidden at this point of the interview, as Interview.Reveals does.
func (l *Lead) Reveals(text string) bool { return l.iv.Reveals(l.u, text) }

// Fence marks a text as the candidate's words: data to every model, never instructions.
func Fence(text string) string { return structured.Fence(text) }
