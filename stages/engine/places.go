package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// place is a part of the interview that can be named: a sub-phase, or a stage.
type place struct {
	id    string
	item  bool
	names []string
}

// places are the parts before the goodbye.
func (s *situation) places() []place {
	var out []place
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		switch e := s.u.SubPhases; {
		case st.Final || st.Responder == definition.Scripted || s.atMenu(st):
		case st.Expand != "" && e != nil && len(e.Items) > 0:
			for k := range e.Items {
				p := &e.Items[k]
				out = append(out, place{p.ID, true, append(itemNames(st, p.ID), p.Name, p.Called(s.iv.Words.Locale()), strings.ReplaceAll(p.ID, "_", " "))})
			}
		default:
			names := append(slices.Clone(st.Named), st.Title, st.Called(s.iv.Words.Locale()))
			out = append(out, place{st.ID, false, append(names, strings.ReplaceAll(strings.ToLower(st.ID), "_", " "))})
		}
	}
	return out
}

// itemNames are the other names of a part that a stage expands to.
func itemNames(st *definition.Stage, id string) []string {
	var out []string
	for _, held := range slices.Sorted(maps.Keys(st.ItemNames)) {
		if strings.Contains(id, held) {
			out = append(out, st.ItemNames[held]...)
		}
	}
	return out
}

// partNamed returns the part that a text names: by a whole name, or by a word that only one of them has.
func (s *situation) partNamed(text string) string {
	if text == "" {
		return ""
	}
	all := s.places()
	best, length := "", 0
	for _, p := range all {
		for _, name := range p.names {
			if len(name) > length && understand.Says(text, []string{name}) {
				best, length = p.id, len(name)
			}
		}
	}
	if best != "" || understand.Words(text) > namedIn {
		return best
	}
	for _, p := range all {
		for _, name := range p.names {
			for word := range strings.FieldsSeq(strings.ToLower(name)) {
				if len(word) > 2 && !slices.Contains(vague, word) && understand.Says(text, []string{word}) && only(all, p.id, word) {
					return p.id
				}
			}
		}
	}
	return ""
}

// namedIn is how many words a text has at most in which a single word names a part; vague are words that name none.
const namedIn = 5

var vague = []string{"the", "and", "design", "part", "phase", "your", "for", "with", "task", "one", "time", "question", "questions", "problem", "five", "check", "level", "system"}

func only(all []place, id, word string) bool {
	return !slices.ContainsFunc(all, func(p place) bool {
		return p.id != id && slices.ContainsFunc(p.names, func(name string) bool { return understand.Says(name, []string{word}) })
	})
}

// goWhere takes the part that the candidate named, where the definition allows it; else it says why not (RM-10).
func (s *step) goWhere(st *definition.Stage, v *state.StageVisit, to string) {
	if to == v.Item || v.Item == "" && to == v.Stage {
		s.sayAside(MoveAnswer, "every.there_already")
		return
	}
	if p := s.u.SubPhases.Item(to); p != nil {
		s.goToItem(st, v, to)
		return
	}
	at, here := s.iv.Def.Index(to), s.iv.Def.Index(v.Stage)
	switch {
	case at < here && slices.Contains(s.destinations(), to):
		s.target = &s.iv.Def.Stages[at]
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, ReasonReordered, "candidate")
	case at < here:
		v.Choice = choiceBack
		s.sayAside(MoveAnswer, "every.part_done")
	case st.Skip.Rule == definition.SkipNever:
		s.refuseSkip(st, v)
	case s.iv.bound(here+1, at):
		s.sayAside(MoveRefuse, "every.part_later")
	default:
		s.target = &s.iv.Def.Stages[at]
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, ReasonReordered, "candidate")
	}
}

// over reports whether a part is behind, and cannot be opened again.
func (s *situation) over(v *state.StageVisit, part string) bool {
	if p := s.u.SubPhases.Item(part); p != nil {
		return slices.Contains(s.u.SubPhases.Completed, part)
	}
	at := s.iv.Def.Index(part)
	return at >= 0 && at < s.iv.Def.Index(v.Stage) && !slices.Contains(s.destinations(), part)
}

// bound reports whether one of the stages from..to-1 is not to be passed over.
func (iv *Interview) bound(from, to int) bool {
	for i := from; i < to; i++ {
		if st := &iv.Def.Stages[i]; st.Skip.Rule == definition.SkipNever || st.Gate != nil || st.Expand != "" {
			return true
		}
	}
	return false
}

// goToItem takes another sub-phase. The one on the floor, and those in between, stay open: their turn comes before the end.
func (s *step) goToItem(st *definition.Stage, v *state.StageVisit, to string) {
	e := s.u.SubPhases
	switch {
	case v.Item == "":
		s.sayAside(MoveRefuse, "every.part_later")
		return
	case st.Skip.Rule != definition.SkipForward && !st.Skip.Reorder:
		s.sayAside(MoveRefuse, "every.stay")
		return
	case slices.Contains(e.Completed, to):
		v.Choice = choiceBack
		s.sayAside(MoveAnswer, "every.part_done")
		return
	}
	s.phases.reopen(to)
	s.wanted = to
	s.beforePrompt(s.worth("every.go_on"))
	s.handoff(s.u.Visit, ReasonReordered, "candidate")
}
