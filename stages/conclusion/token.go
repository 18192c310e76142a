package conclusion

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number, a sign, or one character of a script without spaces. from and to are places in the text, in bytes.
type token struct {
	text     string // folded
	from, to int
}

// maxTokens bounds what is read of a text: its end counts, where the conclusion stands.
const maxTokens = 2000

// signs are characters that stand for others.
var signs = map[rune]string{
	'²': "^ 2", '³': "^ 3", 'ⁿ': "^ n", '·': "*", '×': "*", '⋅': "*", '∗': "*", '−': "-", '–': "-", '√': "sqrt", 'θ': "o", 'Θ': "o", 'ϴ': "o", '⊖': "o",
	'。': ".", '、': ",", '，': ",", '；': ";", '：': ":", '？': "?", '！': "!", '（': "(", '）': ")", '\n': ".", '…': ",", '—': ",", '~': "",
	'₂': "", '₁': "", '’': "'",
}

// tokenise cuts a text into tokens.
func tokenise(text string) []token {
	out := make([]token, 0, len(text)/5+4)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		r = narrow(r)
		switch {
		case isWord(r):
			end := wordEnd(text, i)
			out = appendWord(out, text[i:end], i)
			i = end
			continue
		case isDigit(r):
			end := numberEnd(text, i)
			out = append(out, token{strings.ReplaceAll(narrowed(text[i:end]), ",", ""), i, end})
			i = end
			continue
		case isHan(r):
			out = append(out, token{text[i : i+size], i, i + size})
		default:
			out = appendSign(out, text, r, i, size)
		}
		i += size
	}
	out = splitOrders(out)
	if len(out) > maxTokens {
		out = out[len(out)-maxTokens:]
	}
	return out
}

// splitOrders reads "on" beside Chinese as O n, as recognisers write it.
func splitOrders(tokens []token) []token {
	han := func(i int) bool {
		return i >= 0 && i < len(tokens) && isHan([]rune(tokens[i].text)[0])
	}
	for i := 0; i < len(tokens); i++ {
		if t := tokens[i]; t.text == "on" && (han(i-1) || han(i+1)) {
			tokens = slices.Insert(tokens, i+1, token{"n", t.from + 1, t.to})
			tokens[i] = token{"o", t.from, t.from + 1}
		}
	}
	return tokens
}

func appendSign(out []token, text string, r rune, i, size int) []token {
	if s, known := signs[r]; known {
		for _, part := range strings.Fields(s) {
			out = append(out, token{part, i, i + size})
		}
		return out
	}
	switch r {
	case '*':
		if n := len(out); n > 0 && out[n-1].text == "*" && out[n-1].to == i { // n**2, or words in bold
			out[n-1] = token{"^", out[n-1].from, i + size}
			return out
		}
		return append(out, token{"*", i, i + size})
	case '-':
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		if unicode.IsLetter(before) && unicode.IsLetter(after) { // log-linear
			return out
		}
		return append(out, token{"-", i, i + size})
	case '(', ')', '^', '+', '/', '|', '!', ',', ';', ':', '.', '?':
		return append(out, token{string(r), i, i + size})
	}
	return out
}

// appendWord appends a word in lower case, cut where formulas are written without spaces: nlogn, o1.
func appendWord(out []token, word string, at int) []token {
	folded := strings.ToLower(strings.ReplaceAll(narrowed(word), "’", "'"))
	if head, tail, found := strings.Cut(folded, "log"); found && len(folded) == len(word) && len(head) <= 1 && len(tail) == 1 && head != "b" && tail != "s" {
		if head != "" {
			out = append(out, token{head, at, at + 1})
		}
		return append(out, token{"log", at + len(head), at + len(head) + 3}, token{tail, at + len(head) + 3, at + len(word)})
	}
	if head, found := strings.CutSuffix(folded, "log"); found && len(head) == 1 && strings.Contains(letters, head) && len(folded) == len(word) {
		return append(out, token{head, at, at + 1}, token{"log", at + 1, at + len(word)})
	}
	return append(out, token{folded, at, at + len(word)})
}

// narrow returns the plain form of a letter of full width.
func narrow(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		return r - 0xFEE0
	}
	return r
}

func narrowed(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(narrow, s)
		}
	}
	return s
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isHan(r rune) bool { return r >= 0x3400 && r <= 0x9fff }

func isWord(r rune) bool { return unicode.IsLetter(r) && !isHan(r) && signs[r] == "" }

// wordEnd is the end of the word that begins at from; an apostrophe within it belongs to it.
func wordEnd(text string, from int) int {
	i := from
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r = narrow(r); isWord(r) || unicode.Is(unicode.Mn, r) {
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if (r == '\'' || r == '’') && i > from && unicode.IsLetter(next) {
			i += size
			continue
		}
		break
	}
	return i
}

func numberEnd(text string, from int) int {
	i := from
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isDigit(narrow(r)) {
			i += size
			continue
		}
		if (r == '.' || r == ',') && i+1 < len(text) && isDigit(rune(text[i+1])) && (r == '.' || groupOfThree(text[i+1:])) {
			i++
			continue
		}
		break
	}
	return i
}

// groupOfThree reports whether three digits come, and no fourth: 10,000.
func groupOfThree(text string) bool {
	n := 0
	for n < len(text) && isDigit(rune(text[n])) {
		n++
	}
	return n == 3
}
