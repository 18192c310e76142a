package conclusion

import "slices"

// judge finds out which forms are no claims, and which are claims about a part only.
func (t *text) judge() {
	t.scopes()
	for i := range t.found {
		f := &t.found[i]
		f.denied = f.denied || t.turnedDown(i) || t.tooSlow(i) || t.computes(f)
		f.weak, f.perOne = t.partial(i)
		f.weak = f.weak || t.reasoned(*f)
	}
	t.lists()
}

// turnedDown: "not quadratic", "better than n squared", "from n squared to n".
func (t *text) turnedDown(i int) bool {
	f := t.found[i]
	for _, m := range slices.Backward(t.marks) {
		if m.to > f.from {
			continue
		}
		if t.sentence[m.from] != t.sentence[f.from] || t.named(i) > m.from {
			return false
		}
		if down, decided := t.turnsDown(m, f); decided {
			return down
		}
	}
	return false
}

// named is where the last form by name before one ends.
func (t *text) named(i int) int {
	if last := t.lastNamed(t.found[i].from); last >= 0 {
		return t.found[last].to
	}
	return 0
}

// turnsDown reports whether a mark before a form turns it down, and whether that is decided: another mark may stand before this one.
func (t *text) turnsDown(m span, f found) (down, decided bool) {
	d := t.distance(m.to, f.from)
	switch m.kind {
	case "but", "conclude", "correction":
		return false, true
	case "allow":
		if d <= 4 {
			return false, true
		}
	case "not":
		if t.bridged(m.to, f.from, func(w string) bool { return !is("believes", w) }) {
			return false, true
		}
		if d <= 2 || d <= 5 && t.clause[m.from] == t.clause[f.from] {
			return true, true
		}
	case "than":
		if t.marked("bridge", m.to+1, f.from) {
			return false, true
		}
		if d <= 4 {
			return true, true
		}
	}
	return false, d > 8
}

// bridged reports whether a clause begins anew between two places without a mark ("we don't count the stack it's constant"), where the
// word before allows it.
func (t *text) bridged(from, to int, allows func(before string) bool) bool {
	return slices.ContainsFunc(t.marks, func(b span) bool {
		return b.kind == "bridge" && b.from > from && b.to <= to && allows(t.tokens[b.from-1].text)
	})
}

// computes reports whether a formula has a number for its value, which is arithmetic: "n squared is nine". Behind a word for time or
// memory, and where steps are counted, it is a claim with an example.
func (t *text) computes(f *found) bool {
	if f.kind != kindFormula || t.afterMeasure(f.from) || f.to >= len(t.tokens) || !is("equals", t.tokens[f.to].text) {
		return false
	}
	i := f.to + 1
	for i < len(t.tokens) && (is("adverbs", t.tokens[i].text) || t.tokens[i].text == "于") {
		i++
	}
	from := i
	for i < len(t.tokens) && t.quantity(i) {
		i++
	}
	return i > from && (i >= len(t.tokens) || !is("units", t.tokens[i].text))
}

func (t *text) quantity(at int) bool {
	text := t.tokens[at].text
	return isDigit(rune(text[0])) || numberWords[text] != "" || is("quantities", text)
}

// tooSlow: "n squared is too slow".
func (t *text) tooSlow(i int) bool {
	f := t.found[i]
	for _, m := range t.marks {
		if m.from < f.to {
			continue
		}
		if m.kind == "after" {
			return t.sentence[m.from] == t.sentence[f.from] && t.distance(f.to, m.from) <= 4 && (i+1 >= len(t.found) || t.found[i+1].from >= m.from)
		}
	}
	return false
}

// leaveOpen denies what was said before somebody adds that it is not all: "n log n, but I haven't added up the rest". It may be one
// measure alone that is open: "the space I still have to work out".
func (t *text) leaveOpen(m span) {
	last := t.lastNamed(m.from)
	if last >= 0 && !slices.ContainsFunc(t.measures, func(s span) bool {
		return s.from > t.found[last].to && t.clause[s.from] <= t.clause[m.to-1] || s.from >= m.from && s.from < m.to+3
	}) {
		t.deny(func(f found) bool { return f.to <= m.from && t.distance(f.to, m.from) <= 20 })
	}
}

// lastNamed returns the last form by name before a place, or -1.
func (t *text) lastNamed(at int) int {
	for i, f := range slices.Backward(t.found) {
		if f.to <= at && !fixed(f) {
			return i
		}
	}
	return -1
}

func (t *text) deny(is func(found) bool) {
	for i := range t.found {
		if is(t.found[i]) {
			t.found[i].denied = true
		}
	}
}

// scopeEnd is the token at which what a mark opens is over: the end of the sentence or a mark of the given kinds.
func (t *text) scopeEnd(m span, kinds ...string) int {
	end := m.to
	for end < len(t.tokens) && t.sentence[end] == t.sentence[m.from] {
		end++
	}
	for _, later := range t.marks {
		if later.from >= m.to && later.from < end && slices.Contains(kinds, later.kind) {
			return later.from
		}
	}
	return end
}

