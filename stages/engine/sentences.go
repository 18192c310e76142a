package engine

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// sentences cuts a text behind its full stops and marks. A stop within a word, as in 3.5, ends nothing.
func sentences(text string) []string {
	var out []string
	start := 0
	for i, c := range text {
		end := i + len(string(c))
		if !strings.ContainsRune(".!?。！？", c) || c == '.' && end < len(text) && text[end] != ' ' && text[end] < utf8.RuneSelf {
			continue
		}
		if sentence := strings.TrimSpace(text[start:end]); sentence != "" {
			out = append(out, sentence)
		}
		start = end
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// statements returns a text without its questions.
func statements(text string) string {
	return strings.Join(slices.DeleteFunc(sentences(text), asks), " ")
}

// questions returns the sentences of a text that end in a question mark, without it.
func questions(text string) []string {
	var out []string
	for _, sentence := range sentences(text) {
		if q := strings.TrimRight(sentence, "?？"); asks(sentence) && q != "" {
			out = append(out, strings.TrimSpace(q))
		}
	}
	return out
}

func asks(sentence string) bool {
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}
