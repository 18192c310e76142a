// Package prefilter tells of regular expressions what a text must hold for them to match at all. Turns are long and nearly all
// patterns do not match, so that looking for a few letters in a row first saves most of the time.
package prefilter

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Pattern is a regular expression with what a text must hold for it to match at all.
type Pattern struct {
	*regexp.Regexp
	Needs [][]string // folded; of each list at least one is in every match; none = unknown
}

// New compiles an expression.
func New(expression string) (Pattern, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return Pattern{}, err
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return Pattern{Regexp: re}, nil //nolint:nilerr // it compiles, so that it is only not known what it needs
	}
	all := parts(tree.Simplify())
	slices.SortStableFunc(all, func(a, b []string) int {
		if rarer(a, b) {
			return -1
		}
		return 1
	})
	return Pattern{re, all[:min(len(all), maxParts)]}, nil
}

// May reports whether the pattern can match a text, of which it gets the folded form.
func (p *Pattern) May(folded string) bool {
	for _, any := range p.Needs {
		if !slices.ContainsFunc(any, func(letters string) bool { return strings.Contains(folded, letters) }) {
			return false
		}
	}
	return true
}

// maxNeeds bounds what is looked for in place of one pattern.
const maxNeeds = 48

// maxParts bounds how many parts of one pattern are looked for.
const maxParts = 4

// parts returns, for each part that the expression cannot do without, letters in a row of which one has to be there.
func parts(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return parts(re.Sub[0])
	case syntax.OpConcat:
		var all [][]string
		for _, sub := range re.Sub {
			all = append(all, parts(sub)...)
		}
		return all
	default:
		if some := needs(re); len(some) > 0 {
			return [][]string{some}
		}
	}
	return nil
}

// needs returns letters in a row of which at least one has to be in whatever the expression matches; none = it is not known.
func needs(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{Fold(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some := needs(sub)
			if len(some) == 0 || len(all)+len(some) > maxNeeds {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if some := needs(sub); len(some) > 0 && (best == nil || rarer(some, best)) {
				best = some
			}
		}
		return best
	default: // nothing in particular
	}
	return nil
}

// rarer reports whether a is the better thing to look for: its shortest member is longer.
func rarer(a, b []string) bool {
	x, y := shortest(a), shortest(b)
	return x > y || x == y && len(a) < len(b)
}

func shortest(list []string) int {
	least := len(list[0])
	for _, s := range list {
		least = min(least, len(s))
	}
	return least
}

// Fold maps all letters that count as the same without case to one of them, as regular expressions do.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A' // as k and s, of which others are cases too
		case r < unicode.MaxASCII:
			return r
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, text)
}
