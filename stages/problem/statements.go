package problem

import (
	"slices"
	"strings"
)

// Listener tells which of several statements a text makes. It is read-only, and may be shared.
type Listener struct{ ears []heard }

// Statement is something that a candidate may hold to be so: in plain words as in Approach, by language.
type Statement struct {
	ID    string
	Plain map[string][]string
}

// Made is a statement that a text makes, with the sentence that makes it, as it stands there.
type Made struct{ ID, Quote string }

// Listen prepares the recognition of statements.
func Listen(list []Statement) *Listener {
	l := &Listener{ears: make([]heard, 0, len(list))}
	for i := range list {
		l.ears = append(l.ears, heard{id: list[i].ID, plain: wordings(list[i].Plain, nil)})
	}
	return l
}

// Hear returns the statements that a text makes, in the order in which it makes them, each once. What is denied, asked or merely
// mentioned is not stated (RM-3).
func (l *Listener) Hear(text, locale string) []Made {
	var out []Made
	for _, part := range sentenceTexts(text) {
		for _, s := range sentences(part) {
			for _, id := range claimed(l.ears, &s, language(locale)) {
				if !slices.ContainsFunc(out, func(m Made) bool { return m.ID == id }) {
					out = append(out, Made{id, strings.TrimSpace(part)})
				}
			}
		}
	}
	return out
}

// sentenceTexts are the sentences of a text as they stand there.
func sentenceTexts(text string) []string {
	var out []string
	from := 0
	for _, at := range stops.FindAllStringIndex(text, -1) {
		out = append(out, text[from:at[1]])
		from = at[1]
	}
	return append(out, text[from:])
}
