package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text; a Han character is one by itself. Several may stand for one word of the text: "I'm" is "i", "am".
type token struct {
	word     string
	from, to int // where the word stands in the text, in bytes
	gap      gap // what stands before it
}

// gap is what stands between two words.
type gap uint8

const (
	blank  gap = iota
	breath     // a hesitation
	comma      // a comma, a colon, a dash; between Han characters, a blank
	stop       // what ends a sentence
	query      // a question mark
)

// tokenize cuts a text into words as the language counts them, and returns the gap behind the last one with them.
func (l *language) tokenize(into []token, text string) ([]token, gap) {
	before := stop
	han := false
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(c) {
			before = max(before, gapOf(c, text[i+size:]))
			i += size
			continue
		}
		end := i + size
		wide := unicode.Is(unicode.Han, c)
		for !wide && end < len(text) {
			c, n := utf8.DecodeRuneInString(text[end:])
			if (!inWord(c) && c != '\'' && c != '-') || unicode.Is(unicode.Han, c) {
				break
			}
			end += n
		}
		if wide && han && i > 0 && text[i-1] == ' ' {
			before = max(before, comma)
		}
		han = wide
		into, before = l.add(into, strings.ToLower(strings.TrimRight(text[i:end], "'-")), i, end, before)
		i = end
	}
	return into, before
}

func inWord(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c > unicode.MaxASCII && (unicode.IsLetter(c) || unicode.Is(unicode.Mn, c))
}

func gapOf(c rune, rest string) gap {
	switch c {
	case '?', '？':
		return query
	case '。', '！', '；', '\n', '…':
		return stop
	case '.', '!', ';':
		if rest == "" || rest[0] == ' ' {
			return stop
		}
	case ',', '，', '、', ':', '：', '–', '—':
		return comma
	}
	return blank
}

// add adds a word, or the words that stand for it, and returns the gap before the next one.
func (l *language) add(into []token, word string, from, to int, before gap) ([]token, gap) {
	if l.idle[word] {
		return into, max(before, breath)
	}
	if as, there := l.as[word]; there {
		for _, w := range as {
			into = append(into, token{w, from, to, before})
			before = blank
		}
		return into, blank
	}
	if at := strings.LastIndexByte(word, '\''); at > 0 {
		if clitic, ok := l.clitics[word[at+1:]]; ok {
			return append(into, token{word[:at], from, to, before}, token{clitic, from, to, blank}), blank
		}
	}
	if !strings.ContainsFunc(word, func(c rune) bool { return c < '0' || '9' < c }) {
		word = "#"
	}
	return append(into, token{word, from, to, before}), blank
}
