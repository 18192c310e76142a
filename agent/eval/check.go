package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/understand"
)

// checks are those that need no judge: the invariants of the engine, sentences that were said twice, and a model that failed.
func (h *holding) checks(held *simulate.Result, lines []talk.Line) []talk.Check {
	var out []talk.Check
	for _, i := range simulate.Invariants() {
		c := talk.Check{Name: string(i), Passed: true}
		for _, v := range held.Violations {
			if v.Invariant == i {
				c.Passed, c.Detail = false, strings.TrimSpace(c.Detail+"\n"+v.String())
			}
		}
		out = append(out, c)
	}
	out = append(out, repeats(lines))
	if h.Models.Interviewer != nil {
		out = append(out, degraded(lines))
	}
	return out
}

// repeats finds whole sentences of six words or more that the interviewer said twice, but where the candidate had asked for that or
// had not heard them to the end.
func repeats(lines []talk.Line) talk.Check {
	c := talk.Check{Name: "no sentence twice", Passed: true}
	said := make(map[string]bool)
	for i, l := range lines {
		if l.Speaker != talk.Interviewer || l.Cut {
			continue
		}
		for _, s := range sentences(l.Text) {
			key := strings.ToLower(s)
			if said[key] && !asksAgain(lines[:i]) && c.Passed {
				c.Passed, c.Line, c.Detail = false, l.N, fmt.Sprintf("%q was said before", s)
			}
			said[key] = true
		}
	}
	return c
}

// sentences are those of six words or more.
func sentences(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".?!。？！", r) })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return understand.Words(s) < 6 })
}

// shortTurn is the most words of a turn that only asks to hear something again, and again what such a turn says. It is a rule of its
// own, so that the interviewer's rules are not checked by themselves.
const shortTurn = 14

var again = regexp.MustCompile(`(?i)\b(again|repeat|pardon|once more|come again|say that|what was|didn't (get|hear|catch))\b|再|重复|没听|什么|nhắc|lặp|nói lại`)

// asksAgain reports whether the candidate's last words, or silence, are a reason to say something again.
func asksAgain(before []talk.Line) bool {
	for _, l := range slices.Backward(before) {
		switch l.Speaker {
		case talk.Candidate:
			return understand.Words(l.Text) <= shortTurn && again.MatchString(l.Text)
		case talk.Interviewer:
			return true // nothing came between: the candidate said nothing
		case talk.Happening:
		}
	}
	return false
}

// degraded finds words of the script that stood in for a model's.
func degraded(lines []talk.Line) talk.Check {
	c := talk.Check{Name: "the model kept up", Passed: true}
	for _, l := range lines {
		if l.Degraded != "" && c.Passed {
			c.Passed, c.Line, c.Detail = false, l.N, l.Degraded
		}
	}
	return c
}
