package twostage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/structured"
)

// answerSchema is the form of a model's answer: quotes, never a score.
const answerSchema = `{"type":"object","additionalProperties":false,"required":["sections","conclusion","confidence"],"properties":{` +
	`"sections":{"type":"array","maxItems":8,"items":{"type":"object","additionalProperties":false,"required":["section","quotes"],"properties":{` +
	`"section":{"type":"string","enum":["entities","state_variables","actions","constraints"]},` +
	`"quotes":{"type":"array","maxItems":4,"items":` + quoteSchema + `}}}},` +
	`"conclusion":` + conclusionSchema + `,"confidence":{"type":"number","minimum":0,"maximum":1}}}`

const (
	quoteFields = `"additionalProperties":false,"required":["turn","text"],"properties":{` +
		`"turn":{"type":"integer","minimum":0},"text":{"type":"string","description":"at most 400 characters"}}}`
	quoteSchema      = `{"type":"object",` + quoteFields
	conclusionSchema = `{"type":["object","null"],` + quoteFields
)

// maxAnswer bounds a model's answer in tokens: some ten quotes.
const maxAnswer = 700

// Ask implements evaluate.Judge: a model is asked for quotes only, and is not told the reference answer (R004-61).
func (e *Evaluator) Ask(it evaluate.Item) (structured.Question, error) {
	t, err := e.talk(it)
	if err != nil {
		return structured.Question{}, err
	}
	system, err := render("system", nil)
	if err != nil {
		return structured.Question{}, err
	}
	user, err := render("user", map[string]any{"Question": it.Question, "Turns": t.turns})
	if err != nil {
		return structured.Question{}, err
	}
	return structured.Question{
		Role: Name, System: system, User: user, Name: "framing", Schema: json.RawMessage(answerSchema), MaxTokens: maxAnswer,
	}, nil
}

func render(name string, values any) (string, error) {
	t, err := template.New("judge.tmpl").Funcs(template.FuncMap{"wrap": structured.Wrap, "fence": structured.Fence}).
		Option("missingkey=error").ParseFS(files, "judge.tmpl")
	if err != nil {
		return "", fmt.Errorf("read the question to the model: %w", err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, values); err != nil {
		return "", fmt.Errorf("write the question to the model: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
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
	if err := structured.Check(json.RawMessage(answerSchema), raw); err != nil {
		return evaluate.Evaluation{}, err
	}
	var a modelAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not JSON: %w", err)
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
			f.Conclusion = e.concluded(sentences(q.Text), it.Reference)
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
