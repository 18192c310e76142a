package coach

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// guide leads from the first idea to a good one, and through its cost: by questions, with hints of rising strength.
type guide struct{ *kit }

// process answers a turn.
func (e guide) process(b *expert.Board) expert.Response {
	if r, wrong := e.counter(b); wrong {
		return r
	}
	if b.CurrentStage == Complexity {
		return e.cost(b)
	}
	return e.idea(b)
}

// counter asks about an input on which the approach fails that the candidate has named, once each (RM-19). Who names one that works
// as well has moved on.
func (e guide) counter(b *expert.Board) (expert.Response, bool) {
	p := b.Secret.Problem
	if p == nil {
		return expert.Response{}, false
	}
	lang, text, id := e.language(b), "", ""
	for _, name := range p.Named(b.Input, lang) {
		if a, right := p.Approach(name); right && a.Quality != problem.Brute {
			return expert.Response{}, false
		}
		if m, wrong := p.Wrong(name); wrong && text == "" && !b.Heard(problem.In(m.Counter.Say, lang)) {
			text, id = problem.In(m.Counter.Say, lang), m.ID
		}
	}
	if text == "" {
		return expert.Response{}, false
	}
	r := expert.Success(text, "")
	r.Metadata["wrong"] = id
	return r, true
}

const (
	acceptWords = 6  // words that make an idea, once all hints are given
	exampleFrom = 8  // words from which an idea nobody recognises is worth an example
	approachMax = 80 // characters of the candidate's words that are kept as their approach
	ideaMax     = 6  // turns after which any idea is taken
	costMax     = 3  // turns about a cost that does not come out
)

// idea answers a turn about how to solve the task.
func (e guide) idea(b *expert.Board) expert.Response {
	a, named := e.told(b)
	switch {
	case stuck(b) && (!named || a.brute):
		return e.hint(b)
	case named && !a.brute:
		return e.named(b, a)
	case named:
		return e.brute(b, a)
	}
	return e.unnamed(b)
}

// told is the approach that the candidate's turn names, or else the better one that an earlier turn did.
func (e guide) told(b *expert.Board) (approach, bool) {
	a, named := e.approachIn(b, b.Input)
	if earlier, is := e.approachIn(b, strings.Join(said(b), "\n")); is && !earlier.brute && (!named || a.brute) {
		return earlier, true
	}
	return a, named
}

// unnamed answers an idea that the sheet does not know. It is tried on an example, and then followed.
func (e guide) unnamed(b *expert.Board) expert.Response {
	words := understand.Words(b.Input)
	described := words >= exampleFrom || e.looksLikeCode(b.Input)
	enough := b.HintLevel >= hintLevels || b.Turns >= ideaMax
	switch {
	case b.Wants(understand.Yes) && words <= acceptWords:
		return expert.Success(e.say(b, "thought.how"), "")
	case e.timed(b) || words >= acceptWords && enough || described && e.tried(b):
		return e.accept(b, approach{name: understand.Clip(strings.Join(strings.Fields(b.Input), " "), approachMax)})
	case described:
		return expert.Success(e.say(b, "thought.example"), "")
	}
	for _, how := range e.words[e.language(b)].Phrases["thought.how"] {
		if !b.Heard(how) {
			return expert.Success(how, "")
		}
	}
	return e.hint(b)
}

// tried reports whether the candidate was asked to try the idea on an example. Who goes on describing then has one, whether or not
// the sheet knows it: a hint that nobody asked for would take it away.
func (e guide) tried(b *expert.Board) bool {
	return slices.ContainsFunc(e.words[e.language(b)].Phrases["thought.example"], b.Heard)
}

// named takes an approach that is worth following, and asks for its cost (R003-36). That it is right was not checked, and is
// not said (RM-16).
func (e guide) named(b *expert.Board, a approach) expert.Response {
	return e.take(b, "thought.named", a, 0.9)
}

