package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// skip answers the wish to leave the stage out.
func (s *step) skip(st *definition.Stage, v *state.StageVisit, text string) bool {
	if st.Skip.Rule == "" && st.Skip.Refuse == "" || s.queue.at(state.Asked) != nil {
		return false
	}
	switch {
	case st.Skip.Rule == definition.SkipForward && v.Item != "":
		return s.forward(st, s.namedItem(text), "candidate") != ""
	case st.Skip.Rule == definition.SkipAllowed || st.Skip.Rule == definition.SkipForward:
		s.leaveOut(st, v, "candidate")
		return true
	}
	s.refuseSkip(st, v)
	return true
}

// leaveOut leaves a stage that may be left out (R003-61): that satisfies its guard (R003-57).
func (s *step) leaveOut(st *definition.Stage, v *state.StageVisit, source string) {
	v.Skipped = true
	s.fact("skip.allowed", field("source", source))
	s.beforePrompt(st.Skip.Allow)
	s.handoff(s.u.Visit, ReasonSkipped, source)
}

// refuseSkip explains why the stage matters; then it offers help, and in the end lets it be incomplete rather than loop
// (R003-60, R003-63).
func (s *step) refuseSkip(st *definition.Stage, v *state.StageVisit) {
	after := cmp.Or(st.Skip.After, 3)
	v.SkipAsked++
	s.fact("skip.refused", field("times", v.SkipAsked))
	switch {
	case v.SkipAsked >= after:
		s.handoff(s.u.Visit, ReasonIncomplete, "candidate")
	case v.SkipAsked == after-1 && st.Skip.Offer != "":
		v.Choice = choiceHelp
		s.beforePrompt(st.Skip.Offer)
		s.sayPreface(MoveRefuse)
	default:
		s.beforePrompt(st.Skip.Refuse)
		s.sayPreface(MoveRefuse)
	}
}

// namedItem returns the open sub-phase that a text names, or "".
func (s *situation) namedItem(text string) string {
	e := s.u.SubPhases
	for i := range e.Items {
		p := &e.Items[i]
		if i != e.Index && !e.Closed(p.ID) && understand.Says(text, []string{p.Name, strings.ReplaceAll(p.ID, "_", " ")}) {
			return p.ID
		}
	}
	return ""
}

// forward goes to a later sub-phase, or to the next one when none is named. Those in between count as skipped, unless
// they may be taken in another order: then they are put off (R000-78, R000-79, R000-85). It returns where it went, or "".
func (s *step) forward(st *definition.Stage, to, source string) string {
	e, v := s.u.SubPhases, s.u.Current()
	at := slices.IndexFunc(e.Items, func(p state.Phase) bool { return p.ID == to })
	switch {
	case to != "" && (at < 0 || e.Closed(to) || at == e.Index):
		return ""
	case to != "" && st.Skip.Reorder:
		s.wanted = to
		s.handoff(s.u.Visit, ReasonReordered, source)
		return to
	case to != "" && at < e.Index:
		s.refuseSkip(st, v)
		return "refused"
	}
	for i := e.Index + 1; i < at; i++ {
		s.phases.skipItem(e.Items[i].ID, source)
	}
	s.wanted = to
	s.leaveOut(st, v, source)
	if p := s.phase(); p != nil {
		return p.ID
	}
	return s.u.Stage
}
