package engine

import (
	"slices"

	"github.com/vivavoice/viva/state"
)

// leftOpen is what becomes of a part that the candidate left for another one, or wanted to leave, before anything in it was met (RM-10).
const leftOpen = "left, not finished"

// visits counts how often a stage, or a sub-phase of it, was on the floor before now.
func (s *situation) visits(stage, item string) int {
	n := 0
	for i := range s.u.Visits {
		if v := &s.u.Visits[i]; v.Stage == stage && v.Item == item && v.Left > 0 {
			n++
		}
	}
	return n
}

// putOff is the first stage that a model was led away from, or past, and that comes next when the one on the floor is over; -1 = none.
// It comes by itself once, and while there is time for it.
func (s *situation) putOff() int {
	v, here := s.u.Current(), s.iv.Def.Index(s.u.Stage)
	if !s.led(s.stage()) || v.Item != "" || s.unspent() == 0 || s.begunAnew() {
		return -1
	}
	for i := range here {
		st := &s.iv.Def.Stages[i]
		if !s.separate(st) || !st.Worded() || st.Passing || s.asksConsent(st) {
			continue
		}
		n := s.visits(st.ID, "")
		if n == 0 && s.wentPast(i) || n == 1 && s.leftFor(st.ID, "") {
			return i
		}
	}
	return s.leftAhead(here)
}

// leftAhead is the stage behind the one on the floor from which the candidate went back to it, or -1.
func (s *situation) leftAhead(here int) int {
	for i := here + 1; i < len(s.iv.Def.Stages); i++ {
		if st := &s.iv.Def.Stages[i]; s.separate(st) && !st.Passing && s.visits(st.ID, "") == 1 && s.leftFor(st.ID, "") {
			return i
		}
	}
	return -1
}

// begunAnew reports whether the talk went through its stages from an earlier one on again, so that what was held before says nothing.
func (s *situation) begunAnew() bool {
	return slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool { return v.Reason == ReasonEasier || v.Reason == ReasonRollback })
}

// wentPast reports whether the candidate went from a stage before number i to one behind it.
func (s *situation) wentPast(i int) bool {
	return slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool {
		return v.Reason == ReasonReordered && s.iv.Def.Index(v.Stage) < i
	})
}

// leftFor reports whether the latest visit of a stage or a sub-phase ended for another one, with nothing met.
func (s *situation) leftFor(stage, item string) bool {
	for i := len(s.u.Visits) - 1; i >= 0; i-- {
		if v := &s.u.Visits[i]; v.Stage == stage && v.Item == item && v.Left > 0 {
			return v.Reason == ReasonReordered && !s.met(v)
		}
	}
	return false
}

// leftParts are the names of the parts that were left open.
func (s *words) leftParts() []string {
	var out []string
	for _, p := range (brief{s}).plan() {
		if p.Status == leftOpen || p.Status == "left out" {
			out = append(out, p.ID)
		}
	}
	return out
}
