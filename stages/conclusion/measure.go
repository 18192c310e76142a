package conclusion

import (
	"slices"
	"strings"
)

// measure finds out of what each form is a cost: the words for time and memory are dealt out to the forms on either side of them so
// that as many as possible fit, clause by clause and not by the nearest word.
func (t *text) measure(asked Measure) {
	var named []*found
	for i := range t.found {
		if !fixed(t.found[i]) {
			named = append(named, &t.found[i])
		}
	}
	gaps := t.gaps(named)
	n := len(named)
	// best[i][used]: the best score of the forms before i, where used says that the last of them took the last word of the gap after it.
	type cell struct {
		score float64
		took  [2]*span // of the form before: what it took on its left, on its right
		prev  int
	}
	best := make([][2]cell, n+1)
	best[0][1].score = -1e9
	for i := range n {
		best[i+1] = [2]cell{{score: -1e9}, {score: -1e9}}
		for used := range 2 {
			base := best[i][used].score
			if base < -1e8 {
				continue
			}
			put := func(to int, score float64, left, right *span) {
				if score > best[i+1][to].score {
					best[i+1][to] = cell{score, [2]*span{left, right}, used}
				}
			}
			put(0, base, nil, nil)
			left, right := gaps[i], gaps[i+1]
			if len(left) > used {
				if s := t.fromLeft(left[len(left)-1], *named[i]); s > 0 {
					put(0, base+s, left[len(left)-1], nil)
				}
			}
			if len(right) > 0 {
				if s := t.fromRight(*named[i], right[0]); s > 0 {
					to := 0
					if len(right) == 1 {
						to = 1
					}
					put(to, base+s, nil, right[0])
				}
			}
		}
	}
	used := 0
	if n > 0 && best[n][1].score > best[n][0].score {
		used = 1
	}
	free := make(map[*span]bool)
	for i := range t.measures {
		free[&t.measures[i]] = true
	}
	for i := n; i > 0; i-- {
		c := best[i][used]
		for _, s := range c.took {
			if s != nil {
				named[i-1].of = measuresOf(s)
				free[s] = false
			}
		}
		used = c.prev
	}
	t.settle(asked)
	t.share(free)
}

func measuresOf(s *span) []Measure {
	if s.kind == both {
		return []Measure{Time, Space}
	}
	return []Measure{Measure(s.kind)}
}

// gaps are the words for time and memory before, between and behind the forms; words within a form count as behind it.
func (t *text) gaps(named []*found) [][]*span {
	out := make([][]*span, len(named)+1)
	at := 0
	for i := range t.measures {
		s := &t.measures[i]
		if slices.ContainsFunc(t.found, func(f found) bool { return fixed(f) && f.from < s.from && s.to <= f.to }) {
			continue // no extra space
		}
		for at < len(named) && named[at].from <= s.from {
			at++
		}
		out[at] = append(out[at], s)
	}
	return out
}

// fromLeft is how well a form fits a word for time or memory before it: "space is constant".
func (t *text) fromLeft(s *span, f found) float64 {
	between := f.from - s.to
	if between < 0 {
		return 0
	}
	score := max(5-0.2*float64(t.distance(s.to, f.from)), 2)
	if between == 0 {
		score = 5
		if between == 0 && f.kind == kindNamed { // "time linear" is rarer than "linear time"
			score = 4.8
		}
	}
	if crossed := t.clause[f.from] - t.clause[s.from]; crossed > 0 {
		score -= min(0.7*float64(crossed), 1.4)
	}
	if t.sentence[f.from] != t.sentence[s.from] {
		score -= 2.5
	}
	return score
}

