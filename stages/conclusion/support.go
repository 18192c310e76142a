package conclusion

import (
	"slices"
	"strings"
)

// A letter ("n") and a word that also means other things ("constant") are a claim only where what stands around them makes it one.

// letterSupported reports whether a letter or a number is a claim: "it's n", "n space", "time n". Unlike a word it must end its phrase.
func (t *text) letterSupported(from, to int) bool {
	switch {
	case t.afterMeasure(from):
		return t.closes(to) || t.letterAt(from) && isItem(t.tokens[to])
	case t.measureAfter(to), t.replaces(from, to), t.counts(from, to):
		return true
	case !t.closes(to):
		return false
	case t.addsLetter(from, to), t.apposed(from):
		return true
	}
	i, ok := t.beforeAdverbs(from)
	switch {
	case !ok || i < 0:
		return false
	case t.introduces(i, from):
		return true
	}
	return t.links(i)
}

// links reports whether the word at a place makes a claim of the letter behind it: "it's n", "it's the height h", but not "k is at most n".
func (t *text) links(at int) bool {
	i := at
	for i > 0 && (t.length(i) || i < at && i > at-3 && !is("copula", t.tokens[i].text)) {
		i--
	}
	return (is("copula", t.tokens[i].text) || is("copula", t.tokens[at].text)) && !is("needing", t.tokens[i].text) && !t.letterAt(i-1) && !t.length(i-1)
}

// counts: "so k rounds", "the loop runs n times".
func (t *text) counts(from, to int) bool {
	return from > 0 && to < len(t.tokens) && t.letterAt(from) && is("units", t.tokens[to].text) && t.tokens[from-1].text != "of" &&
		(is("copula", t.tokens[from-1].text) || is("adverbs", t.tokens[from-1].text) || is("does", t.tokens[from-1].text))
}

// apposed: "the queue holds the widest level, w".
func (t *text) apposed(from int) bool {
	return slices.ContainsFunc(slices.Concat(t.measures, t.holders), func(s span) bool {
		return (s.kind == string(Space) || s.kind == "holder" && is("names", t.tokens[max(from-1, 0)].text)) && s.to <= from && t.distance(s.to, from) <= 11 && t.sentence[s.from] == t.sentence[from] &&
			!slices.ContainsFunc(t.found, func(f found) bool { return f.to > s.from })
	})
}

// wordSupported reports whether an ambiguous word is a claim: "it's constant", "constant space", "linear and constant".
func (t *text) wordSupported(from, to int) bool {
	switch {
	case t.afterMeasure(from), t.measureAfter(to), t.continues(from, to), from > 0 && is("alike", t.tokens[from-1].text):
		return true
	case slices.ContainsFunc(t.measures, func(s span) bool { return s.from > from && s.from < to }):
		return true
	case from > 0 && t.tokens[from-1].text == "the": // "the constant in front"
		return false
	}
	i, ok := t.beforeAdverbs(from)
	switch {
	case !ok:
		return false
	case i < 0:
		return t.closes(to)
	case t.introduces(i, from):
		return true
	case !is("copula", t.tokens[i].text): // "Constant." alone
		return (ends(t.tokens[i]) || t.tokens[i].text == ",") && t.closes(to)
	case t.letterAt(i - 1): // "k is constant"
		return false
	}
	return !is("needing", t.tokens[i].text) || t.tokens[from-1].text != "a"
}

// replaces: "not n squared, n".
func (t *text) replaces(from, to int) bool {
	return from > 1 && t.tokens[from-1].text == "," && t.formEnds(from-1) && (to >= len(t.tokens) || ends(t.tokens[to]))
}

// addsLetter: "n log n and n", "and n for the stack".
func (t *text) addsLetter(from, to int) bool {
	return from > 0 && t.tokens[from-1].text == "and" && (t.formEnds(from-1) || t.measureAfter(to))
}