// denials are what marks deny behind them, up to so many words on, another mark or the end of the sentence: what is asked, what others
// said or asked for, what is wished; of plans what describes them only.
var denials = map[string]struct {
	within int
	until  []string
}{
	"question": {2 * far, []string{"but", "conclude", "correction"}}, "quoted": {2 * far, []string{"but", "conclude", "correction"}},
	"apart": {2 * far, []string{"but", "conclude", "correction"}}, "goal": {9, []string{"but", "conclude", "correction", "reason"}},
	"plan": {9, []string{"but", "conclude", "correction", "reason"}},
}

// scopes denies what is no claim for the place where it stands.
func (t *text) scopes() {
	for _, m := range t.marks {
		switch m.kind {
		case "hypo":
			t.others(m, t.scopeEnd(m, "but", "conclude", "correction", "mine"), 2*far)
		case "other":
			t.others(m, t.scopeEnd(m, "but", "correction", "mine"), 16)
		case "asks":
			t.deny(func(f found) bool {
				return f.to <= m.from && t.sentence[f.from] == t.sentence[m.from] && t.distance(f.to, m.from) <= 4
			})
		case "void":
			t.deny(func(f found) bool { return t.sentence[f.from] == t.sentence[m.from] })
		case "open":
			t.leaveOpen(m)
		case "withdrawn":
			last := t.lastNamed(m.from)
			t.deny(func(f found) bool { return f.to <= m.from && (last < 0 || f.from >= t.found[last].from) })
		case "alone":
			t.denyNext(m)
		default:
			t.denyBehind(m)
		}
	}
}

func (t *text) denyBehind(m span) {
	if d, denies := denials[m.kind]; denies {
		end := t.scopeEnd(m, d.until...)
		t.deny(func(f found) bool {
			return f.from >= m.from && f.from < end && t.distance(m.to, f.from) <= d.within && (m.kind != "plan" || fixed(f)) &&
				(m.kind != "goal" || !t.bridged(m.to, f.from, func(w string) bool { return w == "," }))
		})
	}
}

// denyNext denies what one step costs: "the sort alone is n log n".
func (t *text) denyNext(m span) {
	if i := slices.IndexFunc(t.found, func(f found) bool { return f.from >= m.to }); i >= 0 && t.distance(m.to, t.found[i].from) <= 12 {
		t.denyAll(i, i+1)
	}
}

// others marks what another solution costs: what describes it, and the first cost by name with what belongs to that.
func (t *text) others(m span, end, within int) {
	named := -1
	for i := range t.found {
		f := &t.found[i]
		if f.from < m.to || f.from >= end || t.distance(m.to, f.from) > within {
			continue
		}
		if last := named; !fixed(*f) {
			if named = i; last >= 0 && f.form != t.found[last].form && t.distance(t.found[last].to, f.from) > 2 {
				return
			}
		}
		f.other = true
	}
}

// partial reports whether a form is what a part of the work costs, and whether that is one of many operations.
func (t *text) partial(i int) (weak, perOne bool) {
	for _, m := range t.marks {
		if m.kind == "part" && t.sentence[m.from] == t.sentence[t.found[i].from] && (t.partBefore(m, i) || t.partBehind(m, i)) {
			return true, is("single", t.tokens[m.from].text)
		}
	}
	return false, false
}

// partBefore: "the sort is n log n", but not "the sort dominates so it's n log n".
func (t *text) partBefore(m span, i int) bool {
	f := t.found[i]
	if m.to > f.from || t.clause[m.to-1] != t.clause[f.from] || t.distance(m.to, f.from) > 5 || t.named(i) > m.from {
		return false
	}
	return !t.marked("bridge", m.to, f.from)
}

// partBehind: "n log n for the sort", "log n per insertion".
func (t *text) partBehind(m span, i int) bool {
	f := t.found[i]
	if m.from < f.to || t.clause[m.from] != t.clause[f.from] || t.distance(f.to, m.from) > 2 || i+1 < len(t.found) && t.found[i+1].from < m.from {
		return false
	}
	switch t.tokens[m.from].text {
	case "for", "per", "each":
		return true
	}
	return false
}

// reasoned reports whether a form only gives the reason of a claim: "n squared, since the inner loop is n".
func (t *text) reasoned(f found) bool {
	for _, m := range slices.Backward(t.marks) {
		switch {
		case m.to > f.from || m.kind == "bridge" && t.distance(m.to, f.from) > 3:
		case t.sentence[m.from] != t.sentence[f.from] || slices.Contains([]string{"bridge", "but", "conclude", "correction"}, m.kind):
			return false
		case m.kind == "reason":
			return true
		}
	}
	return false
}
