package engine

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Answers are what the candidate said to what has a right answer, in the order of the stages: items for evaluators that
// compare, made after the talk (R004-65). A stage is one item, unless an evaluator that compares is attached to its answers:
// then each of them is one. further gives stages a right answer that the definition has none for, by stage id, in the form of
// Stage.Reference. What was skipped, or passed in silence, is no answer.
func (iv *Interview) Answers(u *state.UserData, further map[string]string) []evaluate.Item {
	s := &situation{iv: iv, u: u}
	var out []evaluate.Item
	for i := range iv.Def.Stages {
		st := &iv.Def.Stages[i]
		single := s.compared(st)
		if len(single) == 0 {
			single = s.wholeStage(st, further[st.ID])
		}
		out = append(out, single...)
	}
	return out
}

// compared are the answers of a stage that were sent to somebody who compares.
func (s *situation) compared(st *definition.Stage) []evaluate.Item {
	var out []evaluate.Item
	for k := range s.u.Judgements {
		j := &s.u.Judgements[k]
		at := s.iv.attachment(j.Attachment)
		if j.Stage != st.ID || j.Question == "" || at == nil || !slices.Contains(definition.Comparing, at.By) {
			continue
		}
		if it := s.judgedItem(at, st, j); it.Reference != "" && spoken(it.Turns) {
			out = append(out, it)
		}
	}
	return out
}

// wholeStage is all that was said in a stage, if there is a right answer to it.
func (s *situation) wholeStage(st *definition.Stage, further string) []evaluate.Item {
	from := cmp.Or(further, st.Reference)
	for k := range s.iv.Def.Evaluations {
		if at := &s.iv.Def.Evaluations[k]; from == "" && slices.Contains(definition.Comparing, at.By) && slices.Contains(at.Stages, st.ID) {
			from = at.Reference
		}
	}
	it := evaluate.Item{
		ID: st.ID, PhaseID: st.ID, PhaseName: st.Title, Criteria: keywords(st.Criteria), Locale: s.iv.Words.Locale(), Reference: s.reference(from),
		Question: cmp.Or(s.interviewQuestion(), s.task()),
	}
	var visits []uint64
	for k := range s.u.Visits {
		if v := &s.u.Visits[k]; v.Stage == st.ID && !v.Skipped {
			visits = append(visits, v.Visit)
		}
	}
	it.Turns = evaluate.Slice(s.u.Turns, visits...)
	if it.Reference == "" || !spoken(it.Turns) {
		return nil
	}
	return []evaluate.Item{it}
}

// spoken reports whether the candidate said anything.
func spoken(turns []evaluate.Turn) bool {
	return slices.ContainsFunc(turns, func(t evaluate.Turn) bool { return t.Role == evaluate.RoleUser })
}
