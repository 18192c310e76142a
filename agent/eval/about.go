package eval

import (
	"fmt"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/state"
)

// Subject is what a talk is about: the plain interviewer is told it, and a judge measures by it.
type Subject struct {
	Task    string // problem or design question; "" = none, or chosen only in the talk
	Persona string // "" = none, or chosen only in the talk
	Planned int    // minutes that the interview is meant to take; 0 = it has no limit
	Minutes int    // the longest that the interview can take, rounded up; 0 = it has no limit
}

// about finds out what an interview was about, from its last state.
func about(iv *engine.Interview, u *state.UserData) Subject {
	locale := iv.Words.Locale()
	s := Subject{Task: u.Vars[engine.VarQuestion], Planned: iv.Planned(u)}
	if d, limited := iv.Lasts(u); limited {
		s.Minutes = int((d + time.Minute - 1) / time.Minute)
	}
	if p := iv.Def.Provider; p != nil && p.Question != "" {
		s.Task = u.Vars[p.Question]
	}
	if role := u.Vars["role"]; iv.Personas != nil && role != "" {
		s.Task = "the candidate applies as " + role
	}
	if p := iv.Problem(u.Problem); p != nil {
		s.Task = problem.In(p.Title, locale) + ": " + problem.In(p.Text, locale)
	}
	if p := iv.Persona(u); p != nil {
		s.Persona = fmt.Sprintf("%s: %s; cares about %s", p.Called(locale), p.Tone, p.Focus)
	}
	return s
}

// facts is what is true of a talk, for a judge: what the interviewer is, what is kept, what the task is.
func (s Subject) facts(t *talk.Talk) string {
	lines := []string{
		"The interviewer is a program. No sound is recorded in this talk; its words are kept as a transcript.",
	}
	if t.Report != "" {
		lines = append(lines, "A written report is made after the talk.")
	}
	if longest := max(s.Minutes, s.Planned); longest > 0 { // the end of the talk is not among the parts, whose limits make Minutes
		lines = append(lines, fmt.Sprintf("The interview may take at most %d minutes. Each part has its own share of them, and what a part leaves unused is lost: the rest can be much shorter than what is missing to %d.", longest, longest))
	}
	if s.Task != "" {
		lines = append(lines, "The task: "+s.Task)
	}
	if s.Persona != "" {
		lines = append(lines, "The interviewer's persona: "+s.Persona)
	}
	return strings.Join(lines, "\n")
}
