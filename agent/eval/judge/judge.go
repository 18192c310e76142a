// Package judge has a model grade talks: each reaction of the interviewer, what was expected of it, what it said that is not
// true; and compare two talks blindly. A model only points at lines and words: code checks that they are there, and drops what
// rests on anything else.
//
// Nothing here starts a goroutine or keeps anything. Whatever anybody said in a talk is data to the judge, never an instruction.
// A model that should be asked again after a failure of its service is wrapped by the caller (llm.Limited).
package judge

import (
	"context"
	_ "embed" // the words
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/agent/judgemodel"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/structured"
)

// Brief is what a judge is told.
type Brief struct {
	Kind    string // of interview: algorithm_coach
	Locale  string
	Purpose string // what the interview is for, in one line
	Facts   string // what the interviewer may know: the problem, the company, the persona
	// Instructions are what the candidate set out to do. The judge may see them; the interviewer did not.
	Instructions string
	Expectations []string
	Talk         *talk.Talk // what Grade grades; Prefer is given its talks
}

// How long an answer may be, in tokens. A model that thinks before it answers counts its thoughts.
const (
	tokensOfThought    = 8000
	tokensPerVerdict   = 200
	tokensPerRating    = 120
	tokensOfPreference = 400
)

// Grade has a model judge the brief's talk: one request, and one more where the answer cannot be used. The name of the judge is
// left to the caller. The error keeps the kind of the provider's failure (fault.KindOf); an answer that cannot be used twice has
// the kind fault.Malformed.
func Grade(ctx context.Context, model llm.Model, b Brief) (*talk.Grade, error) {
	sheet := &sheet{brief: b, reactions: Reactions(b.Talk), said: b.Talk.Lines}
	q, err := sheet.question()
	if err != nil {
		return nil, err
	}
	var grade *talk.Grade
	err = judgemodel.New(model, nil).Ask(ctx, judgemodel.Call{
		Question: q, MaxTokens: tokensOfThought + tokensPerVerdict*len(b.Expectations) + tokensPerRating*len(sheet.reactions),
		Read: func(raw json.RawMessage) (err error) {
			grade, err = sheet.read(raw)
			return err
		},
	})
	if err != nil {
		return nil, fmt.Errorf("grade the talk: %w", err)
	}
	return grade, nil
}

// question asks for everything at once: a judge that has read a talk for one thing has read it for all.
func (s *sheet) question() (structured.Question, error) {
	system, err := render("grade_system", nil)
	if err != nil {
		return structured.Question{}, err
	}
	user, err := render("grade_user", struct {
		Brief
		Lines     []shown
		Reactions []int
	}{s.brief, lines(s.brief.Talk), s.reactions})
	if err != nil {
		return structured.Question{}, err
	}
	return structured.Question{Role: "eval_judge", System: system, User: user, Name: "grade", Schema: json.RawMessage(gradeForm)}, nil
}

// Reactions lists the lines of the interviewer that react to the candidate: the first one after the candidate said or did
// something, or kept silent. A part that begins is nothing to react to.
func Reactions(t *talk.Talk) []int {
	var out []int
	due := false
	for _, l := range t.Lines {
		switch {
		case l.Speaker == talk.Interviewer && l.Text != "":
			if due {
				out = append(out, l.N)
			}
			due = false
		case l.Speaker == talk.Candidate, l.Speaker == talk.Happening && l.What != talk.Begins:
			due = true
		}
	}
	return out
}

// The form of the answer, in the part of JSON Schema that every provider of structured output takes: each object is closed, all
// that it has is required, and no number has bounds. What a level may be is said by the list of them.
const (
	gradeForm = `{"type":"object","additionalProperties":false,"required":["expectations","reactions","untrue","slips","summary"],"properties":{` +
		`"expectations":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["number","line","quote","why","verdict"],"properties":{` +
		`"number":{"type":"integer"},"line":{"type":"integer"},"quote":{"type":"string"},"why":{"type":"string"},` +
		`"verdict":{"type":"string","enum":["pass","fail","not_shown"]}}}},` +
		`"reactions":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["line","why","level"],"properties":{` +
		`"line":{"type":"integer"},"why":{"type":"string"},"level":{"type":"integer","enum":[1,2,3,4,5]}}}},` +
		`"untrue":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["line","quote","why"],"properties":{` +
		`"line":{"type":"integer"},"quote":{"type":"string"},"why":{"type":"string"}}}},` +
		`"slips":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["line","quote","why","taken_up"],"properties":{` +
		`"line":{"type":"integer"},"quote":{"type":"string"},"why":{"type":"string"},"taken_up":{"type":"boolean"}}}},` +
		`"summary":{"type":"string"}}}`
	preferForm = `{"type":"object","additionalProperties":false,"required":["why","better"],"properties":{` +
		`"why":{"type":"string"},"better":{"type":"string","enum":["A","B","same"]}}}`
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
