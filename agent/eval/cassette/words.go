package cassette

import (
	"fmt"
	"strings"
	"unicode"
)

// How much of a difference is shown, in bytes.
const (
	shownBefore = 40
	shownAfter  = 30
	maxShown    = 160
	maxClip     = 80
)

// differ shows the first difference of two texts, with a few words around it.
func differ(old, now string) string {
	old, now = oneLine(old), oneLine(now)
	a, b := words(old), words(now)
	front, back := shared(a, b)
	if front == len(a) && front == len(b) {
		return "only the spaces differ"
	}
	begin := len(strings.Join(a[:front], ""))
	tail := len(strings.Join(a[len(a)-back:], ""))
	return fmt.Sprintf("recorded %q, now %q", around(old, begin, len(old)-tail), around(now, begin, len(now)-tail))
}

// words cuts a line into words, of letters and digits, and what stands between them, character by character.
func words(line string) (out []string) {
	begin := 0
	for i, r := range line {
		if i > begin && (!inWord(r) || !inWord(rune(line[begin]))) {
			out = append(out, line[begin:i])
			begin = i
		}
	}
	if begin < len(line) {
		out = append(out, line[begin:])
	}
	return out
}

// inWord leaves out letters beyond ASCII: they count one by one, which every script can bear.
func inWord(r rune) bool { return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// around returns what stands from begin to end, with some before and after, cut between words.
func around(line string, begin, end int) string {
	var b strings.Builder
	from, at := begin-shownBefore, 0
	for _, w := range words(line) {
		here := at
		at += len(w)
		switch {
		case here < from:
		case b.Len() > maxShown || b.Len() > 0 && here >= end+shownAfter:
			return b.String() + "…"
		default:
			if b.Len() == 0 && here > 0 {
				b.WriteString("…")
			}
			if len(w) > maxShown {
				w = clip(w)
			}
			b.WriteString(w)
		}
	}
	return b.String()
}

// lineOf returns the line, from 1, of the first difference.
func lineOf(old, now text) int {
	front, _ := shared(strings.Split(string(old), "\n"), strings.Split(string(now), "\n"))
	return front + 1
}

// clip returns the beginning of a text, on one line.
func clip(s string) string {
	line := oneLine(s)
	if len(line) <= maxClip {
		return line
	}
	return strings.ToValidUTF8(line[:maxClip], "") + "…"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
