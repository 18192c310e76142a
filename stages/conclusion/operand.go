package conclusion

import (
	"strconv"
	"strings"
)

// numberWords are the numbers that stand in formulas.
var numberWords = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "ten": "10", "十": "10", "mười": "10", "一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "một": "1", "hai": "2", "ba": "3", "bốn": "4",
}

// number takes a number.
func (p *parser) number() (float64, bool) {
	if p.at >= len(p.tokens) {
		return 0, false
	}
	text := p.tokens[p.at].text
	if w, known := numberWords[text]; known {
		text = w
	}
	if text == "" || !isDigit(rune(text[0])) || len(text) > 6 {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	p.at++
	return v, true
}

// letters takes a variable; within O( ) two or three may stand together.
func (p *parser) letters() (sum, bool) {
	if p.at >= len(p.tokens) {
		return nil, false
	}
	text := p.tokens[p.at].text
	if t, known := spokenLetters[text]; known || p.misheard() {
		text = t
		if !known {
			text = "n"
		}
	}
	if len(text) > 1 && !p.big || len(text) > 3 {
		return nil, false
	}
	t := term{}
	for i := range len(text) {
		if !strings.Contains(letters, text[i:i+1]) && (!p.strict || !plainLetter(text[i])) {
			return nil, false
		}
		t[text[i:i+1]]++
	}
	p.at++
	return sum{t}, true
}

// plainLetter reports whether a letter may be a variable in a value: x and o are signs.
func plainLetter(c byte) bool { return c >= 'a' && c <= 'z' && c != 'x' && c != 'o' }

// misheard reports whether a short word stands where recognisers write it for n: "o of in log n", "n log in".
func (p *parser) misheard() bool {
	word, next, last := p.near(0), p.near(1), p.near(-1)
	switch {
	case !is("mishearings", word):
		return false
	case p.big && last == "of" && (next == "log" || !isLetter(next)):
		return true
	case next == "log" && isLetter(p.near(2)) && (last == "" || is("copula", last)): // "it's and log n"
		return true
	}
	return last == "log" && p.near(-2) == "n" && word != "and" && next != "n"
}

// near is the text of the token some places from here, or "".
func (p *parser) near(offset int) string {
	if i := p.at + offset; i >= 0 && i < len(p.tokens) {
		return p.tokens[i].text
	}
	return ""
}

func isLetter(text string) bool { return len(text) == 1 && strings.Contains(letters, text) }

// spokenLetters are letters as recognisers write them.
var spokenLetters = map[string]string{"nờ": "n", "mờ": "m", "恩": "n", "en": "n"}

func (p *parser) variable(t token) bool {
	if _, known := spokenLetters[t.text]; known {
		return true
	}
	return len(t.text) == 1 && (strings.Contains(letters, t.text) || p.strict && plainLetter(t.text[0]))
}

// noun takes "the number of edges", "rows", "the length of the text": a variable without a letter. It stays a placeholder, A, B …,
// until the whole is known.
func (p *parser) noun() (sum, bool) {
	e, to := words().nouns.match(p.tokens, p.at)
	if to == 0 {
		return nil, false
	}
	p.at = to
	if e.value == "log n" { // how often something can be halved
		return sum{{e.value: 1}}, true
	}
	if e.value != "size" {
		return sum{{"<" + e.value + ">": 1}}, true
	}
	return p.named("")
}

// named takes the words that name something: all the different nodes.
func (p *parser) named(name string) (sum, bool) {
	for range 4 {
		if _, more := words().signs.match(p.tokens, p.at); more > 0 || p.at >= len(p.tokens) || len(p.tokens[p.at].text) < 2 {
			return nil, false
		}
		word := p.tokens[p.at].text
		p.at++
		if !is("determiners", word) {
			return sum{{"<" + name + word + ">": 1}}, true
		}
		if word == "first" || word == "second" {
			name += word + "_"
		}
	}
	return nil, false
}