// fromRight is how well a form fits a word for time or memory behind it: "linear time".
func (t *text) fromRight(f found, s *span) float64 {
	if s.from < f.to { // within it
		return 5
	}
	if t.sentence[s.from] != t.sentence[f.from] {
		return 0
	}
	score, linked := 5.0, true
	for i := f.to; i < s.from; i++ {
		linked = linked && is("links", t.tokens[i].text)
	}
	if !linked {
		score = 3.5 - 0.7*float64(t.distance(f.to, s.from))
	}
	if t.clause[s.from] != t.clause[f.to-1] && (s.kind != both || !linked) {
		return 0
	}
	return score
}

// fixed reports whether a form says itself of what it is a cost.
func fixed(f found) bool { return f.kind == kindTime || f.kind == kindSpace }

// settle gives a measure to the forms that have none.
func (t *text) settle(asked Measure) {
	for i := range t.found {
		f := &t.found[i]
		switch {
		case f.kind == kindTime:
			f.of = []Measure{Time}
		case f.kind == kindSpace:
			f.of = []Measure{Space}
		case t.forBoth(*f):
			f.of = []Measure{Time, Space}
		case f.of != nil:
		case t.sized(*f):
			f.of = []Measure{Space}
		case t.behindSlash(i):
			t.found[i-1].of, f.of = []Measure{Time}, []Measure{Space}
		case asked == Time && t.secondOfTwo(i+1):
			f.of = []Measure{Time}
		case asked == Time && (t.secondOfTwo(i) || t.held(i)):
			f.of = []Measure{Space}
		case t.saidAgain(i), t.corrects(i):
			f.of = t.found[i-1].of
		default:
			f.of = []Measure{asked}
		}
	}
	t.respectively()
}

// secondOfTwo: "linear and constant" are time and memory, in this order, where neither is named.
func (t *text) secondOfTwo(i int) bool {
	return i > 0 && i < len(t.found) && t.found[i].form == "1" && t.found[i-1].form != "1" && len(t.measures) == 0 && t.listed(t.found[i-1], t.found[i])
}

// saidAgain reports whether a form is the one before in other words: "linear, so O(n)".
func (t *text) saidAgain(i int) bool {
	if i == 0 {
		return false
	}
	before, f := t.found[i-1], t.found[i]
	return before.form == f.form && t.sentence[before.from] == t.sentence[f.from] && f.from-before.to <= 6
}

// corrects reports whether a form stands for the one before: "space is constant, no wait, linear".
func (t *text) corrects(i int) bool {
	return i > 0 && !fixed(t.found[i-1]) && slices.ContainsFunc(t.marks, func(m span) bool {
		return m.kind == "correction" && m.from >= t.found[i-1].to && m.to <= t.found[i].from
	})
}

// sized: "a quadratic table", "a table of n by m".
func (t *text) sized(f found) bool {
	return slices.ContainsFunc(t.holders, func(s span) bool {
		return s.from == f.to || s.from == f.to+1 && t.follows(f.to) == "的" || s.to == f.from-1 && t.follows(s.to) == "of"
	})
}

// held reports whether a form beside another one is the size of what is kept: "n cubed, and the table is n squared", "k for the heap".
// A logarithm is rather what is done with it, except on a stack.
func (t *text) held(i int) bool {
	f := t.found[i]
	if f.weak && !strings.HasPrefix(t.follows(f.to), "for") || f.form == "1" || !slices.ContainsFunc(t.found, func(o found) bool {
		return o.from != f.from && !o.denied && !o.other && o.kind != kindSpace
	}) && !slices.ContainsFunc(t.measures, func(s span) bool { return s.kind == string(Time) && s.from >= f.to && t.same(&s) }) {
		return false
	}
	from := t.named(i)
	return slices.ContainsFunc(t.holders, func(s span) bool {
		if t.sentence[s.from] != t.sentence[f.from] || t.distance(s.to, f.from) > 13 || strings.Contains(f.form, "log") && !is("stacks", t.tokens[s.from].text) {
			return false
		}
		if t.follows(f.to) == "for" && s.from > f.to && s.from <= f.to+2 {
			return true
		}
		return s.from >= from && s.to <= f.from && !slices.ContainsFunc(t.found, func(o found) bool {
			return o.kind == kindTime && o.to > s.from && o.from < f.from // what is done with it
		})
	})
}

