package engine

import (
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// limits starts the clocks of the visit on the floor: soft and hard limit, and the cap over its groups. A visit that still
// waits to know what it is about has the cap only.
func (s clock) limits(st *definition.Stage) {
	if left, ok := s.groupLeft(st); ok {
		s.arm(TimerGroup, max(left, time.Millisecond))
	}
	if s.loading() {
		return
	}
	soft := st.Limits.Soft.Std()
	if p := s.phase(); p != nil && p.Soft > 0 {
		soft = p.Soft.Duration()
	}
	if hard := s.hard(st); hard > 0 {
		s.arm(TimerDeadline, hard)
	}
	if soft > 0 {
		s.arm(TimerSoft, soft)
	}
}

// hard is the hard limit of the visit on the floor: the sub-phase's own, or the stage's; 0 = none.
func (s *situation) hard(st *definition.Stage) time.Duration {
	if p := s.phase(); p != nil && p.Hard > 0 {
		return p.Hard.Duration()
	}
	return s.iv.Def.Hard(st)
}

// groupLeft is what is left of the tightest cap over the stage's groups.
func (s clock) groupLeft(st *definition.Stage) (least time.Duration, ok bool) {
	for _, id := range st.Within() {
		g := s.iv.Def.GroupByID(id)
		if g == nil || g.Limits.Hard == 0 {
			continue
		}
		if left := g.Limits.Hard.Std() - s.spent(id); !ok || left < least {
			least, ok = left, true
		}
	}
	return least, ok
}

// spent is how long the interview has been in a group, without the time in which the candidate was away.
func (s *situation) spent(group string) time.Duration {
	return s.spentIn(func(st *definition.Stage) bool { return slices.Contains(st.Within(), group) })
}

// spentIn is the same for the stages that are among those wanted.
func (s *situation) spentIn(wanted func(*definition.Stage) bool) time.Duration {
	var sum state.Millis
	for i := range s.u.Visits {
		v := &s.u.Visits[i]
		st := s.iv.Def.Stage(v.Stage)
		if st == nil || !wanted(st) {
			continue
		}
		until := v.Left
		if v.Visit == s.u.Visit && v.Left == 0 {
			until = s.u.Now
		}
		if v.AwaySince > 0 {
			until = v.AwaySince
		}
		sum += until - v.Entered - v.Absent
	}
	return sum.Duration()
}

// capped: the time of a group is up. It is left as a stage is left at its deadline.
func (s *step) capped() {
	st, v := s.stage(), s.u.Current()
	for _, id := range st.Within() {
		g := s.iv.Def.GroupByID(id)
		if g != nil && g.Limits.Hard > 0 && s.spent(id) >= g.Limits.Hard.Std() {
			v.Capped = id
			s.fact("limit.group", field("group", id))
			s.deadline()
			return
		}
	}
	if left, ok := s.clock.groupLeft(st); ok {
		s.clock.arm(TimerGroup, max(left, time.Millisecond))
	}
}
