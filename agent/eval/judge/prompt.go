package judge

import (
	_ "embed" // the words
	"fmt"
	"strings"
	"text/template"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/structured"
)

//go:embed judge.tmpl
var words string

var functions = template.FuncMap{
	"wrap": structured.Wrap, "escape": structured.Escape, "add": func(a, b int) int { return a + b },
	"join": func(list []int) string {
		return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
	},
}

func render(name string, values any) (string, error) {
	t, err := template.New("judge").Funcs(functions).Option("missingkey=error").Parse(words)
	if err != nil {
		return "", fmt.Errorf("read the judge's prompt: %w", err)
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, values); err != nil {
		return "", fmt.Errorf("write the judge's prompt: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// shown is a line as a judge sees it.
type shown struct {
	N    int    // 0: without a number
	At   string // minutes and seconds
	Tag  string // of its fence
	Text string
	Cut  bool
	Code string
}

// lines are those of a talk that tell a judge anything. Who found the words, and in which part, is nothing to judge by.
func lines(t *talk.Talk) []shown {
	out := make([]shown, 0, len(t.Lines))
	for _, l := range t.Lines {
		if l.Text == "" && l.Code == "" {
			continue
		}
		out = append(out, shown{
			N: l.N, At: talk.Clock(l.At), Tag: tag(l.Speaker), Text: strings.Join(strings.Fields(l.Text), " "), Cut: l.Cut, Code: l.Code,
		})
	}
	return out
}

// tag names the fence around a speaker's words. Whoever the speaker is said to be, it is one of three.
func tag(s talk.Speaker) string {
	switch s {
	case talk.Interviewer, talk.Candidate:
		return string(s)
	}
	return string(talk.Happening)
}
