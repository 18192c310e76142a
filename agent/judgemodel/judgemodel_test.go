package judgemodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/judgemodel"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/structured"
)

// fake is a model made of a function; it notes what it was asked.
type fake struct {
	answer func(n int, r llm.Request) (string, error)
	usage  *llm.Usage
	asked  []llm.Request
}

func (f *fake) Stream(_ context.Context, r llm.Request) (llm.Stream, error) {
	f.asked = append(f.asked, r)
	text, err := f.answer(len(f.asked), r)
	if err != nil {
		return nil, err
	}
	return &stream{text: text, usage: f.usage}, nil
}

type stream struct {
	text  string
	usage *llm.Usage
}

func (s *stream) Next() (llm.Delta, error) {
	if s.text == "" {
		return llm.Delta{}, io.EOF
	}
	d := llm.Delta{Text: s.text[:1], Usage: nil}
	if s.text = s.text[1:]; s.text == "" {
		d.Usage = s.usage
	}
	return d, nil
}

func (*stream) Close() error { return nil }

var question = structured.Question{
	Role: "judge", System: "How well?", User: structured.Fence("quite"), Name: "level", MaxTokens: 50,
	Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["level"],"properties":{"level":{"type":"integer"}}}`),
}

const good = `{"level":4}`

// take reads a level of at most 5.
func take(level *int) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var a struct{ Level int }
		if err := json.Unmarshal(raw, &a); err != nil {
			return err
		}
		if a.Level > 5 {
			return errors.New("level must be at most 5")
		}
		*level = a.Level
		return nil
	}
}

// R004-61, RX-15: an answer that cannot be used, for its form or for what it says, is asked for once more with what is wrong
// with it, fenced; then it is an error that another try does not help.
func TestOneRepair(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		wrong   string // what the repair tells; empty = none is needed
		ok      bool
	}{
		"good at once":        {[]string{good}, "", true},
		"in a code fence":     {[]string{"```json\n" + good + "\n```"}, "", true},
		"prose, then good":    {[]string{"Well …", good}, "What is wrong:", true},
		"no integer":          {[]string{`{"level":"high"}`, good}, "level: got string, want integer", true},
		"refused by the code": {[]string{`{"level":9}`, good}, "level must be at most 5", true},
		"never good":          {[]string{`{"level":9}`, `{"level":8}`}, "level must be at most 5", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := &fake{answer: func(n int, _ llm.Request) (string, error) { return c.answers[min(n, len(c.answers))-1], nil }}
			level := 0
			err := judgemodel.New(m, nil).Ask(t.Context(), judgemodel.Call{Question: question, Read: take(&level)})
			if (err == nil) != c.ok || c.ok && level != 4 || !c.ok && fault.KindOf(err) != fault.Malformed {
				t.Errorf("level %d, %v", level, err)
			}
			asked := map[bool]int{true: 2, false: 1}[c.wrong != ""]
			if len(m.asked) != asked || c.wrong != "" && !strings.Contains(m.asked[1].Messages[1].Content, c.wrong) {
				t.Errorf("asked %+v", m.asked)
			}
		})
	}
}

// meter counts tokens; they are spent when there are limit of them.
type meter struct{ tokens, limit int }

func (m *meter) Add(n int)                          { m.tokens += n }
func (m *meter) Spent() bool                        { return m.limit > 0 && m.tokens >= m.limit }
func (*meter) Yield(context.Context, time.Duration) {}

// Every request is counted, also one that breaks off; nobody is asked again when the budget is spent.
func TestCosts(t *testing.T) {
	used := &meter{limit: 70}
	m := &fake{answer: func(int, llm.Request) (string, error) { return "no", nil }, usage: &llm.Usage{PromptTokens: 70, CompletionTokens: 7}}
	err := judgemodel.New(m, nil).Ask(t.Context(), judgemodel.Call{Question: question, Read: take(new(int)), Meter: used})
	if !errors.Is(err, judgemodel.ErrSpent) || used.tokens != 77 || len(m.asked) != 1 {
		t.Errorf("%v after %d tokens and %d questions", err, used.tokens, len(m.asked))
	}
	m, used = &fake{answer: func(int, llm.Request) (string, error) { return "", &fault.Error{Kind: fault.Server} }}, &meter{}
	err = judgemodel.New(m, nil).Ask(t.Context(), judgemodel.Call{Question: question, Read: take(new(int)), Meter: used})
	if fault.KindOf(err) != fault.Server || used.tokens == 0 {
		t.Errorf("%v after %d tokens", err, used.tokens)
	}
	m = &fake{answer: func(int, llm.Request) (string, error) { return strings.Repeat("x", structured.MaxAnswer+1), nil }}
	if err := judgemodel.New(m, nil).Ask(t.Context(), judgemodel.Call{Question: question, Read: take(new(int))}); !errors.Is(err, fault.ErrTooMuch) {
		t.Errorf("an answer without end: %v", err)
	}
}

// The form of a question: schema and temperature, and bounds of tokens. A service that takes no schema is asked in plain words,
// from then on.
func TestForm(t *testing.T) {
	zero := 0.0
	m := &fake{answer: func(_ int, r llm.Request) (string, error) {
		if r.Schema != nil {
			return "", &fault.Error{Kind: fault.BadRequest}
		}
		return good, nil
	}}
	a := judgemodel.New(m, &zero)
	for range 2 {
		if err := a.Ask(t.Context(), judgemodel.Call{Question: question, MaxTokens: 20, Read: take(new(int))}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.asked) != 3 {
		t.Fatalf("asked %d times", len(m.asked))
	}
	first, last := m.asked[0], m.asked[2]
	if first.SchemaName != "level" || first.Temperature != &zero || first.MaxTokens != 20 || last.Temperature != nil || !strings.Contains(last.Messages[0].Content, `"level"`) {
		t.Errorf("first %+v, last %+v", first, last)
	}
}
