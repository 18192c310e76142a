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

	rank   int
	perOne bool
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
	holders    []span // what things are kept in
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
	t.holders = slices.DeleteFunc(slices.Clone(t.measures), func(s span) bool { return s.kind != "holder" })
	t.measures = slices.DeleteFunc(t.measures, func(s span) bool { return s.kind == none || s.kind == "holder" })
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
		case ends(tok), i-began > maxSentence && (starts[i+1] || tok.text == "," || tok.text == ";"):
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
			if !ok || x.bare || x.to < s.to || s.value == none {
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
	t.describe()
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
	if s.value == none || s.kind == kindBare && !t.wordSupported(s.from, s.to) {
		return
	}
	f := found{form: s.value, kind: s.kind, from: s.from, to: s.to}
	if f.kind == kindBare {
		f.kind = kindNamed
	}
	if s.value == "n" {
		f.form, f.to = t.called(s.to)
	}
	t.found = append(t.found, f)
}

// called returns the letter of what a cost is linear in, and where that ends: "proportional to the height h".
func (t *text) called(at int) (string, int) {
	if !is("opens", t.tokens[at-1].text) {
		return "n", at
	}
	for i := at; i < len(t.tokens) && i <= at+8; i++ {
		if t.letterAt(i) && i > at && t.closes(i+1) {
			return t.tokens[i].text, i + 1
		}
		if sign, n := words().signs.match(t.tokens, i); n > 0 && sign.value != "of" || t.closes(i) && t.tokens[i].text != "the" && t.tokens[i].text != "," {
			break
		}
	}
	return "n", at
}

func (t *text) addFormula(x expression, at int) {
	f := found{form: x.sum.named(), kind: kindFormula, from: at, to: x.to}
	if x.bare && !x.big {
		if !t.claimed(x, at) {
			return
		}
		f.kind = kindLetter
	}
	if behind := t.follows(x.to); f.kind == kindFormula && !x.big && is("givens", behind) && (at == 0 || !is("alike", t.tokens[at-1].text)) {
		return // the size of what is given; but "all n times m cells"
	}
	t.found = append(t.found, f)
}

// claimed reports whether a letter, a noun or a number alone is a cost. Nouns and numbers are only behind a word for time or memory,
// since "m is the length of the text" and "one of them" are none; of the numbers only one is.
func (t *text) claimed(x expression, at int) bool {
	number, noun := !x.sum.variable(), strings.Contains(x.sum.String(), "<")
	if sign, n := words().signs.match(t.tokens, at); number && n > 0 && sign.value == "O" {
		return isOne(t.tokens[x.to-1]) && t.closes(x.to) // "O one space"
	}
	if (number || noun) && !t.afterMeasure(at) && (noun || !t.addsLetter(at, x.to)) {
		return false
	}
	if number && (x.to-at > 2 || !isOne(t.tokens[x.to-1])) {
		return false
	}
	return t.letterSupported(at, x.to)
}

func isOne(t token) bool { return t.text == "1" || numberWords[t.text] == "1" }

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
