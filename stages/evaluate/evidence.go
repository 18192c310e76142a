package evaluate

import (
	"slices"
	"strings"
)

// shortestQuote is how many letters a quote needs to show anything.
const shortestQuote = 3

// Verify returns those quotes that the candidate really said in the turn they name, as they stand in the transcript:
// compared word by word, without regard to case, signs and spaces (RX-16). Quotes of the interviewer show nothing about
// the candidate.
func Verify(quotes []Quote, turns []Turn) []Quote {
	var out []Quote
	for _, q := range quotes {
		i := slices.IndexFunc(turns, func(t Turn) bool { return t.ID == q.Turn && t.Role == RoleUser })
		if i < 0 {
			continue
		}
		if text, ok := exact(q.Text, turns[i].Content); ok {
			out = append(out, Quote{Turn: q.Turn, Text: text})
		}
	}
	return out
}

// exact finds the words of a quote in a content and returns them as they stand there.
func exact(quote, content string) (string, bool) {
	want, said := tokens(quote), tokens(content)
	letters := 0
	for _, w := range want {
		letters += len(w.text)
	}
	if letters < shortestQuote {
		return "", false
	}
	plain := func(of string, t token) string { return fold(of[t.start:t.end]) }
	for i := 0; i+len(want) <= len(said); i++ {
		same := 0
		for same < len(want) && plain(quote, want[same]) == plain(content, said[i+same]) {
			same++
		}
		if same == len(want) {
			return strings.TrimSpace(content[said[i].start:said[i+same-1].end]), true
		}
	}
	return "", false
}
