package engine

import (
	"encoding/json"
	"strconv"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
)

// maxCode bounds the editor's text in characters.
const maxCode = 32 << 10

// codeChanged keeps the editor's text where dictated pseudocode goes, too (R003-42). It is no turn: the candidate says
// when it is done. Typing is no silence either.
func (s *step) codeChanged(e CodeChanged) {
	if _, declared := s.iv.Def.Fields[expert.FieldCode]; !declared || s.u.Stage == "" {
		s.fact("code.ignored")
		return
	}
	s.u.LastActivity = s.u.Now
	raw, err := json.Marshal(editorText(e.Text))
	if err != nil {
		s.fact("code.ignored", field("error", err.Error()))
		return
	}
	s.blackboard.write("candidate", expert.FieldCode, raw)
	if _, silent := s.u.Timers[TimerNoInput]; silent {
		s.clock.resetIdle()
		s.clock.listen()
	}
}

// operator carries out a command from outside.
func (s *step) operator(e Operator) {
	st, v := s.stage(), s.u.Current()
	if st == nil || st.Final {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	s.fact("operator", field("command", e.Command))
	switch e.Command {
	case "skip":
		v.Skipped = true
		s.handoff(s.u.Visit, ReasonSkipped, ReasonOperator)
	case "goto":
		s.operatorGoto(st, e.Argument)
	case "end":
		s.handoff(s.u.Visit, ReasonCandidate, ReasonOperator)
	case "rollback":
		id, err := strconv.ParseUint(e.Argument, 10, 64)
		if err != nil {
			s.fact("event.noop", field("event", Name(e)))
			return
		}
		s.blackboard.rollback(id)
	default:
		s.fact("event.noop", field("event", Name(e)))
	}
}

func (s *step) operatorGoto(st *definition.Stage, to string) {
	if p := s.u.SubPhases.Item(to); p != nil && s.u.Current().Item != "" {
		s.forward(st, to, ReasonOperator)
		return
	}
	if i := s.iv.Def.Index(to); i >= 0 && to != st.ID {
		s.target = &s.iv.Def.Stages[i]
		s.handoff(s.u.Visit, ReasonOperator, ReasonOperator)
		return
	}
	s.fact("event.noop", field("event", "operator"))
}

func (s blackboard) rollback(id uint64) {
	u, err := Rollback(s.u, id)
	if err != nil {
		s.fact("event.noop", field("event", "operator"))
		return
	}
	s.u = u
	s.fact("field.rolled_back", field("patch", id))
}
