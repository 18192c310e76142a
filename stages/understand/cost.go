package understand

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

type costRule struct {
	class    string
	patterns []*regexp.Regexp
}

// Claim is a cost that somebody named.
type Claim struct {
	Class string // such as O(n log n)
	Space bool   // of memory; else of time
}

var (
	clauses = regexp.MustCompile(`[,;，；。、]|\. |\band\b|\bbut\b|但|而`)
	ofTime  = regexp.MustCompile(`(?i)\b(time|steps?|fast|runs?|runtime)\b|时间|thời gian`)
	ofSpace = regexp.MustCompile(`(?i)\b(space|memory|storage|extra)\b|空间|内存|bộ nhớ|không gian`)
)

// Costs returns the costs that a text names, in order: "linear time and O of 1 space" names O(n), and O(1) of space.
func (r *Rules) Costs(text string) []Claim {
	text = plain(norm.NFKC.String(strings.NewReplacer("²", "^2", "³", "^3").Replace(text)))
	var out []Claim
	from := 0
	for _, at := range append(clauses.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		out = append(out, r.claims(text[from:at[0]])...)
		from = at[1]
	}
	return out
}

// claims finds the costs of one clause. A rule takes what it recognises away from those after it.
func (r *Rules) claims(clause string) []Claim {
	type found struct {
		Claim
		at int
	}
	var all []found
	left := clause
	for _, rule := range r.costs {
		for _, re := range rule.patterns {
			for _, at := range re.FindAllStringIndex(left, -1) {
				all = append(all, found{Claim{Class: rule.class, Space: nearSpace(clause, at)}, at[0]})
				left = left[:at[0]] + strings.Repeat("\x00", at[1]-at[0]) + left[at[1]:]
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	out := make([]Claim, 0, len(all))
	for _, f := range all {
		out = append(out, f.Claim)
	}
	return out
}

// nearSpace reports whether the words about memory stand nearer to a claim than those about time.
func nearSpace(clause string, at []int) bool {
	space, ok := nearest(clause, ofSpace, at)
	if !ok {
		return false
	}
	steps, ok := nearest(clause, ofTime, at)
	return !ok || space < steps
}

func nearest(clause string, re *regexp.Regexp, at []int) (best int, found bool) {
	for _, m := range re.FindAllStringIndex(clause, -1) {
		d := max(at[0]-m[1], m[0]-at[1], 0)
		if !found || d < best {
			best, found = d, true
		}
	}
	return best, found
}
