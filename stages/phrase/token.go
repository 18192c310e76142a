package phrase

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark is what a word is for where pieces begin and end.
type mark uint32

const (
	banned      mark = 1 << iota // a filler, a word of doubt or a rude one: no piece holds it
	joint                        // joins clauses: a piece neither begins nor ends with it
	tight                        // a joint that holds what stands beside it together
	function                     // says nothing by itself
	opener                       // may open a phrase within a clause
	follower                     // a phrase may end before it
	copula                       // what follows it is a phrase
	neverFirst                   // no piece begins with it
	neverLast                    // no piece ends with it
	relative                     // a joint that says more of what stands before it
	couple                       // a joint that may couple two phrases
	shunned                      // bans its whole sentence
	complement                   // a joint that goes on with what stands before it: no piece ends there
	first                        // who tells it
	preposition                  // a phrase that begins with one hangs in the air
	numeral
	proper
)

// Marks that only the first, or the last, of several words in a row gets.
const (
	atFront = opener | follower | neverFirst
	atBack  = copula | neverLast
)

// What stands between a word and the one before it.
const (
	noGap   = iota
	softGap // a clause may begin here
	commaGap
	hardGap // one does
)

// token is a word of an answer; in a script without blanks, a character.
type token struct {
	word     string // in lower case
	from, to int    // bytes of the answer
	marks    mark
	gap      int
	rare     float64 // 0 = in everybody's mouth, 1 = never met
}

func (t *token) is(m mark) bool { return t.marks&m != 0 }

// tokens cuts an answer into words and marks them.
func (r *Rules) tokens(text string) []token {
	out := r.cut(text)
	for _, l := range r.lists {
		r.apply(out, l)
	}
	for i := range out {
		t := &out[i]
		t.rare = r.rarity(t)
		switch {
		case t.gap == commaGap && (r.wide || t.is(joint) || r.subjects[t.word] || r.restarts[t.word]):
			t.gap = hardGap
		case r.clauseBegins(out, i):
			t.gap = max(t.gap, softGap)
		}
	}
	r.skipSentences(text, out)
	return out
}

func (r *Rules) cut(text string) []token {
	var out []token
	end := 0
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(c) {
			i += size
			continue
		}
		from := i
		i += size
		if !wide(c) {
			i = wordEnd(text, i)
		}
		t := token{word: strings.ToLower(strings.ReplaceAll(text[from:i], "’", "'")), from: from, to: i, gap: r.gap(text[end:from], len(out) == 0)}
		if unicode.IsUpper(c) && t.gap < hardGap && len(out) > 0 && !strings.HasPrefix(t.word+"'", "i'") {
			t.marks |= proper
		}
		if unicode.IsDigit(c) {
			t.marks |= numeral
		}
		out, end = append(out, t), i
	}
	return out
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		c, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case wide(c):
			return i
		case inWord(c), c == '%':
		case strings.ContainsRune("'’-.,", c) && inWord(next) && (c != '.' && c != ',' || unicode.IsDigit(next)):
		default:
			return i
		}
		i += size
	}
	return i
}

func inWord(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Mn, c)
}

func wide(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// gap is what stands between two words.
func (r *Rules) gap(between string, first bool) int {
	switch {
	case first:
		return hardGap
	case strings.ContainsAny(between, ".!?;:…—–()[]{}\"“”\n。！？；：（）「」《》/|"):
		return hardGap
	case strings.ContainsAny(between, ",，、"):
		return commaGap
	case r.wide && strings.Contains(between, " "):
		return hardGap
	}
	return noGap
}

// list are words, or words in a row, that get a mark.
type list struct {
	mark mark
	of   map[string][][]string // by their first word
}

// apply marks the words of a list wherever they stand.
func (r *Rules) apply(tokens []token, l list) {
	for i := range tokens {
		for _, words := range l.of[tokens[i].word] {
			if !standsAt(tokens, i, words) {
				continue
			}
			for k := range words {
				if l.mark&atFront != 0 && k > 0 || l.mark&atBack != 0 && k < len(words)-1 {
					continue
				}
				tokens[i+k].marks |= l.mark
			}
		}
	}
}

func standsAt(tokens []token, i int, words []string) bool {
	if i+len(words) > len(tokens) {
		return false
	}
	for k, w := range words {
		if tokens[i+k].word != w || k > 0 && tokens[i+k].gap >= hardGap {
			return false
		}
	}
	return true
}

// clauseBegins reports whether a clause may begin at i although no mark stands there: recognisers write few.
func (r *Rules) clauseBegins(tokens []token, i int) bool {
	if i == 0 || !r.subjects[tokens[i].word] {
		return false
	}
	before := &tokens[i-1]
	return !r.holds[before.word] && !before.is(joint|copula)
}

// skipSentences bans the words of sentences that ask something, or that are not to be said back.
func (r *Rules) skipSentences(text string, tokens []token) {
	start := 0
	for i := range tokens {
		end := len(text)
		if i+1 < len(tokens) {
			end = tokens[i+1].from
		}
		after := text[tokens[i].to:end]
		if i+1 < len(tokens) && !strings.ContainsAny(after, ".!?。！？") {
			continue
		}
		foul := slices.ContainsFunc(tokens[start:i+1], func(t token) bool { return t.is(shunned) })
		for k := start; k <= i && (foul || strings.ContainsAny(after, "?？")); k++ {
			tokens[k].marks |= banned
		}
		start = i + 1
	}
}

// rarity is 1 for a word that the list does not have, and less the oftener it stands there.
func (r *Rules) rarity(t *token) float64 {
	if t.is(function) {
		return 0
	}
	n := r.counts[t.word]
	if !r.wide {
		n = max(n, r.counts[stem(t.word)], r.counts[stem(t.word)+"s"])
	}
	return r.rarityOf(n)
}

// endings are those of English words that are left away to count them as one.
var endings = []string{"'s", "ies", "es", "s", "ing", "ed"}

// stem takes an ending off a longer word of plain letters.
func stem(word string) string {
	for _, e := range endings {
		if s, cut := strings.CutSuffix(word, e); cut && len(s) >= 3 && !slices.Contains([]string{"ss", "us", "is"}, word[len(word)-2:]) {
			return s
		}
	}
	return word
}
