package conclusion

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Measure is what a cost is counted in.
type Measure string

// Measures.
const (
	Time  Measure = "time"
	Space Measure = "space"
)

// Claim is a cost that somebody stands by.
type Claim struct {
	Of   Measure
	Form string // in its one form: 1, log n, n, n log n, n^2, m n, 2^(n), (n)!
	// Unit is what is counted, where that was said: tests, calls.
	Unit string
	// Condition is amortised, average, worst or best, or the words of another one ("if hashing is constant"); mostly empty.
	Condition string
	Quote     string // the words of the text
	From, To  int    // where they stand in the text, in bytes
	// Plain says that it was said in words that describe it ("each element once") and not by name.
	Plain bool

	rank  int
	other bool
}

// Order writes a form as problems do: O(n log n).
func Order(form string) string { return "O(" + form + ")" }

// Reading is what a text concludes.
type Reading struct {
	Time, Space *Claim  // the final ones; nil = none
	Claims      []Claim // all that stand, in the order of the text, those that were corrected left out
}

// Of returns the final claim about a measure, or nil.
func (r Reading) Of(m Measure) *Claim {
	if m == Space {
		return r.Space
	}
	return r.Time
}

// Read reads what a text in a language of the tables concludes. Languages may be mixed.
func Read(text string) Reading { return About(text, Time) }

// About is Read for an answer to a question about one measure: a cost of which nothing else is said is one of that.
func About(text string, asked Measure) Reading {
	t := newText(text)
	if len(t.tokens) == 0 {
		return Reading{}
	}
	t.find()
	t.judge()
	t.measure(asked)
	return t.decide()
}

// Asks returns the measure that a question is about: that of memory only where memory alone is named.
func Asks(question string) Measure {
	var space, time bool
	for _, s := range words().of.all(tokenise(question)) {
		space = space || s.kind == string(Space)
		time = time || s.kind == string(Time) || s.kind == both
	}
	if space && !time {
		return Space
	}
	return Time
}

const both = "both"

// text is a text on its way to being read.
type text struct {
	source     string
	tokens     []token
	marks      []span
	measures   []span // words for time, space, both
	conditions []span
	found      []found
	clause     []int // number of the clause of each token
	sentence   []int
}

// found is a form in a text.
type found struct {
	form     string
	kind     string
	from, to int // tokens
	denied   bool
	other    bool // of another solution
	weak     bool // a part of the cost, or a reason
	perOne   bool // the cost of one of many operations
	of       []Measure
}

// Kinds of found forms beside those of phrases.
const (
	kindFormula = "formula"
	kindLetter  = "letter" // n or 1 alone
)

func newText(source string) *text {
	if !norm.NFC.IsNormalString(source) {
		source = norm.NFC.String(source)
	}
	t := &text{source: source, tokens: tokenise(source)}
	w := words()
	t.marks, t.measures, t.conditions = w.marks.all(t.tokens), w.of.all(t.tokens), w.conditions.all(t.tokens)
	t.measures = slices.DeleteFunc(t.measures, func(s span) bool { return s.kind == none })
	t.divide()
	return t
}

// clauseMarks begin a clause.
var clauseMarks = []string{"but", "and", "reason", "conclude", "or"}

// divide numbers clauses and sentences.
func (t *text) divide() {
	t.clause, t.sentence = make([]int, len(t.tokens)), make([]int, len(t.tokens))
	starts := make(map[int]bool)
	for _, m := range t.marks {
		if slices.Contains(clauseMarks, m.kind) {
			starts[m.from] = true
		}
	}
	clause, sentence, began := 0, 0, 0
	for i, tok := range t.tokens {
		if starts[i] {
			clause++
		}
		t.clause[i], t.sentence[i] = clause, sentence
		switch {
		case ends(tok), i-began > maxSentence && clauseEnds(tok, starts[i+1]):
			clause++
			sentence++
			began = i
		case tok.text == "," || tok.text == ";" || tok.text == ":":
			clause++
		}
	}
}

// maxSentence bounds a sentence, in tokens: recognisers may put no stops at all.
const maxSentence = 150

