package eval_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a model made of a function.
type fake struct {
	answer func(n int, r llm.Request) string
	takes  time.Duration // before its reply begins

	mu    sync.Mutex
	asked []llm.Request
}

func (f *fake) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	f.mu.Lock()
	n := len(f.asked)
	f.asked = append(f.asked, r)
	f.mu.Unlock()
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &whole{text: f.answer(n, r)}, nil
}

type whole struct{ text string }

func (w *whole) Next() (llm.Delta, error) {
	if w.text == "" {
		return llm.Delta{}, io.EOF
	}
	d := llm.Delta{Text: w.text}
	w.text = ""
	return d, nil
}

func (w *whole) Close() error { return nil }

// asks is a model that words every move differently.
func asks() *fake {
	return &fake{answer: func(n int, _ llm.Request) string {
		subjects := []string{"the morning", "your colleagues", "the last week", "the cost", "the plan", "the first version", "your own part", "the people around it"}
		return fmt.Sprintf("I see. How did %s look in round %d?", subjects[n%len(subjects)], n)
	}}
}

// speaks is a candidate's model that says the same few things over and over.
func speaks() *fake {
	return &fake{answer: func(n int, _ llm.Request) string {
		return fmt.Sprintf(`{"does":"speak","text":"well, um, that was the year when I moved %d servers by hand","code":"","pause":1}`, n)
	}}
}

func interview(t testing.TB, kind string) *engine.Interview {
	t.Helper()
	iv, err := library(t).Find(agent.Metadata{Interview: kind})
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

func library(t testing.TB) *agent.Library {
	t.Helper()
	l, err := agent.LoadLibrary("", "two_stage")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// scenarios parses a file.
func scenarios(t testing.TB, text string) []*scenario.Scenario {
	t.Helper()
	f, err := scenario.Parse("talks.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func hold(t testing.TB, what eval.Holding) *talk.Talk {
	t.Helper()
	held, _, err := eval.Hold(t.Context(), what)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// said are the words of one side, one line each.
func said(t *talk.Talk, by talk.Speaker) string {
	var b strings.Builder
	for _, l := range t.Lines {
		if l.Speaker == by {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}
