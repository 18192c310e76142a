package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/misconception"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// maxDoubts is how many mistakes of one stage are asked about: a talk is no cross-examination.
const maxDoubts = 3

// doubt asks about something in the answer that does not hold, as far as the rules know it: each such thing once (RM-19). It reports
// whether it did; the move that the answer earns follows after what the candidate says to it.
func (s *step) doubt(st *definition.Stage, v *state.StageVisit) bool {
	if st.Responder == definition.Scripted || s.atMenu(st) || v.Overtime || v.Doubts >= maxDoubts {
		return false
	}
	heard := append(s.iv.subject.Hear(v.Input, s.iv.Words.Locale()), s.mistakes(st, v.Input)...)
	i := slices.IndexFunc(heard, func(h misconception.Heard) bool { return !s.u.Flags["doubted."+h.ID] })
	if i < 0 || len(s.u.Claims) >= maxClaims {
		return false
	}
	h := heard[i]
	s.flag("doubted." + h.ID)
	v.Doubts++
	s.u.Claims = append(s.u.Claims, state.Claim{
		Quote: understand.Clip(h.Quote, maxNoted), Verdict: state.ClaimWrong, Why: h.Why, Turn: s.latest().ID, Stage: v.Stage, Taken: true,
	})
	s.fact("claim.doubted", field("claim", h.ID))
	v.Owed = st.Responder == definition.ByExperts // who leads the stage hears the answer whole
	r := state.Reply{Move: string(MoveProbe), FollowUp: true, Question: v.Prompt, Slot: v.Target, Again: true}
	s.takePreface(&r)
	add(&r, "doubt."+h.ID, h.Ask)
	s.say(r)
	return true
}

// mistakes are the usual wrong ways of the task, where no expert deals with them.
func (s *step) mistakes(st *definition.Stage, text string) []misconception.Heard {
	p := s.problem()
	if p == nil || st.Responder == definition.ByExperts {
		return nil
	}
	locale := s.iv.Words.Locale()
	var out []misconception.Heard
	for _, id := range p.Named(text, locale) {
		if m, wrong := p.Wrong(id); wrong {
			out = append(out, misconception.Heard{ID: p.ID + "." + id, Quote: text, Ask: problem.In(m.Counter.Say, locale), Why: problem.In(m.Names, locale)})
		}
	}
	return out
}