func clauseEnds(t token, begins bool) bool { return begins || t.text == "," || t.text == ";" }

// find finds the forms.
func (t *text) find() {
	phrases := words().forms.all(t.tokens)
	p := &parser{tokens: t.tokens}
	next := 0
	for i := 0; i < len(t.tokens); {
		for next < len(phrases) && phrases[next].from < i {
			next++
		}
		x, ok := p.expression(i)
		if next < len(phrases) && phrases[next].from == i {
			s := phrases[next]
			if !ok || x.bare || x.to < s.to && s.kind != kindTime && s.kind != kindSpace || s.value == none {
				if inner, at := t.formulaIn(p, s); inner.to > 0 {
					t.addFormula(inner, at)
					i = inner.to
					continue
				}
				t.addPhrase(s)
				i = s.to
				continue
			}
		}
		if ok {
			t.addFormula(x, i)
			i = x.to
			continue
		}
		i++
	}
}

// formulaIn finds a formula within a phrase that only describes, or one with which a name goes on: "proportional to n times k".
func (t *text) formulaIn(p *parser, s span) (expression, int) {
	if s.value == none || s.kind == kindBare {
		return expression{}, 0
	}
	for i := s.from; i < s.to; i++ {
		if x, ok := p.expression(i); ok && !x.bare && (s.kind != kindNamed || i > s.from && x.to >= s.to) {
			return x, i
		}
	}
	return expression{}, 0
}

func (t *text) addPhrase(s span) {
	if s.value == none || s.kind == kindBare && !t.supported(s.from, s.to, false) {
		return
	}
	f := found{form: s.value, kind: s.kind, from: s.from, to: s.to}
	if f.kind == kindBare {
		f.kind = kindNamed
	}
	t.found = append(t.found, f)
}

func (t *text) addFormula(x expression, at int) {
	f := found{form: x.sum.named(), kind: kindFormula, from: at, to: x.to}
	if x.bare && !x.big {
		number := !x.sum.variable()
		if strings.Contains(x.sum.String(), "<") && !t.afterMeasure(at) { // "m is the length of the text"
			return
		}
		if one := t.tokens[x.to-1].text; number && f.to-f.from > 2 || number && one != "1" && numberWords[one] != "1" || !t.supported(at, x.to, true) {
			return
		}
		if number && !t.afterMeasure(at) {
			return
		}
		f.kind = kindLetter
	}
	m := t.tableBehind(x.to)
	if at > 1 && t.tokens[at-1].text == "of" { // a table of n by m
		m = t.tableBehind(at - 2)
	}
	if m != "" && f.kind == kindFormula && !x.big {
		if f.kind = kindSpace; m != "table" {
			return // the size of what is given
		}
	}
	t.found = append(t.found, f)
}

// tableBehind returns the kind of thing that has the size of a formula: "an m by n table".
func (t *text) tableBehind(at int) string {
	if at < len(t.tokens) && t.tokens[at].text == "的" {
		at++
	}
	if at >= len(t.tokens) {
		return ""
	}
	switch t.tokens[at].text {
	case "table", "array", "表", "bảng":
		return "table"
	case "grid", "board", "matrix", "cells", "网", "矩":
		return "given"
	}
	return ""
}