// brute takes an exhaustive idea as workable but improvable, and gives the next hint (R003-32). Somebody who has had all
// hints and stays with it goes on with it.
func (e guide) brute(b *expert.Board, a approach) expert.Response {
	if b.HintLevel >= hintLevels {
		return e.accept(b, a)
	}
	r := e.hint(b)
	if b.HintLevel == 0 {
		r.Message = sentences(e.say(b, "thought.brute"), r.Message)
	}
	r.Metadata["approach"], r.Metadata["cost"], r.Metadata["workable"] = "brute", a.cost, true
	return r
}

func (e guide) accept(b *expert.Board, a approach) expert.Response {
	return e.take(b, "thought.accept", a, 0.3)
}

// take goes on to the cost: what was said of it already is not asked for again (RM-18).
func (e guide) take(b *expert.Board, words string, a approach, confidence float64) expert.Response {
	text := e.say(b, words)
	switch {
	case e.timed(b) && e.spaced(b):
		text = e.say(b, "complexity.why")
	case e.timed(b):
		text = e.say(b, "complexity.space")
	}
	r := expert.Success(text, Complexity, expert.Update{Field: expert.FieldApproach, Value: a.name})
	r.Metadata["approach"], r.Metadata["cost"], r.Metadata["confidence"] = a.id, a.cost, confidence
	return r
}

// cost answers a turn about what the idea costs.
func (e guide) cost(b *expert.Board) expert.Response {
	said := e.costs(b)
	time, space := costOf(said.Time), costOf(said.Space)
	expected := e.expected(b)
	if time == "" && (len(said.Claims) > 0 || e.spaced(b)) {
		time = costOf(e.latest(b, conclusion.Time))
	}
	switch {
	case len(said.Claims) == 0 && stuck(b):
		return e.hint(b)
	case len(said.Claims) == 0 && (time == "" || expected != "" && !same(time, expected)):
		return e.uncounted(b)
	case time == "" && !e.timed(b):
		return flagged(expert.Success(e.say(b, "complexity.ask"), ""))
	case time != "" && expected != "" && !same(time, expected):
		return e.differs(b, time, expected)
	case space == "" && !e.spaced(b) && b.Turns < costMax:
		return flagged(expert.Success(e.say(b, "complexity.space"), ""))
	}
	r := flagged(e.toCode(b, e.counted(b, time, expected)))
	r.Metadata["claimed"], r.Metadata["expected"] = time, expected
	return r
}

// toCode goes on to the code. Who has told it already is not asked for it again (RM-18).
func (e guide) toCode(b *expert.Board, text string) expert.Response {
	if b.Pseudocode() != "" || e.dictatedBefore(b) != "" {
		text = sentences(text, e.say(b, "code.have"))
	}
	return expert.Success(text, Pseudocode)
}

// uncounted is a turn about cost that names none. Who asks for no hint is asked again and gets none.
func (e guide) uncounted(b *expert.Board) expert.Response {
	if b.Turns >= costMax {
		return flagged(e.toCode(b, e.say(b, "complexity.move")))
	}
	return expert.Success(e.say(b, "complexity.ask"), "")
}

// counted agrees with a cost that was counted, and keeps any other for later (RM-16).
func (e guide) counted(b *expert.Board, claimed, expected string) string {
	if claimed == "" || expected == "" {
		return e.say(b, "complexity.kept")
	}
	return e.say(b, "complexity.good", "cost", spoken(expected, e.language(b)))
}

// differs asks how the cost comes from the approach that was named (RM-19), lets the candidate count again, and in the end says
// honestly what comes out (R003-94).
func (e guide) differs(b *expert.Board, claimed, expected string) expert.Response {
	text := e.say(b, "complexity.count")
	if a, known := e.approachIn(b, b.UserApproach()); known && !e.doubted(b) {
		text = e.say(b, "complexity.doubt", "approach", a.name, "claimed", spoken(claimed, e.language(b)))
	}
	r := expert.Success(text, "")
	if b.Turns >= costMax {
		r = e.toCode(b, e.say(b, "complexity.settle", "cost", spoken(expected, e.language(b))))
		r.Flags = append(r.Flags, FlagDisputed)
	}
	r.Metadata["claimed"], r.Metadata["expected"] = claimed, expected
	return flagged(r)
}

