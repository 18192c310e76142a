package speak

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markKind ranks the places where text can be cut; higher is better.
type markKind uint8

const (
	noMark markKind = iota
	spaceMark
	clauseEnd
	sentenceEnd
	lineBreak
)

// mark is a place to cut.
type mark struct {
	kind    markKind
	end     int  // in bytes, after the mark and what closes with it
	unknown bool // what follows decides, and has not come yet
}

// markAt judges the rune r at position i of text.
func markAt(text []byte, i int, r rune) mark {
	end := i + utf8.RuneLen(r)
	switch {
	case r == '\n':
		return mark{kind: lineBreak, end: end}
	case unicode.IsSpace(r):
		return mark{kind: spaceMark, end: end}
	case strings.ContainsRune("。！？", r):
		return closed(text, end, sentenceEnd)
	case strings.ContainsRune("，、；：", r):
		return mark{kind: clauseEnd, end: end}
	case strings.ContainsRune(",;:—–", r):
		return spaced(text, end, clauseEnd)
	case strings.ContainsRune("!?…", r):
		return spaced(text, end, sentenceEnd)
	case r == '.':
		return fullStop(text, i)
	}
	return mark{}
}

// closed takes closing quotes and brackets along, a few at most.
func closed(text []byte, end int, k markKind) mark {
	for limit := 4; limit > 0 && end < len(text); limit-- {
		r, n := utf8.DecodeRune(text[end:])
		if !strings.ContainsRune("\"'”’»)]」』）", r) {
			break
		}
		end += n
	}
	return mark{kind: k, end: end}
}

// spaced is a mark that counts only before a space: "3,000", "10:30" and "a?b" are no ends.
func spaced(text []byte, end int, k markKind) mark {
	m := closed(text, end, k)
	if m.end == len(text) {
		return mark{unknown: true}
	}
	if next, _ := utf8.DecodeRune(text[m.end:]); !unicode.IsSpace(next) {
		return mark{}
	}
	return m
}

// fullStop tells the end of a sentence from an abbreviation, an initial, or a point inside a number or name.
func fullStop(text []byte, i int) mark {
	m := spaced(text, i+1, sentenceEnd)
	if m.kind == noMark {
		return m
	}
	word := lastWord(text[:i])
	if abbreviations[strings.ToLower(word)] || initial(word) {
		return mark{}
	}
	return m
}

// lastWord is what stands before position end of text, back to the last space or bracket.
func lastWord(text []byte) string {
	return string(text[bytes.LastIndexAny(text, " \n(\"“")+1:])
}

// initial says that a word is a single capital other than I, or letters with points between them ("U.S", "e.g").
func initial(word string) bool {
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) && r != 'I'
	}
	if !strings.Contains(word, ".") {
		return false
	}
	for part := range strings.SplitSeq(word, ".") {
		if utf8.RuneCountInString(part) > 1 && !strings.EqualFold(part, "ph") {
			return false
		}
	}
	return !strings.HasSuffix(word, ".")
}

// abbreviations that are followed by more of the sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "sr": true, "jr": true, "vs": true,
	"approx": true, "fig": true, "dept": true, "est": true, "gen": true, "sen": true, "rep": true, "hon": true,
	"vol": true, "cf": true, "ca": true,
}
