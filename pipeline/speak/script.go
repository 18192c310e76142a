package speak

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/pipeline/audio"
)

// speechRate is how many samples one character of text is taken to last while nothing better is known: 15 characters a second.
const speechRate = audio.VoiceRate / 15

// script maps the sound of an utterance to its words. It is safe for concurrent use: one goroutine writes, another follows.
type script struct {
	mu      sync.Mutex
	clauses []spoken
}

// spoken is a clause and where its sound lies in the utterance, in samples at 24 kHz.
type spoken struct {
	text    string
	start   int64
	samples int64 // written so far
	whole   bool  // all of it was written
}

// begin adds a clause whose sound comes next.
func (s *script) begin(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := spoken{text: text}
	if n := len(s.clauses); n > 0 {
		next.start = s.clauses[n-1].start + s.clauses[n-1].samples
	}
	s.clauses = append(s.clauses, next)
}

// wrote notes samples of the clause begun last.
func (s *script) wrote(n int) {
	s.mu.Lock()
	s.clauses[len(s.clauses)-1].samples += int64(n)
	s.mu.Unlock()
}

// end notes that the clause begun last was written to its end.
func (s *script) end() {
	s.mu.Lock()
	s.clauses[len(s.clauses)-1].whole = true
	s.mu.Unlock()
}

// text returns all clauses joined.
func (s *script) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, c := range s.clauses {
		join(&b, c.text)
	}
	return b.String()
}

// heard returns the words whose sound lies within the first samples of the utterance, rounded down to whole words.
func (s *script) heard(samples int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, c := range s.clauses {
		if c.whole && samples >= c.start+c.samples {
			join(&b, c.text)
			continue
		}
		if samples > c.start {
			join(&b, head(c.text, float64(samples-c.start)/float64(s.lengthLocked(c))))
		}
		break
	}
	return b.String()
}

// lengthLocked is the length of a clause in samples, estimated from the clauses before while it is not known.
func (s *script) lengthLocked(c spoken) int64 {
	if c.whole {
		return max(c.samples, 1)
	}
	letters, samples := 0, int64(0)
	for _, d := range s.clauses {
		if d.whole {
			letters += utf8.RuneCountInString(d.text)
			samples += d.samples
		}
	}
	rate := int64(speechRate)
	if letters > 0 {
		rate = samples / int64(letters)
	}
	return max(c.samples, rate*int64(utf8.RuneCountInString(c.text)), 1)
}

// head returns the whole words in the first fraction of text. In scripts without spaces every character counts as a word.
func head(text string, fraction float64) string {
	limit := int(fraction * float64(utf8.RuneCountInString(text)))
	cut, n := 0, 0
	for i, r := range text {
		if unicode.IsSpace(r) || wide(r) {
			cut = i
		}
		if n >= limit {
			return strings.TrimSpace(text[:cut])
		}
		n++
	}
	return text
}

// Join returns the pieces of an utterance as one text, with spaces between them where their script has spaces.
func Join(pieces ...string) string {
	var b strings.Builder
	for _, piece := range pieces {
		join(&b, piece)
	}
	return b.String()
}

// join appends the next piece of text, with a space unless the script does without.
func join(b *strings.Builder, text string) {
	if b.Len() > 0 && text != "" {
		last, _ := utf8.DecodeLastRuneInString(b.String())
		first, _ := utf8.DecodeRuneInString(text)
		if !wide(last) && !wide(first) {
			b.WriteByte(' ')
		}
	}
	b.WriteString(text)
}

// wide says that a rune belongs to a script written without spaces.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}
