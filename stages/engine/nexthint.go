package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/state"
)

// nextHint is the words of the next hint that a model may give, or "": none that was given, in this part or another, and none that what
// was told makes idle (RM-11).
func (s *words) nextHint() string {
	st, v := s.stage(), s.u.Current()
	if v.Closing {
		return ""
	}
	if p := s.problem(); p != nil {
		return s.problemHint(p)
	}
	var list []string
	for _, id := range st.Hints[min(v.HintLevel, len(st.Hints)):] {
		list = append(list, s.render(id, prompts.Say, 0))
	}
	return s.ungiven(list)
}

// dueHint is the next hint at a point of the talk.
type dueHint struct {
	problem      string
	turns, given int
	text         string
}

func (s *situation) problemHint(p *problem.Problem) string {
	at := dueHint{problem: p.ID, turns: len(s.u.Turns), given: len(s.u.Hinted)}
	if was := s.due; was.problem != at.problem || was.turns != at.turns || was.given != at.given {
		at.text = s.ungiven(p.HintsLeft(s.approach(p), s.iv.Words.Locale(), s.told(p)))
		s.due = at
	}
	return s.due.text
}

// ungiven is the first hint that was not given yet, or "".
func (s *situation) ungiven(hints []string) string {
	heard := normalise(strings.Join(s.texts(state.SpeakerAgent), " "))
	for _, hint := range hints {
		if hint != "" && !slices.Contains(s.u.Hinted, hint) && !strings.Contains(heard, normalise(hint)) {
			return hint
		}
	}
	return ""
}

// told is what the candidate has told of a solution.
func (s *situation) told(p *problem.Problem) problem.Told {
	code := s.editorText()
	said := strings.Join(s.texts(state.SpeakerCandidate), "\n")
	return problem.Told{Named: p.Named(said, s.iv.Words.Locale()), Cost: len(conclusion.Read(said).Claims) > 0, Code: strings.TrimSpace(code) != ""}
}

// hinted notes that the next hint was given.
func (s *step) hinted(v *state.StageVisit) {
	if hint := s.nextHint(); hint != "" {
		s.u.Hinted = append(s.u.Hinted, hint)
	}
	v.HintLevel++
	s.fact("hint.given", field("level", v.HintLevel))
}

// approach is the way that the candidate spoke of last, or "".
func (s *situation) approach(p *problem.Problem) string {
	for i := len(s.u.Turns) - 1; i >= 0; i-- {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerCandidate {
			if named := p.Named(t.Text, s.iv.Words.Locale()); len(named) > 0 {
				return named[len(named)-1]
			}
		}
	}
	return ""
}
