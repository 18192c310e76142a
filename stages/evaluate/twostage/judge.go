package twostage

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/structured"
)

var prompt = structured.Shipped(files, "judge.tmpl")

// maxAnswer bounds a model's answer in tokens: some ten quotes, and a few costs.
const maxAnswer = 900

// form is what a question and the form of its answer depend on.
type form struct {
	Sections []string
	Costs    bool // the right answer is a cost: the model says which ones were concluded
}

func (e *Evaluator) form(reference string) form { return form{Sections(), e.isCost(reference)} }

// Ask implements evaluate.Judge: a model is asked for quotes, and for the forms of the costs that were concluded; it is not told the
// reference answer (R004-61).
func (e *Evaluator) Ask(it evaluate.Item) (structured.Question, error) {
	t, err := e.talk(it)
	if err != nil {
		return structured.Question{}, err
	}
	form := e.form(it.Reference)
	q, err := prompt.Ask(form, map[string]any{"Question": it.Question, "Turns": t.turns}, form)
	q.Role, q.Name, q.MaxTokens = Name, "framing", maxAnswer
	return q, err
}

type modelAnswer struct {
	Sections []struct {
		Section string           `json:"section"`
		Quotes  []evaluate.Quote `json:"quotes"`
	} `json:"sections"`
	Conclusion *evaluate.Quote `json:"conclusion"`
	Costs      []modelCost     `json:"costs"`
	Confidence float64         `json:"confidence"`
}

// modelCost is a cost that was concluded, as a model wrote it down.
type modelCost struct {
	evaluate.Quote
	Of        conclusion.Measure `json:"of"`
	Condition string             `json:"condition"`
	Form      string             `json:"form"`
}

// short says which quote of an answer is too long, in words for structured.Repair.
func (a *modelAnswer) short() error {
	var errs []error
	for _, section := range a.Sections {
		for _, q := range section.Quotes {
			errs = append(errs, structured.AtMost("a quote of "+section.Section, q.Text, evaluate.MaxQuote))
		}
	}
	for _, c := range a.Costs {
		errs = append(errs, structured.AtMost("the text of a cost", c.Text, evaluate.MaxQuote))
	}
	return errors.Join(errs...)
}

// Read implements evaluate.Judge: quotes that the candidate did not say are dropped, a quote serves one section, and what is left is scored
// as Evaluate scores it. Costs are those that the model read, if they hold.
func (e *Evaluator) Read(it evaluate.Item, raw json.RawMessage) (evaluate.Evaluation, error) {
	schema, err := prompt.Schema(e.form(it.Reference))
	if err != nil {
		return evaluate.Evaluation{}, err
	}
	var a modelAnswer
	if err := structured.Decode(schema, raw, &a); err != nil {
		return evaluate.Evaluation{}, err
	}
	if err := a.short(); err != nil {
		return evaluate.Evaluation{}, err
	}
	t, err := e.talk(it)
	if err != nil {
		return evaluate.Evaluation{}, err
	}
	if blank(t.answer) {
		return t.nothing(e), nil
	}
	v := verified{turns: t.turns}
	f := Framing{Sections: make(map[string][]string)}
	quotes := make(map[string][]evaluate.Quote)
	for _, s := range a.Sections {
		for _, q := range v.take(s.Quotes) {
			f.Sections[s.Section] = append(f.Sections[s.Section], q.Text)
			quotes[s.Section] = append(quotes[s.Section], q)
		}
	}
	if a.Conclusion != nil {
		for _, q := range v.check([]evaluate.Quote{*a.Conclusion}) {
			f.Conclusion = e.concluded(it.Question, sentences(q.Text), it.Reference)
		}
	}
	if e.isCost(it.Reference) {
		t.costs = v.costs(a.Costs, t.costs)
		f.Conclusion = costOf(t.costs, asks(it.Question, it.Reference), it.Reference)
	}
	out, err := t.judged(e, t.sample(), f, quotes)
	if err != nil {
		return evaluate.Evaluation{}, err
	}
	out.Confidence = a.Confidence
	if v.dropped {
		out.Flags = append(out.Flags, evaluate.FlagUnverified)
	}
	return out, nil
}

// shortestQuote is how many characters show that something was said about a section.
const shortestQuote = 8

// costs are those that a model read. They count where it can be seen that they hold: the words were said, and the form is an expression. Where
// that fails, what the grammar read counts for the measure.
func (v *verified) costs(read []modelCost, grammar conclusion.Reading) conclusion.Reading {
	var out []conclusion.Claim
	failed := make(map[conclusion.Measure]bool)
	for _, c := range read {
		form, readable := conclusion.Form(c.Form)
		if !c.Said(v.turns) {
			v.dropped, readable = true, false
		}
		if !readable {
			failed[c.Of] = true
			continue
		}
		condition := c.Condition
		if condition == unconditional {
			condition = ""
		}
		out = append(out, conclusion.Claim{Of: c.Of, Form: form, Condition: condition, Quote: c.Text})
	}
	out = slices.DeleteFunc(out, func(c conclusion.Claim) bool { return failed[c.Of] })
	for _, c := range []*conclusion.Claim{grammar.Time, grammar.Space} {
		if c != nil && failed[c.Of] {
			out = append(out, *c)
		}
	}
	return conclusion.Settle(out)
}

const unconditional = "none"

// verified hands out quotes that were said, each stretch of words once.
type verified struct {
	turns   []evaluate.Turn
	used    []evaluate.Quote
	dropped bool
}

func (v *verified) check(quotes []evaluate.Quote) []evaluate.Quote {
	said := evaluate.Verify(quotes, v.turns)
	v.dropped = v.dropped || len(said) < len(quotes)
	return said
}

func (v *verified) take(quotes []evaluate.Quote) []evaluate.Quote {
	var out []evaluate.Quote
	for _, q := range v.check(quotes) {
		taken := slices.ContainsFunc(v.used, func(u evaluate.Quote) bool {
			return u.Turn == q.Turn && (strings.Contains(u.Text, q.Text) || strings.Contains(q.Text, u.Text))
		})
		if taken || utf8.RuneCountInString(q.Text) < shortestQuote && !strings.ContainsFunc(q.Text, isHan) {
			continue
		}
		v.used = append(v.used, q)
		out = append(out, q)
	}
	return out
}