// supported reports whether what stands around a letter or an ambiguous word makes a claim of it: "it's n", "n space", "time n".
func (t *text) supported(from, to int, letter bool) bool {
	if t.afterMeasure(from) {
		return !letter || t.closes(to)
	}
	if m := t.measureAt(to); m != nil {
		return true
	}
	if letter && from > 1 && t.tokens[from-1].text == "," && t.formEnds(from-1) && (to >= len(t.tokens) || ends(t.tokens[to])) {
		return true // "not n squared, n"
	}
	if letter && from > 0 && t.tokens[from-1].text == "and" && (t.formEnds(from-1) || t.measureAfter(to)) && t.closes(to) {
		return true
	}
	if !letter && to+1 < len(t.tokens) && (t.tokens[to].text == "in" || t.tokens[to].text == "for" || t.tokens[to].text == "extra") && t.measureAt(to+1) != nil {
		return true
	}
	if !letter && from > 1 && t.formEnds(from-1) && (t.tokens[from-1].text == "and" || t.tokens[from-1].text == ",") && t.closes(to) {
		return true
	}
	if letter && !t.closes(to) || !letter && from > 0 && t.tokens[from-1].text == "the" { // "the constant in front"
		return false
	}
	i := from - 1
	for n := 0; i >= 0 && n < 4 && words().adverbs[t.tokens[i].text]; n++ {
		if t.tokens[i].text == "to" && !(i > 0 && (falls[t.tokens[i-1].text] || t.formEnds(i))) && t.tokens[i].text != "up" {
			return false
		}
		i--
	}
	if i < 0 {
		return !letter && t.closes(to)
	}
	if falls[t.tokens[i].text] || t.formEnds(i+1) && i+1 < from {
		return true
	}
	if t.endsMeasure(i + 1) {
		return true
	}
	if sign, n := words().signs.match(t.tokens, i); n > 0 && (sign.value == "O" || sign.value == "of" && i > 0 && t.tokens[i-1].text == "o") {
		return true
	}
	if !words().copula[t.tokens[i].text] {
		return !letter && (ends(t.tokens[i]) || t.tokens[i].text == ",") && (to >= len(t.tokens) || t.closes(to))
	}
	if i > 0 && letter && len(t.tokens[i-1].text) == 1 && strings.Contains(letters, t.tokens[i-1].text) { // "k is at most n"
		return false
	}
	switch t.tokens[i].text { // what is needed or used is mostly no cost in time
	case "needs", "need", "uses", "use":
		return !letter && t.tokens[from-1].text != "a"
	}
	return true
}

// measureAfter: "n for the stack".
func (t *text) measureAfter(at int) bool {
	for i := at; i < len(t.tokens) && i <= at+2; i++ {
		if t.measureAt(i) != nil {
			return true
		}
		if w := t.tokens[i].text; w != "for" && w != "in" && w != "of" && w != "the" && w != "extra" {
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
		if t.endsMeasure(i) {
			return true
		}
		if w := t.tokens[i-1].text; !words().copula[w] && !words().adverbs[w] && w != "complexity" || w == "so" {
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

// closers are words that may follow a letter that is a claim.
var closers = map[string]bool{
	"for": true, "in": true, "because": true, "since": true, "overall": true, "total": true, "again": true, "instead": true, "with": true, "where": true,
	"right": true, "as": true, "too": true, "at": true, "or": true, "on": true, "and": true, "but": true, "so": true, "which": true, "each": true,
	"altogether": true, "now": true, "extra": true, "then": true, "while": true, "average": true, "worst": true, "amortised": true, "amortized": true,
	"的": true, "级": true, "了": true, "吧": true, "空": true, "时": true, "因": true, "额": true, "而": true, "和": true, "内": true,
	"vì": true, "và": true, "còn": true, "nhưng": true, "ạ": true, "thôi": true, "bộ": true, "do": true, "nhé": true, "cho": true,
	"time": true, "space": true, "memory": true, "i": true, "we": true, "the": true, "operations": true, "steps": true, "calls": true, "tests": true, "runs": true,
	"deep": true, "units": true, "respectively": true, "if": true, "not": true, "rather": true, "it's": true, "that's": true,
}

// closes reports whether nothing that begins at a place can go on with the noun phrase before it.
func (t *text) closes(at int) bool {
	return at >= len(t.tokens) || strings.ContainsAny(t.tokens[at].text[:1], ",;:.?!)") || closers[t.tokens[at].text] || t.measureAt(at) != nil
}

// far is farther than anything that belongs together.
const far = 40

// distance is that between two places in words; two characters of a script without spaces are one.
func (t *text) distance(from, to int) int {
	n := 0
	for i := from; i < to && i < len(t.tokens) && n < 2*far; i++ {
		if r, _ := utf8.DecodeRuneInString(t.tokens[i].text); isHan(r) {
			n++
		} else {
			n += 2
		}
	}
	return (n + 1) / 2
}