// doubted reports whether the candidate was asked before where a cost comes from.
func (e guide) doubted(b *expert.Board) bool {
	return slices.ContainsFunc(e.words[e.language(b)].Phrases["complexity.doubt"], func(text string) bool {
		_, text, _ = strings.Cut(text, "}")
		text, _, _ = strings.Cut(text, "{")
		return b.Heard(text)
	})
}

// spoken writes a cost such as O(n^2) as it is said in a language.
func spoken(cost, lang string) string {
	inner, is := strings.CutPrefix(cost, "O(")
	if inner = strings.TrimSuffix(inner, ")"); !is {
		return cost
	}
	if product := strings.Fields(inner); len(product) == 2 && len(product[0]) == 1 && len(product[1]) == 1 {
		inner = product[0] + "*" + product[1]
	}
	if lang == "zh" {
		if inner == "1" {
			return "常数"
		}
		return strings.NewReplacer("^2", " 的平方", "^3", " 的立方", "2^(n)", "2 的 n 次方", "(n)!", "n 的阶乘", "n^0.5", "根号 n", "*", " 乘 ").Replace(inner)
	}
	if inner == "1" {
		return "a constant"
	}
	return strings.NewReplacer("n^0.5", "the square root of n", "2^(n)", "2 to the n", "(n)!", "n factorial", "^2", " squared", "^3", " cubed",
		"^", " to the ", "*", " times ").Replace(inner)
}

func flagged(r expert.Response) expert.Response {
	r.Flags = append(r.Flags, FlagComplexity)
	return r
}

// expected returns what the candidate's own approach costs in time, "" when nobody can tell.
func (e guide) expected(b *expert.Board) string {
	if a, known := e.approachIn(b, b.UserApproach()); known {
		return a.cost
	}
	return ""
}

// timed and spaced report whether the candidate has named a cost of time, or of memory, before.
func (e guide) timed(b *expert.Board) bool { return e.claimed(b, conclusion.Time) }

func (e guide) spaced(b *expert.Board) bool { return e.claimed(b, conclusion.Space) }

func (e guide) claimed(b *expert.Board, of conclusion.Measure) bool { return e.latest(b, of) != nil }

// latest is what the candidate last said of a cost, or nil.
func (e guide) latest(b *expert.Board, of conclusion.Measure) *conclusion.Claim {
	for _, text := range slices.Backward(said(b)) {
		if c := conclusion.Read(text).Of(of); c != nil {
			return c
		}
	}
	return nil
}

// costOf writes a claim as problems write costs; "" for none.
func costOf(c *conclusion.Claim) string {
	if c == nil {
		return ""
	}
	return conclusion.Order(c.Form)
}

// timeOf returns the first O(…) of a text such as "time O(n), space O(1)".
func timeOf(complexity string) string {
	i := strings.Index(complexity, "O(")
	if i < 0 {
		return ""
	}
	j := strings.IndexByte(complexity[i:], ')')
	if j < 0 {
		return ""
	}
	return complexity[i : i+j+1]
}

// same compares costs as people name them: how the sizes are called does not count, and a cost that is linear in the cells of a grid
// may be called linear.
func same(a, b string) bool {
	x, named := conclusion.Form(a)
	y, known := conclusion.Form(b)
	if !named || !known {
		return a == b
	}
	linear := func(form string) bool {
		return form == "n" || conclusion.Same(form, "m n") || conclusion.Same(form, "m + n")
	}
	return conclusion.Same(x, y) || (x != "n" || y != "n") && linear(x) && linear(y)
}
