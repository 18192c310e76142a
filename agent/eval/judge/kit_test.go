package judge_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/eval/judge"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/llm"
)

// fake is a model that answers in turn; it notes what it was asked.
type fake struct {
	answers []string
	asked   []llm.Request
}

func (f *fake) Stream(_ context.Context, r llm.Request) (llm.Stream, error) {
	f.asked = append(f.asked, r)
	return &stream{f.answers[min(len(f.asked), len(f.answers))-1]}, nil
}

type stream struct{ text string }

func (s *stream) Next() (llm.Delta, error) {
	if s.text == "" {
		return llm.Delta{}, io.EOF
	}
	d := llm.Delta{Text: s.text}
	s.text = ""
	return d, nil
}

func (*stream) Close() error { return nil }

// prompt is all that a model was told in its request n, counted from 0.
func (f *fake) prompt(n int) string {
	var b strings.Builder
	for _, m := range f.asked[n].Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String() + string(f.asked[n].Schema) + f.asked[n].SchemaName
}

// coach is a talk whose reactions are the lines 4, 6, 8 and 11.
func coach() *talk.Talk {
	t := &talk.Talk{Interview: "algorithm_coach", Side: talk.Viva, Model: "strong", Ended: "stage wrapup done", Report: "viva's report"}
	say := func(who talk.Speaker, what talk.Occurrence, text string) *talk.Line {
		n := len(t.Lines) + 1
		t.Lines = append(t.Lines, talk.Line{
			N: n, Speaker: who, What: what, Text: text, At: time.Duration(n) * 20 * time.Second, Stage: "coding", Part: "approach", By: "model",
		})
		return &t.Lines[n-1]
	}
	say(talk.Happening, talk.Begins, "the part approach begins")
	say(talk.Interviewer, "", "Hello, I am Viva. How would you start?")
	say(talk.Candidate, "", "How big can n get? I'd use a hash map.")
	say(talk.Interviewer, "", "Up to a hundred thousand.  And what goes into the map?").Degraded = "late"
	say(talk.Candidate, "", "It is O(n) — no, O(n^2), because i<j for each pair.")
	say(talk.Interviewer, "", "Why quadratic?").Cut = true
	say(talk.Happening, talk.Silence, "the candidate is silent for 20 s")
	say(talk.Interviewer, "", "Take your time.")
	say(talk.Interviewer, "", "Shall we write it down?")
	say(talk.Happening, talk.Typed, "the candidate types").Code = "for i in a:\n  seen[i] = 1"
	say(talk.Interviewer, "", "Good: the loop runs once.")
	say(talk.Candidate, "", "No.")
	return t
}

func brief() judge.Brief {
	return judge.Brief{
		Kind: "algorithm_coach", Locale: "en", Purpose: "a coding talk", Facts: "n is at most 100000. Viva is a program.",
		Instructions: "Call a single loop quadratic.", Expectations: []string{"says how big n is", "notices the wrong cost", "never tells the solution"},
		Talk: coach(),
	}
}

// reply is the good answer, as changed.
func reply(t *testing.T, change func(map[string]any)) string {
	t.Helper()
	a := map[string]any{
		"expectations": []any{
			verdict(1, 4, "up to a hundred THOUSAND", "pass"),
			verdict(2, 6, "Why quadratic", "pass"),
			verdict(3, 0, "", "pass"),
		},
		"reactions": []any{rating(4, 5), rating(6, 4), rating(8, 3), rating(11, 2)},
		"untrue":    []any{map[string]any{"line": 11, "quote": "the loop runs once", "why": "it runs n times"}},
		"slips":     []any{map[string]any{"line": 5, "quote": "O(n^2), because i‹j", "why": "one loop", "taken_up": true}},
		"summary":   "It answered.\nIt was late.",
	}
	if change != nil {
		change(a)
	}
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func verdict(number, line int, quote, v string) map[string]any {
	return map[string]any{"number": number, "line": line, "quote": quote, "why": "because", "verdict": v}
}

func rating(line, level int) map[string]any {
	return map[string]any{"line": line, "why": "so", "level": level}
}
