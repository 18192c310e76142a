package judge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/evaluate"
)

// record is what was said, to look quotes up in.
type record []talk.Line

func (r record) has(line int) bool {
	return slices.ContainsFunc(r, func(l talk.Line) bool { return l.N == line })
}

// find looks for a quote in the line that it is said to stand in, and then anywhere, in what the speaker said (empty: anybody).
// It returns the line and the words as they stand there. An empty quote stands in every line, and in none (0).
func (r record) find(line int, quote string, by talk.Speaker) (at int, words string, ok bool) {
	if line != 0 && !r.has(line) {
		return 0, "", false
	}
	quote = strings.TrimSpace(quote)
	if quote == "" {
		return line, "", true
	}
	for _, nearby := range []bool{true, false} {
		for _, l := range r {
			if nearby != (l.N == line) || by != "" && l.Speaker != by {
				continue
			}
			if words, ok := stands(quote, l); ok {
				return l.N, words, true
			}
		}
	}
	return 0, "", false
}

// gaps are where a judge leaves words out, inside a quote or at its ends.
var gaps = regexp.MustCompile(`\s*(?:…|\.{3,}|\[…\]|\[\.{3}\])\s*`)

// stands finds a quote in a line, or in the code that was typed there. Where words are left out, its pieces follow each other.
func stands(quote string, l talk.Line) (string, bool) {
	pieces := slices.DeleteFunc(gaps.Split(quote, -1), func(p string) bool { return strings.TrimSpace(p) == "" })
	for _, text := range []string{l.Text, l.Code} {
		rest := text
		var found []string
		for _, p := range pieces {
			words, ok := within(p, rest)
			if !ok {
				break
			}
			found = append(found, words)
			_, rest, _ = strings.Cut(rest, words)
		}
		if len(found) > 0 && len(found) == len(pieces) {
			return strings.Join(found, " … "), true
		}
	}
	return "", false
}

// within finds a quote in a text and returns it as it stands there: word by word as the project's own verifier does it, and
// otherwise letter by letter, for what is too short for that or has more signs than words.
func within(quote, text string) (string, bool) {
	turn := evaluate.Turn{ID: 1, Role: evaluate.RoleUser, Content: text} // whoever said it
	if v := evaluate.Verify([]evaluate.Quote{{Turn: 1, Text: quote}}, []evaluate.Turn{turn}); len(v) > 0 {
		return v[0].Text, true
	}
	want, _ := plain(quote)
	said, from := plain(text)
	if words := trim(want); words != "" && words == trim(said) {
		return strings.TrimSpace(text), true
	}
	i := strings.Index(said, want)
	if utf8.RuneCountInString(want) < shortest || i < 0 {
		return "", false
	}
	return strings.TrimSpace(text[from[i]:from[i+len(want)]]), true
}

// trim takes off the signs around a text.
func trim(text string) string { return strings.TrimFunc(text, unicode.IsPunct) }

// shortest is how many letters and signs a piece of a line needs to be more than chance.
const shortest = 3

// signs are shown to a judge, or written by one, in another form than they have in a talk.
var signs = map[rune]rune{'‹': '<', '›': '>', '“': '"', '”': '"', '’': '\'', '‘': '\''}

// plain makes equal what differs by case, spaces and the form of signs. from says for each byte where it comes from, and where
// the text ends.
func plain(text string) (same string, from []int) {
	var b strings.Builder
	spaced := true // none at the start
	for i, r := range text {
		space := unicode.IsSpace(r)
		if space && spaced {
			continue
		}
		spaced = space
		switch other, is := signs[r]; {
		case space:
			r = ' '
		case is:
			r = other
		default:
			r = unicode.ToLower(r)
		}
		n, _ := b.WriteRune(r)
		for range n {
			from = append(from, i)
		}
	}
	same = strings.TrimRight(b.String(), " ")
	return same, append(from[:len(same):len(same)], len(strings.TrimRightFunc(text, unicode.IsSpace)))
}

// tidy puts what a judge wrote on one line.
func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }
