package twostage

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/structured"
)

var prompt = structured.Shipped(files, "judge.tmpl")

// maxAnswer bounds a model's answer in tokens: some ten quotes.
const maxAnswer = 700

// Ask implements evaluate.Judge: a model is asked for quotes only, and is not told the reference answer (R004-61).
func (e *Evaluator) Ask(it evaluate.Item) (structured.Question, error) {
	t, err := e.talk(it)
	if err != nil {
		return structured.Question{}, err
	}
	q, err := prompt.Ask(nil, map[string]any{"Question": it.Question, "Turns": t.turns}, Sections())
	q.Role, q.Name, q.MaxTokens = Name, "framing", maxAnswer
	return q, err
}

type modelAnswer struct {
	Sections []struct {
		Section string           `json:"section"`
		Quotes  []evaluate.Quote `json:"quotes"`
	} `json:"sections"`
	Conclusion *evaluate.Quote `json:"conclusion"`
	Confidence float64         `json:"confidence"`
}

// Read implements evaluate.Judge: quotes that the candidate did not say are dropped, a quote serves one section, and
// what is left is scored as Evaluate scores it.
func (e *Evaluator) Read(it evaluate.Item, raw json.RawMessage) (evaluate.Evaluation, error) {
	schema, err := prompt.Schema(Sections())
	if err != nil {
		return evaluate.Evaluation{}, err
	}
	var a modelAnswer
	if err := structured.Decode(schema, raw, &a); err != nil {
		return evaluate.Evaluation{}, err
	}
	for _, section := range a.Sections {
		for _, q := range section.Quotes {
			if err := structured.AtMost("a quote of "+section.Section, q.Text, evaluate.MaxQuote); err != nil {
				return evaluate.Evaluation{}, err
			}
		}
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
			f.Conclusion = e.pointedAt(it, q, t.turns)
		}
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

// pointedAt reads the conclusion in words of a turn that a model pointed at.
func (e *Evaluator) pointedAt(it evaluate.Item, q evaluate.Quote, turns []evaluate.Turn) string {
	if kind, _ := e.chain.read(it.Reference); kind == nil || kind.Name() != KindComplexity {
		return e.concluded(it.Question, sentences(q.Text), it.Reference)
	}
	i := slices.IndexFunc(turns, func(t evaluate.Turn) bool { return t.ID == q.Turn })
	if i < 0 {
		return cost(it.Question, q.Text, it.Reference)
	}
	return costIn(it.Question, turns[i].Content, q.Text, it.Reference)
}

// shortestQuote is how many characters show that something was said about a section.
const shortestQuote = 8

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
