package twostage

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A formula is a sum of terms; a term is a product of factors with exponents: n, log n, 2^(n), n!.
type (
	term map[string]float64
	sum  []term
)

const (
	maxTerms  = 16
	maxNested = 8
)

var (
	formulaToken = regexp.MustCompile(`\d+(?:\.\d+)?|\p{L}+|[()^*+!|]`)
	foreign      = regexp.MustCompile(`[^\p{L}\p{N}\s()^*+!|.-]`)
	spokenSigns  = []struct{ from, to string }{
		{"to the power of", "^"}, {"to the power", "^"}, {"to the", "^"}, {"square root of", "sqrt"}, {"root of", "sqrt"},
		{"squared", "^ 2"}, {"square", "^ 2"}, {"cubed", "^ 3"}, {"factorial", "!"}, {"times", "*"}, {"plus", "+"},
		{"log base 2 of", "log"}, {"log base two of", "log"}, {"log of", "log"}, {"lg", "log"}, {"ln", "log"}, {"two", "2"}, {"one", "1"}, {"-", " "},
	}
)

// formula reads a formula and returns its one form, without constant factors and dominated terms. wrapped says that it
// stood in O( ): only then may letters stand together, and numbers alone.
func formula(text string, wrapped bool) (string, bool) {
	for _, s := range spokenSigns {
		text = replaceWord(text, s.from, s.to)
	}
	if foreign.MatchString(text) {
		return "", false
	}
	p := &parser{tokens: formulaToken.FindAllString(text, -1), wrapped: wrapped}
	out, ok := p.sum(0)
	if !ok || p.at < len(p.tokens) || !wrapped && !p.variable && text != "1" {
		return "", false
	}
	return out.reduce().String(), true
}

// replaceWord replaces whole words.
func replaceWord(text, from, to string) string {
	if !strings.Contains(text, from) {
		return text
	}
	if from[0] < 'a' || from[0] > 'z' {
		return strings.ReplaceAll(text, from, to)
	}
	padded := " " + strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text) + " "
	for strings.Contains(padded, " "+from+" ") {
		padded = strings.Replace(padded, " "+from+" ", " "+to+" ", 1)
	}
	return strings.TrimSpace(padded)
}

type parser struct {
	tokens   []string
	at       int
	wrapped  bool
	variable bool // there was one
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *parser) take(token string) bool {
	if p.peek() != token {
		return false
	}
	p.at++
	return true
}

func (p *parser) sum(depth int) (sum, bool) {
	if depth > maxNested {
		return nil, false
	}
	out, ok := p.product(depth)
	for ok && p.take("+") {
		var more sum
		if more, ok = p.product(depth); ok {
			out = append(out, more...)
		}
	}
	return out, ok && len(out) <= maxTerms
}

func (p *parser) product(depth int) (sum, bool) {
	out, ok := p.power(depth)
	for ok {
		switch next := p.peek(); {
		case next == "*":
			p.at++
		case next == "" || next == "+" || next == ")" || next == "|":
			return out, true
		case next[0] >= '0' && next[0] <= '9':
			return nil, false // n2 is no product
		}
		var factor sum
		if factor, ok = p.power(depth); ok {
			out, ok = out.times(factor)
		}
	}
	return out, ok
}

func (p *parser) power(depth int) (sum, bool) {
	base, ok := p.factor(depth)
	if !ok {
		return nil, false
	}
	if p.take("!") {
		return sum{{"(" + base.reduce().String() + ")!": 1}}, true
	}
	if !p.take("^") {
		return base, true
	}
	exponent, number, ok := p.exponent(depth)
	if !ok {
		return nil, false
	}
	if exponent != nil { // a^n: of the base only its form counts
		return sum{{base.raw() + "^(" + exponent.reduce().String() + ")": 1}}, true
	}
	return base.pow(number), len(base) == 1
}

// exponent reads what stands after ^: a number, or a formula.
func (p *parser) exponent(depth int) (sum, float64, bool) {
	if v, err := strconv.ParseFloat(p.peek(), 64); err == nil {
		p.at++
		return nil, v, true
	}
	e, ok := p.factor(depth + 1)
	return e, 0, ok
}

