package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// What a candidate may be offered to choose from.
const (
	choiceSupport = "support" // a stronger hint, or a simpler problem first (R003-67)
	choiceHelp    = "help"    // help instead of skipping (R003-63)
)

// hintLeft reports whether a hint can be given: the definition's, or its expert's.
func (s *situation) hintLeft(st *definition.Stage, v *state.StageVisit) bool {
	if l := st.Limits.Hints; l > 0 && v.HintLevel >= l {
		return false
	}
	return v.HintLevel < len(st.Hints) || len(st.Hints) == 0 && st.Responder == definition.ByExperts || s.sheetHint(st) != ""
}

// sheetHint is the next hint of the problem's own, for what the candidate took last, where neither the definition nor an expert has any.
func (s *situation) sheetHint(st *definition.Stage) string {
	p := s.problem()
	if p == nil || len(st.Hints) > 0 || st.Responder == definition.ByExperts {
		return ""
	}
	locale := s.iv.Words.Locale()
	for _, hint := range p.HintsFor(s.approach(p), locale) {
		if hint != problem.In(p.FirstStep, locale) && !s.toldBefore(hint) {
			return hint
		}
	}
	return ""
}

// hint gives the next hint, each a little stronger than the one before and none twice (R003-34). Where the definition has
// none, the stage's expert gives it. It reports whether there was one.
func (s *step) hint(st *definition.Stage, v *state.StageVisit, m Move) bool {
	if !s.hintLeft(st, v) {
		return false
	}
	if text := s.sheetHint(st); text != "" {
		r := state.Reply{Move: string(m), Hint: true, Question: v.Prompt, Slot: v.Target, Gap: v.Gap, Again: true}
		s.takePreface(&r)
		r.Before = understand.Words(r.Text)
		add(&r, s.fresh("every.sheet_hint"), text)
		s.fact("hint.given", field("level", v.HintLevel+1))
		s.say(r)
		return true
	}
	if len(st.Hints) == 0 {
		s.consult(st, v, []understand.Intent{understand.Hint})
		return true
	}
	s.gap = s.nextGap(v)
	for ; v.HintLevel < len(st.Hints); v.HintLevel++ {
		id := st.Hints[v.HintLevel]
		issue, text := s.worded(id)
		if text == "" {
			continue // it speaks of a gap, and there is none
		}
		r := state.Reply{Move: string(m), Hint: true, Question: v.Prompt, Slot: v.Target, Gap: s.gap, Again: true}
		s.takePreface(&r)
		r.Before = understand.Words(r.Text)
		add(&r, issue, text)
		s.fact("hint.given", field("level", v.HintLevel+1))
		s.say(r)
		return true
	}
	return false
}

func (s *step) hintAsked(st *definition.Stage, v *state.StageVisit) bool {
	return (len(st.Hints) > 0 || st.Responder == definition.ByExperts || s.sheetHint(st) != "") && s.hint(st, v, MoveHint)
}

// noAnswer declines to give the answer away, says why, and gives a hint instead (R003-70).
func (s *step) noAnswer(st *definition.Stage, v *state.StageVisit) bool {
	if st.NoAnswer == "" {
		return false
	}
	s.fact("answer.declined")
	s.beforePrompt(st.NoAnswer)
	if !s.hint(st, v, MoveRefuse) {
		s.sayPreface(MoveRefuse)
	}
	return true
}

// support comforts somebody frustrated once in a stage, makes things easier, and offers a choice of two. After that it is
// straight the stronger hint (R003-65, R003-66, R003-67, R003-69).
func (s *step) support(st *definition.Stage, v *state.StageVisit) bool {
	if st.Support == "" {
		return false
	}
	v.HelpMode = true
	if v.Supported {
		if !s.hint(st, v, MoveHint) {
			s.beforePrompt(s.iv.Def.Input.HelpMode)
			s.sayPreface(MoveSupport)
		}
		return true
	}
	v.Supported, v.Choice = true, choiceSupport
	s.fact("support.given")
	s.beforePrompt(st.Support)
	s.sayPreface(MoveSupport)
	return true
}

// chosenHelp acts on the answer to an offer of help.
func (s *step) chosenHelp(st *definition.Stage, v *state.StageVisit, offer, text string, intents []understand.Intent) bool {
	yes := slices.Contains(intents, understand.Yes) || slices.Contains(intents, understand.Hint) || s.picks("stronger", text)
	switch {
	case offer == choiceSupport && s.picks("easier", text):
		return s.easier(st, v)
	case yes && !slices.Contains(intents, understand.Skip):
		v.HelpMode = true
		return s.hint(st, v, MoveHint)
	}
	return false
}

// easierWords and strongerWords recognise a choice where neither the definition nor the language has word lists for it.
// Whole turns only for the letters: they are words of their own in longer ones.
var (
	choiceWords = map[string][]string{
		"easier":   {"simpler", "easier", "another problem", "different problem", "other problem", "option b", "the second", "简单", "换一", "换个", "第二"},
		"stronger": {"hint", "option a", "the first", "keep going", "提示", "继续", "第一"},
	}
	choiceLetters = map[string]string{"easier": "b", "stronger": "a"}
)

func (s *situation) picks(choice, text string) bool {
	return s.iv.lists(choice, text) || understand.Says(text, choiceWords[choice]) || normalise(text) == choiceLetters[choice]
}

// easier takes a simpler problem, from the beginning (R003-67). Without one there is help instead.
func (s *step) easier(st *definition.Stage, v *state.StageVisit) bool {
	p := s.blackboard.simplerProblem()
	first := slices.IndexFunc(s.iv.Def.Stages, func(st definition.Stage) bool { return st.Responder == definition.ByExperts })
	if p == nil || first < 0 {
		return s.hint(st, v, MoveHint)
	}
	s.fact("problem.easier", field("problem", p.ID))
	s.target = &s.iv.Def.Stages[first]
	s.blackboard.take(p)
	return s.handoff(s.u.Visit, ReasonEasier, "candidate")
}
