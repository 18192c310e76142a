package llm_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// step is one thing a scripted model does: wait, then give text or an error.
type step struct {
	after time.Duration
	text  string
	err   error
}

// scripted plays one script per request, the last one for ever. A script's last step repeats.
type scripted struct {
	scripts [][]step
	asked   int
	open    int // streams not closed
}

func (m *scripted) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	script := m.scripts[min(m.asked, len(m.scripts)-1)]
	m.asked++
	m.open++
	return &scriptedStream{ctx: ctx, model: m, steps: script}, nil
}

type scriptedStream struct {
	ctx    context.Context
	model  *scripted
	steps  []step
	closed bool
}

func (s *scriptedStream) Next() (llm.Delta, error) {
	now := s.steps[0]
	if len(s.steps) > 1 {
		s.steps = s.steps[1:]
	}
	select {
	case <-time.After(now.after):
		return llm.Delta{Text: now.text}, now.err
	case <-s.ctx.Done():
		return llm.Delta{}, s.ctx.Err()
	}
}

func (s *scriptedStream) Close() error {
	if !s.closed {
		s.closed = true
		s.model.open--
	}
	return nil
}

// end is the last step of a script that ends well.
var end = step{err: io.EOF}

// drain reads a reply to its end.
func drain(ctx context.Context, m llm.Model) (string, error) {
	s, err := m.Stream(ctx, llm.Request{})
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close() }()
	var text strings.Builder
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			if _, again := s.Next(); !errors.Is(again, err) {
				return text.String(), errors.New("the error is not repeated")
			}
			return text.String(), err
		}
		text.WriteString(d.Text)
	}
}

func TestLimited(t *testing.T) {
	boom := &fault.Error{Kind: fault.Server}
	tests := []struct {
		name    string
		scripts [][]step
		limits  fault.Limits
		text    string
		kind    fault.Kind
		asked   int
	}{
		{name: "good", scripts: [][]step{{{text: "a"}, {text: "b"}, end}}, text: "ab", asked: 1},
		{name: "slow reader's time does not count, waits do", scripts: [][]step{{{after: time.Second, text: "a"}, {after: 2 * time.Second, text: "b"}, end}}, text: "ab", asked: 1},
		{name: "first token late, then well", scripts: [][]step{{{after: 6 * time.Second, text: "x"}, end}, {{text: "ok"}, end}}, text: "", kind: fault.Timeout, asked: 1},
		{name: "retried before the first delta", scripts: [][]step{{{err: boom}}, {{err: boom}}, {{text: "ok"}, end}}, text: "ok", asked: 3},
		{name: "not retried after it", scripts: [][]step{{{text: "a"}, {err: boom}}}, text: "a", kind: fault.Server, asked: 1},
		{name: "empty replies", scripts: [][]step{{end}}, kind: fault.Empty, asked: 3},
		{name: "gap", scripts: [][]step{{{text: "a"}, {after: time.Hour, text: "b"}}}, text: "a", kind: fault.Timeout, asked: 1},
		{name: "endless", scripts: [][]step{{{text: "0123456789"}}}, text: strings.Repeat("0123456789", 256<<10/10), kind: fault.Malformed, asked: 1},
		{name: "endless and slow", scripts: [][]step{{{after: time.Second, text: "x"}}}, limits: fault.Limits{Total: 3500 * time.Millisecond}, text: "xxx", kind: fault.Timeout, asked: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &scripted{scripts: tt.scripts}
				text, err := drain(t.Context(), llm.NewLimited("x", m, tt.limits))
				if text != tt.text || fault.KindOf(err) != tt.kind || m.asked != tt.asked || m.open != 0 {
					t.Errorf("got %.99q, %v after %d requests, %d left open; want %.99q, %v after %d",
						text, err, m.asked, m.open, tt.text, tt.kind, tt.asked)
				}
			})
		})
	}
}

// metered is a model whose replies have no words, only a bill.
type metered struct{ left int }

func (m *metered) Stream(context.Context, llm.Request) (llm.Stream, error) { return m, nil }
func (m *metered) Close() error                                            { return nil }
func (m *metered) Next() (llm.Delta, error) {
	if m.left == 0 {
		return llm.Delta{}, io.EOF
	}
	m.left--
	return llm.Delta{Usage: &llm.Usage{PromptTokens: 7}}, nil
}

func TestUsageAloneIsNoReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := drain(t.Context(), llm.NewLimited("x", &metered{1}, fault.Limits{})); fault.KindOf(err) != fault.Empty {
			t.Error(err)
		}
	})
}

func TestCancelEndsNextAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := &scripted{scripts: [][]step{{{text: "a"}, {after: time.Hour}}}}
		s, err := llm.NewLimited("x", m, fault.Limits{}).Stream(ctx, llm.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.AfterFunc(time.Second, cancel)
		_, err = s.Next()
		if fault.KindOf(err) != fault.Canceled || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
}
