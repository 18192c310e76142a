package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// Numbered questions are those that are counted and judged one by one, such as the five of a persona interview. Follow-ups belong to the
// question before them.

func (s *situation) numbered(st *definition.Stage) bool {
	return s.iv.Def.Personas != nil && st != nil && st.ID == s.iv.Def.Personas.Questions
}

// numberedTotal is how many there are (R002-25).
func (s *situation) numberedTotal() int {
	return cmp.Or(s.iv.Def.Personas.Count, definition.DefaultQuestions)
}

// numberedState tells a model which question is on.
func (s *situation) numberedState(v *state.StageVisit) string {
	total := s.numberedTotal()
	const left = " If they ask how many are left: %d topics after this one, each with follow-ups."
	switch {
	case v.Numbered == 0:
		return fmt.Sprintf("No numbered question was put yet; there are %d.", total)
	case len(v.NumberedTurns) == 0:
		return fmt.Sprintf("Numbered question %d of %d is on, not answered yet: %s"+left, v.Numbered, total, v.NumberedAsked, total-v.Numbered)
	}
	return fmt.Sprintf("Numbered question %d of %d is on, answered in %d turns so far: %s"+left, v.Numbered, total, len(v.NumberedTurns), v.NumberedAsked, total-v.Numbered)
}

// mostFollowUps is how many follow-ups an answer to a numbered question may get; where time is short, it is one less, or none, and at the last
// question twice as many while the time of another one is left.
const mostFollowUps = 2

// followedUp reports whether the numbered question that is on has had its follow-ups.
func (s *situation) followedUp(st *definition.Stage, v *state.StageVisit) bool {
	if !s.numbered(st) || v.Numbered == 0 || v.Closing {
		return false
	}
	most, spent := mostFollowUps, (s.u.Now - v.Entered - v.Absent).Duration()
	switch share := s.span(st, nil).planned / time.Duration(s.numberedTotal()); {
	case v.Soft:
		most = 0
	case spent > share*time.Duration(v.Numbered):
		most--
	case v.Numbered == s.numberedTotal() && s.unspent() > share+ClosingTime:
		most += mostFollowUps // what was saved is used where the talk is
	}
	return len(v.NumberedTurns) >= most
}

// onward tells a model to leave a numbered question that has had its follow-ups.
func (s *situation) onward(v *state.StageVisit) string {
	then := "put the next numbered question"
	if v.Numbered >= s.numberedTotal() {
		then = "finish this part"
	}
	if len(v.NumberedTurns) > mostFollowUps {
		return "This topic is closed: react to the answer and " + then + "."
	}
	return "If this answers the numbered question, it has had its follow-ups: react to it and " + then + ". Only where it holds an error or a contradiction, take that up instead, in this one turn."
}

// nextNumbered notes that the next numbered question was put.
func (s *course) nextNumbered(v *state.StageVisit, question string) {
	s.settleNumbered(v)
	v.Numbered++
	v.NumberedAsked, v.NumberedTurns = quoted(question), nil
	asked := append(slices.Clone(s.fieldList(expert.FieldQuestions)), v.NumberedAsked)
	s.blackboard.apply("model", map[string]any{expert.FieldQuestions: asked})
	s.fact("question.numbered", field("number", v.Numbered))
}

// settleNumbered has the answer to the numbered question judged. One that was put and not answered is noted as that (RM-2).
func (s *course) settleNumbered(v *state.StageVisit) {
	switch {
	case v.Numbered == 0:
		return
	case len(v.NumberedTurns) == 0:
		s.judgements.noteAnswer(s.stage(), expert.Answered{Question: v.NumberedAsked, Number: v.Numbered}, missingUnanswered)
		return
	}
	a := expert.Answered{Question: v.NumberedAsked, Number: v.Numbered, Turns: v.NumberedTurns, Vars: map[string]string{"role": s.u.Vars["role"]}}
	if p := s.iv.Persona(s.u); p != nil {
		a.Vars["persona"], a.Vars["interviewer"] = p.ID, p.Called("en")
	}
	maps.DeleteFunc(a.Vars, func(_, value string) bool { return value == "" })
	s.judgements.noteAnswer(s.stage(), a, "")
	s.judgements.sendHeld()
	answers := append(slices.Clone(s.fieldList(expert.FieldAnswers)), s.wordsOf(v.NumberedTurns))
	s.blackboard.apply("model", map[string]any{expert.FieldAnswers: answers, expert.FieldIndex: len(answers)})
	v.NumberedTurns = nil
}

// wordsOf is what was said in turns.
func (s *course) wordsOf(turns []uint64) string {
	out := ""
	for i := range s.u.Turns {
		if t := &s.u.Turns[i]; slices.Contains(turns, t.ID) {
			out += t.Text + " "
		}
	}
	return quoted(out)
}

func (s *situation) fieldList(id string) []any {
	list, _ := valueOf(s.u.Fields[id]).([]any)
	return list
}

// choiceOnly leaves of a menu's answer who was chosen: who leads the questions introduces itself and puts the first.
func choiceOnly(r expert.Response) expert.Response {
	r.Message, r.Answered = "", nil
	for _, id := range []string{expert.FieldQuestions, expert.FieldTopics, expert.FieldIndex, expert.FieldAnswers} {
		delete(r.Updates, id)
	}
	return r
}
