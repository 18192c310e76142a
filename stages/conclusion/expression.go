package conclusion

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// letters are those that stand for a size when a formula is spoken; a and i are words, x and y belong to points.
const letters = "nmkvewhdrclpqst"

// expression is a formula within a text.
type expression struct {
	sum  sum
	to   int  // the token after it
	big  bool // it stood in O( )
	bare bool // a letter or a number alone: n, 1
}

// Form reads a text that is one expression as a whole, such as "O(n log n)", "n squared" or "linear time", and returns its one form,
// without constant factors and dominated terms.
func Form(text string) (string, bool) {
	if len(text) > maxExpression {
		return "", false
	}
	tokens := tokenise(norm.NFKC.String(powers.Replace(text)))
	if form, ok := wholeForm(strip(tokens)); ok {
		return form, true
	}
	if len(tokens) > 2 && tokens[0].text == "time" { // a cost in time and in space, as problems have it
		if i := slices.IndexFunc(tokens, func(t token) bool { return t.text == "," }); i > 0 && i+1 < len(tokens) && tokens[i+1].text == "space" {
			return wholeForm(strip(tokens[:i]))
		}
	}
	return "", false
}

// strip takes away the words around a value: "the time complexity is O(n)", "linear time".
func strip(tokens []token) []token {
	for len(tokens) > 1 && is("around", tokens[0].text) {
		tokens = tokens[1:]
	}
	for len(tokens) > 1 && (tokens[len(tokens)-1].text == "." || is("around", tokens[len(tokens)-1].text)) {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

const maxExpression = 160

// powers are kept from NFKC, which would make n² an n2.
var powers = strings.NewReplacer("²", "^2", "³", "^3", "ⁿ", "^n")

func wholeForm(tokens []token) (string, bool) {
	if e, to := words().forms.match(tokens, 0); to > 0 && to == len(tokens) && e.value != none && (e.kind == kindNamed || e.kind == kindBare) {
		return e.value, true
	}
	p := &parser{tokens: tokens, strict: true}
	if x, ok := p.expression(0); ok && x.to == len(tokens) && (x.big || x.sum.variable() || len(tokens) == 1 && tokens[0].text == "1") {
		return x.sum.named(), true
	}
	return "", false
}

// parser reads expressions. Nothing it reads is a sentence: it stops before the first token that goes on with none.
type parser struct {
	tokens []token
	at     int
	start  int  // of the expression
	big    bool // within O( ): letters may stand together, and numbers and nouns alone
	strict bool // the text is an expression as a whole: any letter may be a variable
	steps  int
}

// maxSteps bounds the work on one expression.
const maxSteps = 400

// expression reads the longest expression that begins at a place.
func (p *parser) expression(at int) (expression, bool) {
	p.at, p.start, p.big, p.steps = at, at, false, 0
	if sure, is := p.order(); is {
		p.big = true
		if s, ok := p.sum(0); ok {
			sure = sure || s.variable() || p.strict
			return expression{sum: s, to: p.at, big: sure, bare: !sure}, true
		}
		return expression{}, false
	}
	s, ok := p.sum(0)
	if !ok || p.at == at {
		return expression{}, false
	}
	x := expression{sum: s, to: p.at}
	form := s.reduce()
	x.bare = len(form) == 0 || len(form) == 1 && (len(form[0]) == 0 || len(form[0]) == 1 && form[0].letter())
	return x, x.bare || s.variable()
}

// letter reports whether a term is one letter, not raised to anything.
func (t term) letter() bool {
	for f, e := range t {
		return (len(f) == 1 || f[0] == '<') && e == 1
	}
	return false
}

// variable reports whether there is one.
func (s sum) variable() bool {
	for _, t := range s {
		for f := range t {
			if !strings.HasPrefix(f, "#") {
				return true
			}
		}
	}
	return false
}

// sign returns the sign that the tokens from here on stand for, and where it ends.
func (p *parser) sign() (string, int) {
	e, to := words().signs.match(p.tokens, p.at)
	return e.value, to
}

// take takes a sign.
func (p *parser) take(sign string) bool {
	got, to := p.sign()
	if to == 0 || got != sign {
		return false
	}
	p.at = to
	return true
}

// order takes "O of", "big O", "order". It is sure of what follows where a bracket or "of" is there: "oh one more" is no O(1).
func (p *parser) order() (sure, is bool) {
	if !p.take("O") {
		return false, false
	}
	from := p.at
	for p.take("of") {
	}
	sign, to := p.sign()
	return p.at > from || to > 0 && sign == "(" || p.at < len(p.tokens) && isDigit(rune(p.tokens[p.at].text[0])), p.at < len(p.tokens)
}

func (p *parser) sum(depth int) (sum, bool) {
	if p.steps++; depth > maxNested || p.steps > maxSteps {
		return nil, false
	}
	out, ok := p.product(depth)
	for ok {
		from := p.at
		if p.take("-") { // n minus one: only a number is taken away
			if _, number := p.number(); !number {
				p.at = from
				return out, true
			}
			continue
		}
		if !p.take("+") {
			return out, true
		}
		p.take("O") // n plus O of m
		p.take("of")
		more, added := p.product(depth)
		if !added {
			p.at = from
			return out, true
		}
		if out = append(out, more...); len(out) > maxTerms {
			return nil, false
		}
	}
	return out, ok
}

func (p *parser) product(depth int) (sum, bool) {
	out, ok := p.power(depth)
	for ok {
		from := p.at
		if p.take("/") { // halves and thirds are constant
			if _, number := p.number(); !number {
				p.at = from
				return out, true
			}
			continue
		}
		if !p.take("*") && !p.beside(from) {
			return out, true
		}
		factor, more := p.power(depth)
		if !more {
			p.at = from
			return out, true
		}
		var fits bool
		if out, fits = out.times(factor); !fits {
			return nil, false
		}
	}
	return out, ok
}

// beside reports whether what comes next multiplies without a sign: a logarithm or root, a bracket after a number or letter, a letter
// after a number, and within O( ) a letter after a letter.
func (p *parser) beside(from int) bool {
	if p.at >= len(p.tokens) || from == 0 {
		return false
	}
	switch sign, _ := p.sign(); sign {
	case "log", "sqrt":
		return true
	case "(":
		return p.big || p.strict
	case "min", "max":
		return p.strict
	case "":
	default:
		return false
	}
	next, last := p.tokens[p.at], p.tokens[from-1]
	if !p.variable(next) {
		return false
	}
	return p.coefficient(last) || p.spokenProduct(last, next) || p.variable(last) && (p.strict || p.big && strings.Contains(sizes, next.text))
}

// sizes are letters that mostly stand for a size; of these said ones multiply on their own.
const (
	sizes     = "nmkvwh"
	saidSizes = "nmk"
)

// coefficient reports whether a letter may follow a token as its factor: 2n, (n - 1)n.
func (p *parser) coefficient(last token) bool {
	switch last.text {
	case ")":
		return p.strict || p.glued()
	case "!":
		return p.strict
	}
	return isDigit(rune(last.text[0])) || numberWords[last.text] != ""
}

// spokenProduct: "so n k".
func (p *parser) spokenProduct(last, next token) bool {
	if p.start == 0 || !is("copula", p.tokens[p.start-1].text) && !is("adverbs", p.tokens[p.start-1].text) || last.text == next.text {
		return false
	}
	return len(last.text) == 1 && strings.Contains(saidSizes, last.text) && strings.Contains(saidSizes, next.text)
}

func (p *parser) factor(depth int) (sum, bool) {
	if p.steps++; depth > maxNested || p.at >= len(p.tokens) || p.steps > maxSteps {
		return nil, false
	}
	from := p.at
	sign, to := p.sign()
	switch sign {
	case "(":
		p.at = to
		out, ok := p.bracketed(depth)
		if !ok {
			p.at = from
		}
		return out, ok
	case "|":
		p.at = to
		out, ok := p.factor(depth + 1)
		return out, ok && p.take("|")
	case "log":
		p.at = to
		return p.of(from, depth, sum.log)
	case "sqrt":
		p.at = to
		return p.of(from, depth, func(s sum) (sum, bool) { return s.pow(0.5), len(s) == 1 })
	case "min", "max":
		p.at = to
		out, ok := p.extremum(sign, depth)
		if !ok {
			p.at = from
		}
		return out, ok
	case "half":
		p.at = to
		return p.factor(depth + 1)
	}
	if number, is := p.number(); is {
		return sum{{"#" + strconv.FormatFloat(number, 'f', -1, 64): 0}}, true
	}
	if out, is := p.noun(); is {
		return out, true
	}
	return p.letters()
}

// bracketed reads what stands in brackets. Recognisers may leave the closing one of O( ) out.
func (p *parser) bracketed(depth int) (sum, bool) {
	big, open := p.big, p.at-1
	out, ok := p.sum(depth + 1)
	p.big = big
	if !ok {
		return nil, false
	}
	spoken := p.tokens[open].text != "("
	closed := p.take(")")
	return out, closed || spoken || big && (p.at >= len(p.tokens) || depth == 0 && !p.strict)
}

// of reads what a logarithm or a root is of.
func (p *parser) of(from, depth int, apply func(sum) (sum, bool)) (sum, bool) {
	said := p.take("of") || p.take("zh^")
	operand, ok := p.power(depth + 1)
	if !ok && said && from > p.start { // n times the log of the biggest pile
		operand, ok = p.named("")
	}
	if ok && operand.variable() {
		if out, fine := apply(operand); fine {
			return out, true
		}
	}
	p.at = from
	return nil, false
}
