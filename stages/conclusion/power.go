package conclusion

import (
	"slices"
	"strings"
)

// power reads a factor with what raises it: an exponent, a factorial.
func (p *parser) power(depth int) (sum, bool) {
	if p.steps++; p.steps > maxSteps {
		return nil, false
	}
	base, ok := p.factor(depth)
	for factorial := false; ok; {
		if depth+base.nested() > maxNested {
			return nil, false
		}
		if !factorial {
			if base, factorial = p.factorial(base, depth); factorial {
				continue
			}
		}
		raised, is := p.raised(base, depth)
		if !is {
			if base.variable() && depth < maxNested {
				base, _ = p.larger(base, depth)
			}
			return base, true
		}
		base = raised
	}
	return nil, false
}

// factorial takes the sign behind its operand, which it returns as it was where there is none, or where somebody only calls out.
func (p *parser) factorial(base sum, depth int) (sum, bool) {
	sign, to := p.sign()
	if sign != "!" || !base.reduce().variable() {
		return base, false
	}
	shout := p.tokens[p.at].text == "!" && (!p.glued() || p.big && depth == 0 && p.tokens[p.at-1].text == ")")
	if shout {
		return base, false
	}
	p.at = to
	return sum{{"(" + base.reduce().String() + ")!": 1}}, true
}

// raised takes an exponent.
func (p *parser) raised(base sum, depth int) (sum, bool) {
	from := p.at
	switch sign, to := p.sign(); sign {
	case "^2", "^3":
		if len(base) != 1 || !base.variable() {
			return nil, false
		}
		p.at = to
		return base.pow(float64(sign[1] - '0')), true
	case "^", "zh^":
		p.at = to
		out, ok := p.raise(base, depth)
		if ok && (sign != "zh^" || p.take("次方")) {
			return out, true
		}
		p.at = from
		return nil, false
	}
	return nil, false
}

// glued reports whether the sign here follows what is before it without a space.
func (p *parser) glued() bool { return p.at > 0 && p.tokens[p.at-1].to == p.tokens[p.at].from }

func (p *parser) raise(base sum, depth int) (sum, bool) {
	bracket := p.take("(")
	if v, number := p.number(); number {
		if bracket && !p.take(")") {
			return nil, false
		}
		if !base.variable() && p.strict || len(base) != 1 {
			return nil, false
		}
		return base.pow(v), true
	}
	exponent, ok := p.factorOrSum(bracket, depth)
	if !ok || !exponent.variable() {
		return nil, false
	}
	// a^n: of the base only its form counts.
	raw := base.raw()
	if strings.Contains(raw, " ") {
		raw = "(" + raw + ")"
	}
	return sum{{raw + "^(" + exponent.reduce().String() + ")": 1}}, true
}

// larger reads what Chinese puts behind: "n 和 m 里的较大值".
func (p *parser) larger(a sum, depth int) (sum, bool) {
	from := p.at
	if p.at < len(p.tokens) && is("joiners", p.tokens[p.at].text) {
		p.at++
		if b, ok := p.factor(depth + 1); ok && b.variable() {
			if sign, to := p.sign(); sign == "zhmin" || sign == "zhmax" {
				p.at = to
				return extreme(sign[2:], a, b), true
			}
		}
	}
	p.at = from
	return a, false
}

func extreme(sign string, a, b sum) sum {
	list := []string{a.reduce().String(), b.reduce().String()}
	slices.Sort(list)
	return sum{{sign + "(" + list[0] + ", " + list[1] + ")": 1}}
}

// extremum reads what a minimum or maximum is of: "min of n and m".
func (p *parser) extremum(sign string, depth int) (sum, bool) {
	for p.take("of") {
	}
	bracket := p.take("(")
	a, ok := p.power(depth + 1)
	for p.at < len(p.tokens) && is("joiners", p.tokens[p.at].text) {
		p.at++
	}
	b, more := p.power(depth + 1)
	if !ok || !more || !a.variable() || !b.variable() || bracket && !p.take(")") && p.strict {
		return nil, false
	}
	return extreme(sign, a, b), true
}

func (p *parser) factorOrSum(bracket bool, depth int) (sum, bool) {
	if !bracket {
		return p.factor(depth + 1)
	}
	out, ok := p.sum(depth + 1)
	return out, ok && p.take(")")
}