// follows is the text of the token at a place, or "".
func (t *text) follows(at int) string {
	if at < len(t.tokens) {
		return t.tokens[at].text
	}
	return ""
}

// forBoth: "both are linear", "linear for both".
func (t *text) forBoth(f found) bool {
	return slices.ContainsFunc(t.marks, func(m span) bool {
		return m.kind == "bothall" && (m.to <= f.from && f.from-m.to <= 1 && t.clause[m.from] == t.clause[f.from] || m.from >= f.to && m.from-f.to <= 1) && t.twoMeasures(m)
	})
}

// twoMeasures: the Chinese and Vietnamese words for both are also a plain "all"; with them time and memory must have been named.
func (t *text) twoMeasures(m span) bool {
	switch t.tokens[m.from].text {
	case "都", "均", "đều":
		return slices.ContainsFunc(t.measures, func(s span) bool { return s.kind == both && s.to <= m.from && m.from-s.to <= 3 }) ||
			slices.ContainsFunc(t.measures, func(s span) bool { return s.kind == string(Time) && s.to <= m.from }) &&
				slices.ContainsFunc(t.measures, func(s span) bool { return s.kind == string(Space) && s.to <= m.from && m.from-s.to <= 3 })
	}
	return true
}

// behindSlash: time and memory as "O(n)/O(1)".
func (t *text) behindSlash(i int) bool {
	f := t.found[i]
	return i > 0 && f.from-t.found[i-1].to == 1 && t.tokens[f.from-1].text == "/" && f.kind == kindFormula
}

// respectively: "time and space are n and one, respectively", or simply "time and space are n and one".
func (t *text) respectively() {
	for _, s := range t.measures {
		if s.kind != both {
			continue
		}
		for i := 0; i+1 < len(t.found); i++ {
			a, b := &t.found[i], &t.found[i+1]
			if a.from >= s.to && len(a.of) == 2 && t.listed(*a, *b) && b.from > a.to && len(b.of) == 1 {
				first, second := Time, Space
				if text := t.tokens[s.from].text; text == "space" || text == "memory" || text == "空" || text == "内" || text == "bộ" || text == "không" {
					first, second = Space, Time
				}
				a.of, b.of = []Measure{first}, []Measure{second}
			}
		}
	}
}

// share gives to a word for time or memory that has no form of its own that of the other one, where that is said: "linear, and memory
// too", "and the stack can get that big".
func (t *text) share(free map[*span]bool) {
	for i := range t.measures {
		s := &t.measures[i]
		inside := slices.ContainsFunc(t.found, func(f found) bool { return f.from <= s.from && s.to <= f.to && (!fixed(f) || f.from < s.from) })
		if free[s] && s.kind != both && !inside {
			t.shareWith(*s, Measure(s.kind))
		}
	}
	for _, s := range t.holders {
		if !slices.ContainsFunc(t.found, func(f found) bool { return slices.Contains(f.of, Space) && (!fixed(f) || f.from <= s.from && s.to <= f.to) }) {
			t.shareWith(s, Space)
		}
	}
}

func (t *text) shareWith(s span, of Measure) {
	if !t.same(&s) {
		return
	}
	for i := range slices.Backward(t.found) {
		f := &t.found[i]
		if f.to <= s.from && !f.denied && !fixed(*f) && t.distance(f.to, s.from) <= 16 && !slices.Contains(f.of, of) {
			f.of = append(slices.Clone(f.of), of)
			return
		}
	}
}

// same reports whether "too", "same" or the like stands by a word.
func (t *text) same(s *span) bool {
	return slices.ContainsFunc(t.marks, func(m span) bool {
		return m.kind == "same" && (m.to <= s.from && s.from-m.to <= 4 || m.from >= s.to && m.from-s.to <= 4)
	})
}
