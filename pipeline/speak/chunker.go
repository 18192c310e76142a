package speak

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths of clauses in characters. The first clause is short so that the voice starts early; later ones are whole sentences,
// which sound better.
const (
	firstClause = 12   // from here the first clause ends at any clause mark
	firstSpace  = 60   // from here the first clause ends at a space
	sentenceMin = 20   // shorter sentences are joined with the next
	sentenceMax = 200  // longer ones are cut at the best place before
	wordMax     = 1000 // what has no place to cut at all is cut here, so that memory and work stay bounded
)

// Clause is a piece of text to be spoken in one go.
type Clause struct {
	Text string
	// Fixed says that the words are the same in every interview: tts.Request.Fixed. A Chunker cannot know and leaves it false.
	Fixed bool
}

// Chunker cuts streamed text into clauses. It keeps every letter outside code blocks and link targets, in order, and cuts
// neither words nor numbers (of less than 1000 characters). The zero value is ready; it is not safe for concurrent use.
type Chunker struct {
	clean   cleaner
	begun   bool
	split   []byte // the head of a rune whose rest has not come
	pending []byte // cleaned text not yet returned
	spoken  bool   // a clause was returned
}

// Clauses cuts a complete text.
func Clauses(text string) []Clause {
	var c Chunker
	return append(c.Push(text), c.Flush()...)
}

// Push takes the next piece of text and returns the clauses it completes.
func (c *Chunker) Push(delta string) []Clause {
	if !c.begun {
		c.begun, c.clean.lineStart = true, true
	}
	raw := append(c.split, delta...) //nolint:gocritic // split is emptied below
	c.split = nil
	for len(raw) > 0 {
		if !utf8.FullRune(raw) {
			c.split = append([]byte(nil), raw...)
			break
		}
		r, n := utf8.DecodeRune(raw)
		if r != utf8.RuneError || n > 1 {
			c.pending = c.clean.clean(c.pending, r)
		}
		raw = raw[n:]
	}
	return c.cut(nil)
}

// Flush returns what is left; the chunker is ready for the next text.
func (c *Chunker) Flush() []Clause {
	c.pending = c.clean.release(c.pending)
	clauses := c.cut(nil)
	if text := squeeze(c.pending); speakable(text) {
		clauses = append(clauses, Clause{Text: text})
	}
	*c = Chunker{}
	return clauses
}

// cut appends the complete clauses of pending.
func (c *Chunker) cut(dst []Clause) []Clause {
	for {
		c.pending = bytes.TrimLeft(c.pending, " \n")
		end := c.boundary()
		if end == 0 {
			return dst
		}
		text := squeeze(c.pending[:end])
		c.pending = c.pending[end:]
		if speakable(text) {
			dst = append(dst, Clause{Text: text})
			c.spoken = true
		}
	}
}

// boundary returns where the next clause ends, in bytes of pending, or 0 while that cannot be told.
func (c *Chunker) boundary() (end int) {
	var best mark // the last place to cut should the sentence become too long
	length := 0
	for i, r := range string(c.pending) {
		if length++; length > wordMax {
			return i
		}
		m := markAt(c.pending, i, r)
		if m.unknown {
			return 0
		}
		if c.enough(m.kind, length) {
			return m.end
		}
		if m.kind != noMark && m.kind >= best.kind && length >= sentenceMin {
			best = m
		}
		if length >= sentenceMax && best.kind != noMark {
			return best.end
		}
	}
	return 0
}

// enough says whether a clause of this length ends at such a mark.
func (c *Chunker) enough(k markKind, length int) bool {
	if c.spoken {
		return k == sentenceEnd && length >= sentenceMin || k == lineBreak && length > 1
	}
	return k >= clauseEnd && length >= firstClause || k == spaceMark && length > firstSpace || k == lineBreak && length > 1
}

// squeeze trims text and joins runs of space.
func squeeze(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// speakable says whether there is anything to say in text.
func speakable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}