func (p *parser) factor(depth int) (sum, bool) {
	token := p.peek()
	p.at++
	switch {
	case token == "":
		return nil, false
	case token == "(":
		out, ok := p.sum(depth + 1)
		return out, ok && p.take(")")
	case token == "|":
		out, ok := p.factor(depth + 1)
		return out, ok && p.take("|")
	case token == "log":
		return p.log(depth)
	case token == "sqrt":
		out, ok := p.power(depth + 1)
		return out.pow(0.5), ok && len(out) == 1
	case token[0] >= '0' && token[0] <= '9':
		return sum{{"#" + token: 0}}, true // a constant: exponent 0, kept only for a^n
	}
	return p.letters(token)
}

// log reads a logarithm: of a power it is that of the base, of a product the sum of those of its factors.
func (p *parser) log(depth int) (sum, bool) {
	of, ok := p.power(depth + 1)
	if !ok {
		return nil, false
	}
	of = of.reduce()
	if len(of) != 1 {
		return sum{{"log(" + of.String() + ")": 1}}, true
	}
	var out sum
	for _, f := range slices.Sorted(maps.Keys(of[0])) {
		out = append(out, term{"log " + f: 1})
	}
	return out, len(out) > 0
}

// letters are variables, one letter each.
func (p *parser) letters(token string) (sum, bool) {
	if len(token) > 3 || len(token) > 1 && !p.wrapped {
		return nil, false
	}
	t := term{}
	for _, r := range token {
		if r < 'a' || r > 'z' {
			return nil, false
		}
		t[string(r)]++
	}
	p.variable = true
	return sum{t}, true
}

func (s sum) times(other sum) (sum, bool) {
	var out sum
	for _, a := range s {
		for _, b := range other {
			t := maps.Clone(a)
			for f, e := range b {
				t[f] += e
			}
			out = append(out, t)
		}
	}
	return out, len(out) <= maxTerms
}

func (s sum) pow(n float64) sum {
	out := make(sum, len(s))
	for i, t := range s {
		out[i] = term{}
		for f, e := range t {
			out[i][f] = e * n
		}
	}
	return out
}

// raw returns the base of an exponential as it was written.
func (s sum) raw() string {
	if len(s) == 1 && len(s[0]) == 1 {
		for f := range s[0] {
			if base, constant := strings.CutPrefix(f, "#"); constant {
				return base
			}
		}
	}
	return s.reduce().String()
}

// reduce takes away constants and what another term dominates.
func (s sum) reduce() sum {
	plain := make(sum, 0, len(s))
	for _, t := range s {
		kept := term{}
		for f, e := range t {
			if !strings.HasPrefix(f, "#") && e != 0 {
				kept[f] = e
			}
		}
		plain = append(plain, kept)
	}
	var out sum
	for i, t := range plain {
		if !slices.ContainsFunc(plain[:i], t.same) && !slices.ContainsFunc(plain, t.below) {
			out = append(out, t)
		}
	}
	return out
}

func (t term) same(other term) bool { return maps.Equal(t, other) }

// below reports whether t grows slower than other in every variable: 1 below log n below n below n log n below n².
func (t term) below(other term) bool {
	if t.same(other) {
		return false
	}
	if len(t) == 0 {
		return true
	}
	variable := t.only()
	return variable != "" && variable == other.only() && t.order(variable) < other.order(variable)
}

// only returns the variable of a term that has only one, and only powers and logarithms of it.
func (t term) only() string {
	variable := ""
	for f := range t {
		f = strings.TrimPrefix(f, "log ")
		if len(f) != 1 || variable != "" && f != variable {
			return ""
		}
		variable = f
	}
	return variable
}

// order puts powers before logarithms.
func (t term) order(variable string) float64 { return t[variable]*100 + t["log "+variable] }

// String writes terms and factors in a fixed order.
func (s sum) String() string {
	terms := make([]string, len(s))
	for i, t := range s {
		terms[i] = t.String()
	}
	slices.Sort(terms)
	if len(terms) == 0 {
		return "1"
	}
	return strings.Join(terms, " + ")
}

// String writes logarithms last.
func (t term) String() string {
	var factors, logs []string
	for _, f := range slices.Sorted(maps.Keys(t)) {
		text := f
		if e := t[f]; e != 1 {
			text += "^" + strconv.FormatFloat(e, 'g', -1, 64)
		}
		if strings.HasPrefix(f, "log") {
			logs = append(logs, text)
		} else {
			factors = append(factors, text)
		}
	}
	if len(factors)+len(logs) == 0 {
		return "1"
	}
	return strings.Join(append(factors, logs...), " ")
}
