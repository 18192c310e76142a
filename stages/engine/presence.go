package engine

import (
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// away: nothing is said to nobody, and no limit runs (R001-64). What nobody has heard yet is kept for the return. Whether
// the candidate speaks is for the ears to say: who talks through a lost connection still talks when it is back.
func (s *step) away() {
	if s.u.Floor.Away || s.u.Stage == "" {
		return
	}
	if s.stage().Final {
		s.end("done", field("goodbye", "candidate away"))
		return
	}
	s.stopIdle()
	s.hold("away")
	s.u.Floor.Away, s.u.Floor.Stopped = true, 0
	s.u.Floor.Paused = make(map[string]state.Millis)
	for _, name := range []string{TimerDeadline, TimerGrace} {
		if t, ok := s.u.Timers[name]; ok {
			s.u.Floor.Paused[name] = t.Left(s.u.Now)
			s.disarm(name)
		}
	}
	s.fact("candidate.away")
}

// back restores what was left of the limits (R001-64), and says what nobody has heard yet or asks again, in other
// words, what waited for an answer.
func (s *step) back() {
	if !s.u.Floor.Away {
		return
	}
	paused := s.u.Floor.Paused
	s.u.Floor.Away, s.u.Floor.Paused = false, nil
	for _, name := range []string{TimerDeadline, TimerGrace} {
		if left, ok := paused[name]; ok {
			s.arm(name, max(left.Duration(), time.Millisecond))
		}
	}
	s.u.LastActivity = s.u.Now
	s.fact("candidate.back")
	st, v := s.stage(), s.u.Current()
	switch {
	case v.Held != nil:
		s.resume(v)
	case !v.Opened:
		s.open(st, s.entered())
	default:
		s.welcome(st, v)
	}
}

func (s *step) welcome(st *definition.Stage, v *state.StageVisit) {
	id := base(v.Prompt)
	r := state.Reply{Move: string(MoveRephrase), Question: id, Slot: v.Target, Again: true}
	if w := st.Prompts.Welcome; w != "" {
		add(&r, s.fresh(w), s.render(w, prompts.Say, s.times(w)))
	}
	for _, form := range []prompts.Form{prompts.Reprompt, prompts.Simple} {
		if issue := id + "." + string(form); s.iv.Words.Has(id, form) && !s.u.Ledger.Has(issue) {
			add(&r, issue, s.render(id, form, 0))
			break
		}
	}
	if len(r.Prompts) == 0 {
		s.listen()
		return
	}
	s.say(r)
}
