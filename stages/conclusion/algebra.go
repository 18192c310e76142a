package conclusion

import (
	"cmp"
	"maps"
	"math"
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
	maxTerms    = 16
	maxNested   = 8
	maxExponent = 99
)

func (s sum) times(other sum) (sum, bool) {
	if len(s)*len(other) > maxTerms {
		return nil, false
	}
	var out sum
	for _, a := range s {
		for _, b := range other {
			t := maps.Clone(a)
			for f, e := range b {
				t[f] = exponent(t[f] + e)
			}
			out = append(out, t)
		}
	}
	return out, true
}

func (s sum) pow(n float64) sum {
	out := make(sum, len(s))
	for i, t := range s {
		out[i] = term{}
		for f, e := range t {
			out[i][f] = max(exponent(e*n), 0.01)
		}
	}
	return out
}

// exponent keeps an exponent to what is read again from how it is written.
func exponent(e float64) float64 { return min(math.Round(e*100)/100, maxExponent) }

// log is the logarithm of a sum: of a power that of the base, of a product the sum of those of its factors.
func (s sum) log() (sum, bool) {
	s = s.reduce()
	if len(s) != 1 {
		return sum{{"log(" + s.String() + ")": 1}}, true
	}
	var out sum
	for _, f := range slices.Sorted(maps.Keys(s[0])) {
		out = append(out, term{"log " + f: 1})
	}
	return out, len(out) > 0
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

// nested is how many brackets stand within each other where the sum is written. Exponents add some although nothing was in brackets when
// they were said, and what is nested too deeply would not be read again.
func (s sum) nested() int {
	deepest := 0
	for _, t := range s {
		for f, e := range t {
			depth := 0
			if e != 1 {
				depth++
			}
			deepest = max(deepest, depth)
			for i := range len(f) {
				switch f[i] {
				case '(':
					depth++
					deepest = max(deepest, depth)
				case ')':
					depth--
				}
			}
		}
	}
	return deepest
}

// String writes logarithms last.
func (t term) String() string {
	var factors, logs []string
	for _, f := range slices.Sorted(maps.Keys(t)) {
		text := f
		if e := t[f]; e != 1 {
			if strings.HasPrefix(f, "log") || strings.Contains(f, "^") {
				text = "(" + f + ")"
			}
			text += "^" + strconv.FormatFloat(e, 'g', -1, 64)
		}
		if strings.HasPrefix(f, "log") {
			logs = append(logs, text)
		} else {
			if len(factors) > 0 && isDigit(rune(strings.TrimLeft(text, "(")[0])) { // 2^(n) * 3^(n)
				text = "* " + text
			}
			factors = append(factors, text)
		}
	}
	if len(factors)+len(logs) == 0 {
		return "1"
	}
	return strings.Join(append(factors, logs...), " ")
}

// named returns a sum in its one form, with letters for the variables that were nouns: n where there is no other, else v and e for the
// parts of a graph, and the first of n, m, k that are free.
func (s sum) named() string {
	s = s.reduce()
	text := s.String()
	if !strings.Contains(text, "<") {
		return text
	}
	var nouns []string
	used := make(map[string]bool)
	for _, name := range variables.FindAllString(text, -1) {
		used[name] = true
		if name[0] == '<' && !slices.Contains(nouns, name) {
			nouns = append(nouns, name)
		}
	}
	letter := make(map[string]string)
	lone := len(nouns) == 1 && !slices.ContainsFunc(strings.Split(letters, ""), func(l string) bool { return used[l] })
	for _, name := range nouns {
		pick := strings.Trim(name, "<>")
		if lone || len(pick) != 1 || used[pick] {
			for _, free := range []string{"n", "m", "k", "l", "w", "h"} {
				if pick = free; !used[free] {
					break
				}
			}
		}
		used[pick], letter[name] = true, pick
	}
	return s.rename(letter).reduce().String()
}

// variables are the letters and nouns within a formula.
var variables = regexp.MustCompile(`<[^>]*>|\b[a-z]\b`)

func (s sum) rename(letter map[string]string) sum {
	other := func(name string) string { return cmp.Or(letter[name], name) }
	out := make(sum, len(s))
	for i, t := range s {
		out[i] = term{}
		for f, e := range t {
			name := variables.ReplaceAllStringFunc(f, other)
			out[i][name] = exponent(out[i][name] + e)
		}
	}
	return out
}

// together returns the sum of two forms: what of them is not dominated.
func together(a, b string) string {
	x, okA := parsed(a)
	y, okB := parsed(b)
	if !okA || !okB {
		return b
	}
	return append(x, y...).reduce().String()
}

func parsed(form string) (sum, bool) {
	tokens := tokenise(form)
	p := &parser{tokens: tokens, strict: true}
	x, ok := p.expression(0)
	return x.sum, ok && x.to == len(tokens)
}

// Same reports whether two forms are the same growth. Which letters stand for several sizes does not matter: n times m is rows times
// columns; a single n is not a k.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	return strings.ContainsAny(a, " ") && slices.Contains(renamings(a), canonical(b))
}

func canonical(form string) string {
	if s, ok := parsed(form); ok {
		return s.reduce().String()
	}
	return form
}

// renamings are the forms that a form of two variables has under all ways to call them.
func renamings(form string) []string {
	s, ok := parsed(form)
	if !ok {
		return nil
	}
	used := variables.FindAllString(form, -1)
	slices.Sort(used)
	used = slices.Compact(used)
	if len(used) != 2 {
		return nil
	}
	var out []string
	for _, a := range strings.Split(letters, "") {
		for _, b := range strings.Split(letters, "") {
			if a != b {
				out = append(out, s.rename(map[string]string{used[0]: a, used[1]: b}).String())
			}
		}
	}
	return out
}
