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
	case t.measureAfter(to), t.replaces(from, to):
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
	return words().copula[t.tokens[i].text] && !needing[t.tokens[i].text] && !t.letterAt(i-1) && !t.length(i-1) // "k is at most n" is none
}

// apposed: "the queue holds the widest level, w".
func (t *text) apposed(from int) bool {
	return slices.ContainsFunc(t.measures, func(s span) bool {
		return s.kind == string(Space) && s.to <= from && t.distance(s.to, from) <= 9 && t.sentence[s.from] == t.sentence[from] &&
			!slices.ContainsFunc(t.found, func(f found) bool { return f.to > s.from })
	})
}

// wordSupported reports whether an ambiguous word is a claim: "it's constant", "constant space", "linear and constant".
func (t *text) wordSupported(from, to int) bool {
	switch {
	case t.afterMeasure(from), t.measureAt(to) != nil, t.continues(from, to):
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
	case !words().copula[t.tokens[i].text]: // "Constant." alone
		return (ends(t.tokens[i]) || t.tokens[i].text == ",") && t.closes(to)
	case t.letterAt(i - 1): // "k is constant"
		return false
	}
	return !needing[t.tokens[i].text] || t.tokens[from-1].text != "a"
}

// needing are verbs whose object is mostly no cost in time: "it needs n", "it uses a constant".
var needing = map[string]bool{"needs": true, "need": true, "uses": true, "use": true}

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
	return from > 1 && t.formEnds(from-1) && (t.tokens[from-1].text == "and" || t.tokens[from-1].text == ",") && t.closes(to)
}

// beforeAdverbs returns the place before the adverbs that lead to a place, -1 at the beginning of the text. It is not ok where one of
// them is a "to" that belongs to no fall: "from one to n".
func (t *text) beforeAdverbs(from int) (at int, ok bool) {
	i := from - 1
	for n := 0; i >= 0 && n < 4 && words().adverbs[t.tokens[i].text]; n++ {
		if t.tokens[i].text == "to" && (i == 0 || !falls[t.tokens[i-1].text] && !t.formEnds(i)) {
			return i, false
		}
		i--
	}
	return i, true
}

// introduces reports whether the token at a place makes a claim of what comes: "drops to n", "time n", "o of n", or a form said before.
func (t *text) introduces(i, from int) bool {
	if falls[t.tokens[i].text] || t.endsMeasure(i+1) || t.formEnds(i+1) && i+1 < from {
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
	return at >= 0 && len(t.tokens[at].text) == 1 && strings.Contains(letters, t.tokens[at].text)
}

// length reports whether the size of what is given ends at a place: "the length is n".
func (t *text) length(at int) bool {
	return at >= 0 && lengths[t.tokens[at].text] && (t.tokens[at].text != "度" || at > 0 && t.tokens[at-1].text == "长")
}

var lengths = map[string]bool{"length": true, "size": true, "count": true, "dài": true, "thước": true, "度": true, "小": true}

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

// falls are words after which "to n" is a cost: "it drops to n".
var falls = map[string]bool{"down": true, "drops": true, "drop": true, "goes": true, "falls": true, "comes": true, "shrinks": true, "reduces": true, "reduced": true, "brought": true}

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
		if w := t.tokens[i-1].text; !words().copula[w] && !words().adverbs[w] && !fills[w] || w == "so" {
			return false
		}
	}
	return false
}

// fills stand between what things are kept in and how many they are: "the queue can grow to n".
var fills = map[string]bool{
	"complexity": true, "itself": true, "can": true, "could": true, "might": true, "may": true, "grow": true, "grows": true, "hold": true, "holds": true, "of": true,
	"size": true, "depth": true, "reach": true, "reaches": true, "contains": true, "本": true, "身": true, "占": true, "放": true, "存": true, "chứa": true, "cỡ": true, "giữ": true,
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

// closers are words that may follow a letter that is a claim.
var closers = map[string]bool{
	"for": true, "in": true, "because": true, "since": true, "overall": true, "total": true, "again": true, "instead": true, "with": true, "where": true,
	"right": true, "as": true, "too": true, "at": true, "or": true, "on": true, "and": true, "but": true, "so": true, "which": true, "each": true,
	"altogether": true, "now": true, "extra": true, "then": true, "while": true, "average": true, "worst": true, "amortised": true, "amortized": true,
	"的": true, "级": true, "了": true, "吧": true, "空": true, "时": true, "因": true, "额": true, "而": true, "和": true, "内": true,
	"vì": true, "và": true, "còn": true, "nhưng": true, "ạ": true, "thôi": true, "bộ": true, "do": true, "nhé": true, "cho": true,
	"time": true, "space": true, "memory": true, "i": true, "we": true, "really": true, "the": true, "operations": true, "steps": true, "calls": true, "tests": true, "runs": true,
	"deep": true, "của": true, "units": true, "respectively": true, "if": true, "not": true, "rather": true, "it's": true, "that's": true,
}

// closes reports whether nothing that begins at a place can go on with the noun phrase before it.
func (t *text) closes(at int) bool {
	return at >= len(t.tokens) || strings.ContainsAny(t.tokens[at].text[:1], ",;:.?!)") || closers[t.tokens[at].text] || t.measureAt(at) != nil
}
