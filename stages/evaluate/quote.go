package evaluate

import (
	"regexp"
	"strings"
)

// A quote is whole sentences, if they have no more bytes than wholeQuote. Of a longer one it is phrases, with quoteBytes at
// least on either side of what it shows, where there is as much. Words that run on without a phrase's end are cut between two
// of them, at most phraseBytes from what is shown.
const (
	wholeQuote  = 240
	quoteBytes  = 60
	phraseBytes = 160
)

// phrase ends where a new phrase may begin: behind a sign, or before a word that joins two phrases, as transcripts of speech
// often have no signs.
var phrase = regexp.MustCompile(`(?i)[,;:…–—]\s+|[，；：、]|\s(?:and|but|so|because|which|when|while|then|although|where|who|và|nhưng|vì|nên|rồi|khi|mà|sau đó)\s|但是|但|因为|所以|然后|而且|后来|于是`)

// around quotes what stands from start to end in a turn, with its sentence or the phrases around it. The quote stands in the
// turn letter by letter.
func around(t Turn, start, end int) Quote {
	s, e := SentenceAt(t.Content, start, end)
	if e-s > wholeQuote {
		cuts := phraseStarts(t.Content[s:e], s)
		s, e = before(t.Content, cuts, s, start), after(t.Content, cuts, e, end)
	}
	return Quote{Turn: t.ID, Text: strings.TrimRight(strings.TrimSpace(t.Content[s:e]), ",;:–—，；：、")}
}

// phraseStarts lists where phrases begin in a sentence that begins at offset.
func phraseStarts(sentence string, offset int) []int {
	var out []int
	for _, at := range phrase.FindAllStringIndex(sentence, -1) {
		sign := strings.TrimSpace(sentence[at[0]:at[1]])
		cut := at[1] // behind a sign
		if !strings.ContainsAny(sign, ",;:…–—，；：、") {
			cut = at[0] // before a word
		}
		out = append(out, offset+cut)
	}
	return out
}

// before returns where a quote begins: at the phrase nearest to quoteBytes before start, or beyond them.
func before(content string, cuts []int, least, start int) int {
	if start-least <= quoteBytes {
		return least
	}
	best := least
	for _, c := range cuts {
		if c <= start-quoteBytes {
			best = c
		}
	}
	if start-best <= phraseBytes {
		return best
	}
	for _, c := range cuts { // none is far enough away: the farthest that is near
		if c > start-quoteBytes && c <= start {
			return c
		}
	}
	return nextWord(content, start-quoteBytes, start)
}

// after returns where a quote ends: with the phrase nearest to quoteBytes behind end, or beyond them.
func after(content string, cuts []int, most, end int) int {
	if most-end <= quoteBytes {
		return most
	}
	near := -1
	for _, c := range cuts {
		switch {
		case c >= end+quoteBytes && c <= end+phraseBytes:
			return c
		case c >= end && c < end+quoteBytes:
			near = c
		}
	}
	switch {
	case most-end <= phraseBytes:
		return most
	case near >= 0:
		return near
	}
	return lastWord(content, end, end+quoteBytes)
}

// nextWord returns where the word after the one that holds byte from begins, at most limit.
func nextWord(content string, from, limit int) int {
	for i, r := range content[:limit] {
		if i >= from && (wide(r) || i > 0 && content[i-1] == ' ') {
			return i
		}
	}
	return limit
}

// lastWord returns where the last word that begins between least and to begins.
func lastWord(content string, least, to int) int {
	last := least
	for i, r := range content[:min(to+1, len(content))] {
		if i > least && (r == ' ' || wide(r)) {
			last = i
		}
	}
	return last
}
