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
	free := make(map[*span]bool)
	for i := range t.measures {
		free[&t.measures[i]] = true
	}
	for i, s := range t.deal(named, t.gaps(named)) {
		if s != nil {
			named[i].of, free[s] = measuresOf(s), false
		}
	}
	t.settle(asked)
	t.share(free)
}

// deal returns the word that each form takes, which is the last before it, the first behind it or none, so that they fit best as a
// whole; nobody takes the word of another one.
func (t *text) deal(named []*found, gaps [][]*span) []*span {
	const none, left, right = 0, 1, 2
	type choice struct {
		score float64 // of all forms up to this one
		took  *span
		prev  int
	}
	best := make([][3]choice, len(named)+1)
	for i, f := range named {
		for c := range best[i+1] {
			now := choice{score: -1e9}
			own := 0.0
			switch before, behind := gaps[i], gaps[i+1]; {
			case c == left && len(before) > 0:
				now.took = before[len(before)-1]
				own = t.fromLeft(now.took, *f)
			case c == right && len(behind) > 0:
				now.took = behind[0]
				own = t.fromRight(*f, now.took)
			}
			for p, last := range best[i] {
				shared := c == left && p == right && last.took == now.took
				if score := last.score + own; (own > 0 || c == none) && !shared && score > now.score {
					now.score, now.prev = score, p
				}
			}
			best[i+1][c] = now
		}
	}
	out := make([]*span, len(named))
	at := none
	for c, b := range best[len(named)] {
		if b.score > best[len(named)][at].score {
			at = c
		}
	}
	for i := len(named); i > 0; i-- {
		out[i-1] = best[i][at].took
		at = best[i][at].prev
	}
	return out
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
		if f.kind == kindNamed { // "time linear" is rarer than "linear time"
			score = 4.8
		}
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
		case asked == Time && t.secondOfTwo(i+1):
			f.of = []Measure{Time}
		case asked == Time && (t.secondOfTwo(i) || t.held(i)):
			f.of = []Measure{Space}
		case t.saidAgain(i), t.corrects(i), t.instead(i):
			f.of = t.found[i-1].of
		case i+1 < len(t.found) && t.found[i+1].of != nil && t.saidAgain(i+1) && t.marked("conclude", f.to, t.found[i+1].from):
			f.of = t.found[i+1].of
		default:
			f.of = []Measure{asked}
		}
	}
	t.respectively()
}

// secondOfTwo: "linear and constant", "O(n) / O(n)" are time and memory, in this order, where neither is named.
func (t *text) secondOfTwo(i int) bool {
	if i < 1 || i >= len(t.found) || len(t.measures) > 0 || !t.listed(t.found[i-1], t.found[i]) {
		return false
	}
	return t.found[i].form == "1" && t.found[i-1].form != "1" || t.tokens[t.found[i].from-1].text == "/"
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
	return i > 0 && !fixed(t.found[i-1]) && t.marked("correction", t.found[i-1].to, t.found[i].from)
}

// marked reports whether a mark of a kind lies between two places.
func (t *text) marked(kind string, from, to int) bool {
	return slices.ContainsFunc(t.marks, func(m span) bool { return m.kind == kind && m.from >= from && m.to <= to })
}

// instead: "space isn't constant, it's n".
func (t *text) instead(i int) bool {
	if i == 0 || fixed(t.found[i-1]) || !t.found[i-1].denied {
		return false
	}
	before, f := t.found[i-1], t.found[i]
	return t.sentence[before.from] == t.sentence[f.from] && t.distance(before.to, f.from) <= 8
}

// sized: "a quadratic table", "a table of n by m".
func (t *text) sized(f found) bool {
	return slices.ContainsFunc(t.holders, func(s span) bool {
		return s.from == f.to || s.from == f.to+1 && t.follows(f.to) == "的" || s.to == f.from-1 && t.follows(s.to) == "of"
	})
}

// held reports whether a form beside a cost in time is the size of what is kept: "n cubed, and the table is n squared", "k for the heap",
// "all of them might be in there, so n".
func (t *text) held(i int) bool {
	f, from := t.found[i], t.named(i)
	purpose := t.follows(f.to) == "for"
	if f.weak && !purpose || !t.besideTime(f) {
		return false
	}
	return slices.ContainsFunc(t.holders, func(s span) bool {
		return t.sentence[s.from] == t.sentence[f.from] && (purpose && s.from > f.to && s.from <= f.to+2 || s.from >= from && t.keeps(s, f))
	})
}

// besideTime reports whether another form is a cost in time, or will be.
func (t *text) besideTime(f found) bool {
	return slices.ContainsFunc(t.found, func(o found) bool {
		return o.from != f.from && !o.denied && !o.other && (o.kind == kindTime || slices.Contains(o.of, Time) || o.from > f.from && strings.Contains(o.form, "log"))
	}) || slices.ContainsFunc(t.measures, func(s span) bool { return s.kind == string(Time) && s.from >= f.to && t.same(&s) })
}

// keeps reports whether what is kept in a thing has the size of a form behind it. A logarithm is rather what is done with it, except
// on a stack.
func (t *text) keeps(s span, f found) bool {
	if s.to > f.from || t.distance(s.to, f.from) > 13 || strings.Contains(f.form, "log") && !is("stacks", t.tokens[s.from].text) {
		return false
	}
	return !slices.ContainsFunc(t.found, func(o found) bool { return o.kind == kindTime && o.to > s.from && o.from < f.from })
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
	n := 0
	for _, s := range t.measures {
		if s.to <= m.from && t.distance(s.to, m.from) <= 6 {
			n += len(measuresOf(&s))
		}
	}
	return n > 1 || !is("shared", t.tokens[m.from].text)
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
		if !slices.ContainsFunc(t.found, func(f found) bool {
			return slices.Contains(f.of, Space) && (!fixed(f) || f.from <= s.from && s.to <= f.to)
		}) {
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
