package conclusion

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// frame is a way to tell a growth in plain words: words of all its classes near each other, in any order ("each item" and "once").
type frame struct {
	entry
	with, without []string // classes
	within        int      // how far apart the words may stand, as distance counts
}

// reach is how far apart the words of a frame may stand that says nothing else.
const reach = 13

// frameOf reads "time n = each item & once & !pair".
func frameOf(line string) frame {
	head, tail, _ := strings.Cut(line, " = ")
	kind, form, _ := strings.Cut(head, " ")
	tail, within, _ := strings.Cut(tail, " within ")
	f := frame{entry: entry{"described " + kind, form}, within: reach}
	if n, err := strconv.Atoi(within); err == nil {
		f.within = n
	}
	for class := range strings.SplitSeq(tail, " & ") {
		if not, without := strings.CutPrefix(class, "!"); without {
			f.without = append(f.without, not)
		} else {
			f.with = append(f.with, class)
		}
	}
	return f
}

// describe finds what frames tell, where no other form stands. Of frames over the same words the first in the file counts.
func (t *text) describe() {
	hits := make(map[string][]span)
	for _, s := range words().classes.each(t.tokens) {
		hits[s.value] = append(hits[s.value], s)
	}
	taken := map[string][]bool{kindTime: make([]bool, len(t.tokens)), kindSpace: make([]bool, len(t.tokens))}
	for _, f := range t.found {
		mark(taken[kindTime], f.from, f.to)
		mark(taken[kindSpace], f.from, f.to)
	}
	for _, f := range words().frames {
		for _, first := range hits[f.with[0]] {
			from, to, ok := t.fits(f, first, hits)
			if !ok || slices.Contains(taken[f.kind][from:to], true) {
				continue
			}
			mark(taken[f.kind], from, to)
			if f.value != none {
				t.found = append(t.found, found{form: f.value, kind: f.kind, from: from, to: to})
			}
		}
	}
	slices.SortStableFunc(t.found, func(a, b found) int { return cmp.Compare(a.from, b.from) })
}

func mark(taken []bool, from, to int) {
	for i := from; i < to; i++ {
		taken[i] = true
	}
}

// fits finds the words of a frame around one of its first class, each the nearest of its class.
func (t *text) fits(f frame, first span, hits map[string][]span) (from, to int, ok bool) {
	chosen := []span{first}
	from, to = first.from, first.to
	for _, class := range f.with[1:] {
		s, found := t.nearest(f, hits[class], from, to, chosen)
		if !found {
			return 0, 0, false
		}
		chosen = append(chosen, s)
		from, to = min(from, s.from), max(to, s.to)
	}
	for _, class := range f.without {
		if slices.ContainsFunc(nearby(hits[class], from, to), func(s span) bool { return t.distance(s.to, from) <= 2 && t.distance(to, s.from) <= 2 }) {
			return 0, 0, false
		}
	}
	return from, to, true
}

// nearest returns the span nearest to a place within reach, in the same sentence and apart from those chosen.
func (t *text) nearest(f frame, list []span, from, to int, chosen []span) (best span, ok bool) {
	near := f.within + 1
	for _, s := range nearby(list, from, to) {
		if t.sentence[s.from] != t.sentence[from] || f.within < reach && t.clause[s.from] != t.clause[from] || slices.ContainsFunc(chosen, func(c span) bool { return s.from < c.to && c.from < s.to }) {
			continue
		}
		if d := t.distance(s.to, from) + t.distance(to, s.from); d < near && t.distance(min(from, s.from), max(to, s.to)) <= 2*f.within+len(chosen)*2 {
			best, near, ok = s, d, true
		}
	}
	return best, ok
}

// nearby returns the spans of an ordered list that begin near a place.
func nearby(list []span, from, to int) []span {
	before := func(s span, at int) int { return cmp.Compare(s.from, at) }
	a, _ := slices.BinarySearchFunc(list, from-far, before)
	b, _ := slices.BinarySearchFunc(list, to+far, before)
	return list[a:b]
}
