package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// aboutMemory is what a question is about that asks what will be remembered of the talk.
const aboutMemory = "what_will_you_remember"

// aboutItself is what a question is about that asks the interviewer of itself, and aboutParting a remark that takes leave.
const (
	aboutItself  = "yourself"
	aboutParting = "parting"
)

// ofTheTalk settles what a question asks of the talk itself: what is remembered of it, and what to practise; and what is said against it: somebody
// is angry, and answers nothing.
func (s *situation) ofTheTalk(a understand.Act) understand.Act {
	if a.Kind == understand.ActAnswer && phrase.Scorns(a.Text) {
		return understand.Act{Kind: understand.ActEmotion, Text: a.Text}
	}
	if (a.Kind == understand.ActAnswer || a.Kind == understand.ActRemark) && s.worth("every.parting") != "" && !s.lost() && s.phrases().Parts(a.Text) {
		return understand.Act{Kind: understand.ActRemark, About: aboutParting, Text: a.Text}
	}
	if a.Kind != understand.ActQuestion && a.Kind != understand.ActAnswer || understand.Words(a.Text) > longClause+2 {
		return a
	}
	switch {
	case a.Fact == "" && a.About == "" && s.phrases().AsksItself(a.Text) && s.worth("every.itself") != "":
		return understand.Act{Kind: understand.ActQuestion, About: aboutItself, Text: a.Text}
	case s.phrases().AsksMemory(a.Text):
		return understand.Act{Kind: understand.ActQuestion, About: aboutMemory, Text: a.Text}
	case s.phrases().AsksPractice(a.Text):
		return understand.Act{Kind: understand.ActQuestion, About: understand.AboutStanding, Text: a.Text}
	}
	return a
}

// standing is what is said to "how did I do": what was checked and what was told, with a piece of it, and what was not heard yet; or
// where it will be told (RM-9).
func (s *words) standing() string {
	if p := s.problem(); p != nil && !s.u.Model && s.worth("every.worked") != "" && s.worked(p) {
		return "every.worked"
	}
	if parts := s.passedParts(); len(parts) > 0 {
		s.list = parts
		return s.worth("every.so_far")
	}
	if covered, missing := s.heardOf(); len(covered)+len(s.recall()) > 0 {
		s.list, s.lacked = append([]string{}, covered...), missing
		return s.worth("every.standing")
	}
	switch {
	case s.iv.Def.Report != nil:
		return s.worth("every.report_later")
	case slices.ContainsFunc(s.iv.Def.Stages, func(st definition.Stage) bool { return st.Gate != nil }):
		s.list = []string{}
		return s.worth("every.so_far")
	}
	return s.worth("every.no_score")
}

// memory is what is said to "what will you remember".
func (s *words) memory() string {
	s.recall()
	s.named = true
	return s.worth("every.memory")
}

// recall returns pieces of the talk, looked for once in a step.
func (s *words) recall() []string {
	if !s.recalled {
		s.recalled, s.pieces = true, s.quotes()
	}
	return s.pieces
}

// heardOf lists what was asked for in the stages so far and told, and the first thing that was not. Where nothing is asked for by
// name, a figure is what answers lack most. What is asked for is described in English only.
func (s *words) heardOf() (covered []string, missing string) {
	if s.u.SubPhases != nil {
		return nil, s.leastSpokenOf()
	}
	slots := false
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		if !slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool { return v.Stage == st.ID }) {
			continue
		}
		for _, slot := range st.Slots {
			if slot.Ask == "" || slot.Hint == "" || !strings.HasPrefix(s.iv.Words.Locale(), "en") {
				continue
			}
			slots = true
			switch is := s.u.Slots[slot.ID]; {
			case is.Status == state.SlotFilled:
				covered = append(covered, toThem.Replace(slot.Hint))
			case missing == "" && !is.Closed():
				missing = toThem.Replace(slot.Hint)
			}
		}
	}
	if !slots && !s.figured() {
		missing = s.phrases().Figure()
	}
	return covered, missing
}

// leastSpokenOf is the part that the candidate has left out, or what every such design has to answer and nothing was said of.
func (s *words) leastSpokenOf() string {
	for _, id := range s.u.SubPhases.Skipped {
		if p := s.u.SubPhases.Item(id); p != nil && !s.reveals(p.Name) {
			return p.Called(s.iv.Words.Locale())
		}
	}
	return s.iv.subject.Open(s.everythingTold(), s.iv.Words.Locale())
}

// toThem puts a hint for a model in words to the candidate.
var toThem = strings.NewReplacer("the candidate's", "your", "the candidate", "you", "they are", "you are", "their", "your")

// figured reports whether the candidate has named a figure.
func (s *words) figured() bool {
	return slices.ContainsFunc(s.u.Turns, func(t state.Turn) bool {
		return t.Speaker == state.SpeakerCandidate && !t.Private && s.phrases().Figures(t.Text)
	})
}

// passedParts are the parts that were checked with success.
func (s *words) passedParts() []string {
	var out []string
	for i := range s.u.Evaluations {
		r := &s.u.Evaluations[i]
		if r.Decision != evaluate.DecisionNext {
			continue
		}
		name := ""
		if p := s.u.SubPhases.Item(r.Item); p != nil {
			name = p.Called(s.iv.Words.Locale())
		} else if st := s.iv.Def.Stage(r.Stage); st != nil {
			name = st.Title
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
