package engine

import (
	"time"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// away: nothing is said to nobody, and no limit runs (R001-64). What nobody has heard yet is kept for the return. Whether
// the candidate speaks is for the ears to say: who talks through a lost connection still talks when it is back.
func (s *floor) away() {
	if s.u.Floor.Away || s.u.Stage == "" {
		return
	}
	if s.stage().Final {
		s.end("done", field("goodbye", "candidate away"))
		return
	}
	s.clock.breakOver()
	s.standStill("away")
	s.fact("candidate.away")
}

// standStill silences the agent and stops the clocks: nobody is there.
func (s *floor) standStill(why string) {
	s.clock.stopIdle()
	s.suspend(why)
	s.hold(why)
	s.u.Floor.Away, s.u.Floor.Stopped = true, 0
	s.clock.pause()
}

// pause stops the limits: somebody is away, or takes a break.
func (s clock) pause() {
	s.u.Current().Leave(s.u.Now)
	s.u.Floor.Paused = make(map[string]state.Millis)
	for _, name := range pausing {
		if t, ok := s.u.Timers[name]; ok {
			s.u.Floor.Paused[name] = t.Left(s.u.Now)
			s.disarm(name)
		}
	}
}

// unpause lets the limits run from where they stood.
func (s clock) unpause() {
	paused := s.u.Floor.Paused
	s.u.Floor.Paused = nil
	for _, name := range pausing {
		if left, ok := paused[name]; ok {
			s.arm(name, max(left.Duration(), time.Millisecond))
		}
	}
	s.u.Current().Return(s.u.Now)
}

// wake lets the clocks run from where they stood.
func (s clock) wake() {
	s.u.Floor.Away = false
	s.unpause()
	s.u.LastActivity = s.u.Now
}

// back restores what was left of the limits (R001-64), and says what nobody has heard yet or asks again, in other
// words, what waited for an answer.
func (s *step) back() {
	if !s.u.Floor.Away {
		return
	}
	s.clock.wake()
	s.fact("candidate.back")
	st, v := s.stage(), s.u.Current()
	switch {
	case v.Owed && v.Opened:
		s.decide(s.latestIntents(v))
	case v.Held != nil:
		s.resume(v)
	case !v.Opened:
		s.open(st, s.entered())
	case s.telling():
		s.tellReport()
	default:
		s.welcome(v)
	}
}

func (s *replies) welcome(v *state.StageVisit) {
	if s.repeated(v, MoveRephrase, expert.OnReturn, s.lines().Welcome) {
		return
	}
	id := base(v.Prompt)
	s.gap = v.Gap
	r := state.Reply{Move: string(MoveRephrase), Question: id, Slot: s.openSlot(v), Gap: v.Gap, Again: true}
	s.addFresh(&r, s.lines().Welcome)
	s.addOtherForm(&r, id)
	if len(r.Prompts) == 0 {
		s.clock.listen()
		return
	}
	s.say(r)
}
