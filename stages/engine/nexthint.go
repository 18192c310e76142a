package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// nextHint is the words of the next hint that a model may give, or "" where none fits: none that was given, in this part or another, none that
// what was told makes idle, and none for what the talk is past (RM-11).
func (s *words) nextHint() string {
	st, v := s.stage(), s.u.Current()
	if v.Closing || s.atLength(v) {
		return ""
	}
	if p := s.problem(); p != nil {
		if st.Responder != definition.ByExperts {
			return "" // nobody tells there what was found already, so the prepared ones would not keep up
		}
		return s.problemHint(p)
	}
	if s.met(v) { // the definition's hints say how to begin
		return ""
	}
	var list []string
	for _, id := range st.Hints[min(v.HintLevel, len(st.Hints)):] {
		list = append(list, s.render(id, prompts.Say, 0))
	}
	return s.ungiven(list)
}

// fluent is how many words make a turn of somebody who is not stuck.
const fluent = 35

// atLength reports whether the candidate has just told something at length, and asked for no hint.
func (s *situation) atLength(v *state.StageVisit) bool {
	return s.led(s.stage()) && understand.Words(v.Input) >= fluent && !slices.Contains(s.latestIntents(v), understand.Hint)
}

// hints reports whether hints are given in the part that is on: prepared ones, or the interviewer's own.
func (s *situation) hints() bool { return len(s.stage().Hints) > 0 || s.problem() != nil }

// dueHint is the next hint at a point of the talk.
type dueHint struct {
	problem              string
	turns, given, levels int
	text                 string
}

func (s *situation) problemHint(p *problem.Problem) string {
	at := dueHint{problem: p.ID, turns: len(s.u.Turns), given: len(s.u.Hinted), levels: len(s.u.Covered)}
	if was := s.due; was.problem != at.problem || was.turns != at.turns || was.given != at.given || was.levels != at.levels {
		if !s.wayFound() {
			at.text = s.ungiven(p.HintsLeft(s.newestWay(p), s.iv.Words.Locale(), s.told(p)))
		}
		s.due = at
	}
	return s.due.text
}

// wayFound reports whether the candidate has a way that carries, as far as a model's readings tell: hints lead to one, and no further.
func (s *situation) wayFound() bool {
	here := s.iv.Def.Index(s.u.Stage)
	return slices.ContainsFunc(s.u.Covered, func(c state.Cover) bool {
		switch c.Criterion {
		case expert.FieldCode:
			return c.Level >= 2
		case expert.FieldApproach:
			return c.Level >= 3 || c.Level == 2 && here > s.iv.Def.Index(c.Stage)
		}
		return false
	})
}

// newestWay is the way that the candidate came to last, or "": who mentions again what they had before is not back at it. Of several that are
// new in one turn it is the best one, else a wrong one.
func (s *situation) newestWay(p *problem.Problem) string {
	var seen []string
	newest := ""
	for i := range s.u.Turns {
		t := &s.u.Turns[i]
		if t.Speaker != state.SpeakerCandidate {
			continue
		}
		most := -1
		for _, id := range p.Named(t.Text, s.iv.Words.Locale()) {
			if slices.Contains(seen, id) {
				continue
			}
			seen = append(seen, id)
			weight := 0
			if a, right := p.Approach(id); right && a.Quality == problem.Best {
				weight = 2
			} else if !right {
				weight = 1
			}
			if weight >= most {
				newest, most = id, weight
			}
		}
	}
	return newest
}

// ungiven is the first hint that was not given yet, in these words or nearly, or "".
func (s *situation) ungiven(hints []string) string {
	said := s.texts(state.SpeakerAgent)
	heard := normalise(strings.Join(said, " "))
	for _, hint := range hints {
		words := s.content(hint)
		like := func(text string) bool { return len(words) > 0 && shared(words, s.content(text))*4 >= len(words)*3 }
		if hint != "" && !slices.Contains(s.u.Hinted, hint) && !strings.Contains(heard, normalise(hint)) && !slices.ContainsFunc(said, like) {
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
