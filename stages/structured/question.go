package structured

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Question asks a model for one JSON object.
type Question struct {
	// Role is the name of the evaluator that asks; settings choose model and temperature by it.
	Role   string `json:"role"`
	System string `json:"system"`
	User   string `json:"user"`
	// Name and Schema describe the object, as a provider's structured output wants them: letters, digits, _ and -.
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	// MaxTokens bounds the answer; 0 = the caller's own bound.
	MaxTokens int `json:"max_tokens,omitempty"`
}

// badRunes bounds how much of a bad answer is shown to the model that gave it.
const badRunes = 2000

// Repair asks q once more, showing the answer that could not be used and what is wrong with it. The bad answer is
// fenced: it may repeat a candidate's words, and those stay data.
func Repair(q Question, bad string, problem error) Question {
	var b strings.Builder
	b.WriteString(q.User)
	b.WriteString("\n\nYour previous answer could not be used. It was:\n")
	b.WriteString(Wrap("previous_answer", clip(bad, badRunes)))
	fmt.Fprintf(&b, "\nWhat is wrong: %s.\nAnswer again with one JSON object that follows the schema, and nothing else.",
		strings.TrimRight(Escape(problem.Error()), "."))
	q.User = b.String()
	return q
}

// Fence marks a text as the candidate's words: data to every model, never instructions.
func Fence(text string) string { return Wrap("candidate", text) }

// Wrap puts a text between tags of the given name. The text can neither close them nor open others.
func Wrap(tag, text string) string { return "<" + tag + ">" + Escape(text) + "</" + tag + ">" }

// Escape takes from a text what could close a fence, and what people do not see.
func Escape(text string) string {
	return strings.NewReplacer("<", "‹", ">", "›").Replace(Visible(text))
}

// Visible returns a text without tags, marks of direction and all else that has no width: people do not see it, and models read it.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxLatin1 && unicode.In(r, unicode.Cf, unicode.Co, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, text)
}

// clip cuts text to at most n characters.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + " …"
}