// continues: "linear and constant", "linear, constant".
func (t *text) continues(from, to int) bool {
	i := from
	for i > 0 && from-i < 3 && is("joiners", t.tokens[i-1].text) {
		i--
	}
	return i < from && t.formEnds(i) && t.closes(to)
}

// beforeAdverbs returns the place before the adverbs that lead to a place, -1 at the beginning of the text. It is not ok where one of
// them is a "to" that belongs to no fall: "from one to n".
func (t *text) beforeAdverbs(from int) (at int, ok bool) {
	i := from - 1
	for n := 0; i >= 0 && n < 4 && is("adverbs", t.tokens[i].text); n++ {
		if t.tokens[i].text == "to" && (i == 0 || !is("falls", t.tokens[i-1].text) && !t.formEnds(i)) {
			return i, false
		}
		i--
	}
	return i, true
}

// introduces reports whether the token at a place makes a claim of what comes: "drops to n", "time n", "o of n", or a form said before.
func (t *text) introduces(i, from int) bool {
	if is("falls", t.tokens[i].text) || t.endsMeasure(i+1) || t.formEnds(i+1) && i+1 < from {
		return true
	}
	sign, n := words().signs.match(t.tokens, i)
	return n > 0 && (sign.value == "O" || sign.value == "of" && i > 0 && t.tokens[i-1].text == "o")
}

// isItem reports whether a token is a word for things of which there are many: the nodes of "k nodes".
func isItem(t token) bool {
	return t.text == "个" || slices.ContainsFunc(words().classes.first[t.text], func(p *pattern) bool { return p.entry.value == "item" })
}

func (t *text) letterAt(at int) bool {
	return at >= 0 && isLetter(t.tokens[at].text)
}

// length reports whether the size of what is given ends at a place: "the length is n".
func (t *text) length(at int) bool {
	return at >= 0 && is("lengths", t.tokens[at].text) && (t.tokens[at].text != "度" || at > 0 && t.tokens[at-1].text == "长")
}

// measureAfter: "n for the stack".
func (t *text) measureAfter(at int) bool {
	for i := at; i < len(t.tokens) && i <= at+2; i++ {
		if t.measureAt(i) != nil || t.tokens[at].text == "for" && slices.ContainsFunc(t.holders, func(s span) bool { return s.from == i }) {
			return true
		}
		if w := t.tokens[i].text; w != "for" && w != "in" && w != "of" && w != "the" && w != "extra" && w != "的" {
			return false
		}
	}
	return false
}

// formEnds reports whether a form ends right before a token.
func (t *text) formEnds(at int) bool {
	n := len(t.found)
	return n > 0 && t.found[n-1].to == at
}

// afterMeasure reports whether a word for time or space stands before a place, with nothing but a verb and adverbs between.
func (t *text) afterMeasure(at int) bool {
	for i, n := at, 0; i > 0 && n < 5; i, n = i-1, n+1 {
		if t.endsMeasure(i) || slices.ContainsFunc(t.holders, func(s span) bool { return s.to == i }) && t.letterAt(at) {
			return true
		}
		if w := t.tokens[i-1].text; !is("copula", w) && !is("adverbs", w) && !is("fills", w) || w == "so" {
			return false
		}
	}
	return false
}

func (t *text) endsMeasure(at int) bool {
	return slices.ContainsFunc(t.measures, func(s span) bool { return s.to == at })
}

func (t *text) measureAt(at int) *span {
	if i := slices.IndexFunc(t.measures, func(s span) bool { return s.from == at }); i >= 0 {
		return &t.measures[i]
	}
	return nil
}

// closes reports whether nothing that begins at a place can go on with the noun phrase before it.
func (t *text) closes(at int) bool {
	return at >= len(t.tokens) || strings.ContainsAny(t.tokens[at].text[:1], ",;:.?!)") || is("closers", t.tokens[at].text) || t.measureAt(at) != nil
}
