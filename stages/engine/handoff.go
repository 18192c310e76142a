package engine

import (
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// handoff gives the floor to the next stage. It is the only way from one stage to another: tool call, rule, deadline
// and silence all come here (R001-42), and the flag of the visit lets exactly one of them through (R001-38).
func (s *step) handoff(visit uint64, reason, source string) bool {
	v := s.u.Current()
	if v == nil || visit != s.u.Visit || s.u.HandoffDone || s.stage().Final {
		s.fact("handoff.noop", field("source", source), field("reason", reason), field("asked_visit", visit))
		return false
	}
	s.u.HandoffDone = true
	if Forced(reason) {
		s.fact("fallback", field("kind", reason))
	}
	s.stopFloor("handoff")
	s.cancelTimers()
	v.Summary = s.summary()
	s.leave(v, reason, source)
	s.fact("handoff.done", field("reason", reason), field("source", source), field("forced", Forced(reason)))
	s.enter(s.next(reason), reason)
	return true
}

func (s *step) next(reason string) *definition.Stage {
	i := s.iv.Def.Index(s.u.Stage) + 1
	if reason == ReasonCandidate {
		i = len(s.iv.Def.Stages) - 1
	}
	return &s.iv.Def.Stages[i]
}

func (s *step) leave(v *state.StageVisit, reason, source string) {
	v.Left, v.Reason, v.Source = s.u.Now, reason, source
	s.fact("stage.exit", field("reason", reason), field("source", source), field("lasted", (v.Left-v.Entered).Duration()),
		field("turns", v.Turns), field("follow_ups", v.FollowUp), field("reprompts", v.Reprompts), field("barge_ins", v.BargeIns))
}

// enter opens a stage: a new visit, its deadline, and one utterance that bridges and asks the first question (R001-32).
func (s *step) enter(st *definition.Stage, reason string) {
	s.u.Visit++
	s.u.Stage, s.u.HandoffDone, s.u.StageStart = st.ID, false, s.u.Now
	s.u.Visits = append(s.u.Visits, state.StageVisit{Stage: st.ID, Visit: s.u.Visit, Entered: s.u.Now})
	s.fact("stage.enter", field("from", reason))
	if st.Limits.Hard > 0 {
		s.arm(TimerDeadline, st.Limits.Hard.Std())
	}
	s.publish(st)
	s.open(st, reason)
}

// open issues the opening of the stage on the floor.
func (s *step) open(st *definition.Stage, reason string) {
	v := s.u.Current()
	r := state.Reply{Move: string(MoveOpen), Opening: true, Question: st.Prompts.Open, Last: st.Final}
	bridge := st.Prompts.Bridge
	if Forced(reason) && st.Prompts.Forced != "" {
		bridge = st.Prompts.Forced
	}
	if bridge != "" && reason != "" {
		r.Move = string(MoveBridge)
		add(&r, bridge, s.render(bridge, prompts.Say, 0))
	}
	if st.Final {
		r.Move = string(MoveClose)
		s.arm(TimerGoodbye, goodbyeLimit)
	}
	add(&r, st.Prompts.Open, s.render(st.Prompts.Open, prompts.Say, 0))
	for i := range st.Slots {
		if st.Slots[i].Opening {
			r.Slot = st.Slots[i].ID
		}
	}
	// Over a candidate who does not stop, the opening has to be heard to its end.
	r.Firm = st.Final || v.Stepping || Forced(reason) && s.u.Floor.Candidate
	v.Stepping = false
	s.say(r)
}

func (s *step) summary() string {
	id := s.stage().Prompts.Summary
	if id == "" {
		return ""
	}
	return s.render(id, prompts.Say, 0)
}

func (s *step) publish(st *definition.Stage) {
	p := Publish{Stage: st.ID, Title: st.Title, Index: s.iv.Def.Index(st.ID) + 1, Left: st.Limits.Hard.Std(), Turn: st.Turn}
	for i := range s.iv.Def.Stages {
		if !s.iv.Def.Stages[i].Final {
			p.Total++
		}
	}
	if st.Final {
		p.Index = 0
	}
	s.out = append(s.out, p)
}
