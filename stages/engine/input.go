package engine

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// defaultHelp is how many turns in a row may be no answer before help is given (R003-77).
const defaultHelp = 3

// special answers turns that are no answers: a wish to skip, frustration, a request for the answer or for a hint, and
// what says nothing. Intents come before validity: "too hard" is short, and yet it says much (R003-46, R003-47). It
// reports whether that was the whole turn.
func (s *step) special(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent) bool {
	for _, intent := range intents {
		done := false
		switch intent {
		case understand.Skip:
			done = s.skip(st, v, text)
		case understand.Answer:
			done = s.noAnswer(st, v)
		case understand.Frustrated:
			done = s.support(st, v)
		case understand.Hint:
			done = s.hintAsked(st, v)
		}
		if done {
			s.u.Invalid = 0
			return true
		}
	}
	if slices.ContainsFunc(intents, answers) {
		s.u.Invalid = 0
		return false
	}
	return s.invalid(st, v, text)
}

// answers reports whether a turn with this intent says something, however short or far from the topic it is.
func answers(i understand.Intent) bool { return i == understand.Refuse || i == understand.Done }

// invalid deals with a turn that is no answer: gently, gently again, then with help (R003-71, R003-77).
func (s *step) invalid(st *definition.Stage, v *state.StageVisit, text string) bool {
	in := s.iv.Def.Input
	if !in.Check || s.atMenu(st) { // a menu has rules of its own for what is unclear
		return false
	}
	verdict := s.iv.Rules.Validity(text, s.recent(), understand.Bounds{
		ShortBelow: in.ShortBelow, Window: in.RepeatWindow, Lexicon: st.Lexicon, OffTopic: in.OffTopic, Topic: s.topic(st),
	})
	id := map[understand.Verdict]string{
		understand.Empty: in.Empty, understand.Short: in.Short, understand.Repeated: in.Repeated, understand.OffTopic: in.Off,
	}[verdict]
	// Who asked something that was answered with this turn has not strayed.
	if verdict == understand.Valid || id == "" || verdict == understand.OffTopic && len(s.preface) > 0 {
		s.u.Invalid = 0
		return false
	}
	s.noMatch(st, v, verdict, id)
	return true
}

// emptyTurn: a turn without words. Silence is none: that belongs to the silence ladder (R003-78).
func (s *step) emptyTurn() {
	st, v, in := s.stage(), s.u.Current(), s.iv.Def.Input
	if !in.Check || s.atMenu(st) || in.Empty == "" || st.Final || !v.Opened || v.Overtime || s.u.Floor.Firm || s.waiting() || s.telling() {
		s.noWords(NoWords{Reason: "empty turn"})
		return
	}
	s.u.Floor.Candidate, s.u.Floor.Stopped = false, 0
	v.Held = nil
	s.clock.resetIdle()
	s.stopFloor("turn")
	s.noMatch(st, v, understand.Empty, in.Empty)
}

// noMatch is the ladder of turns that are no answers.
func (s *step) noMatch(st *definition.Stage, v *state.StageVisit, verdict understand.Verdict, id string) {
	in := s.iv.Def.Input
	s.u.Invalid++
	s.fact("input.invalid", field("verdict", string(verdict)), field("in_a_row", s.u.Invalid))
	if verdict == understand.OffTopic {
		s.transcript.aside(v)
	}
	if s.u.Invalid >= cmp.Or(in.Help, defaultHelp) {
		s.u.Invalid, v.HelpMode = 0, true
		s.fact("help.on")
		s.beforePrompt(in.HelpMode)
		if s.hint(st, v, MoveHint) {
			return
		}
	} else {
		s.beforePrompt(id)
		if verdict == understand.OffTopic && s.rephrase(v) {
			return
		}
	}
	s.sayPreface(MoveCheck)
}

// sayPreface says what was put before the next words, when there are none. The question before it still waits.
func (s *replies) sayPreface(m Move) {
	r := state.Reply{Move: string(m), Aside: true}
	s.takePreface(&r)
	if r.Text == "" {
		s.addFresh(&r, s.lines().Point)
	}
	if r.Text == "" {
		s.clock.listen()
		return
	}
	s.say(r)
}

// recent are the candidate's turns before this one.
func (s *situation) recent() []string {
	out := s.texts(state.SpeakerCandidate)
	return out[:max(0, len(out)-1)]
}

// topic are the words that keep a turn on the topic: those of the stage's criteria, and of the problem.
func (s *situation) topic(st *definition.Stage) []string {
	out := slices.Clone(st.Lexicon)
	for _, k := range s.criteria(st) {
		out = append(out, k.Phrase)
		for _, words := range k.Aliases {
			out = append(out, words...)
		}
	}
	if p := s.problem(); p != nil {
		out = append(out, problem.In(p.Terms, s.iv.Words.Locale())...)
		for _, a := range p.Approaches {
			out = append(out, a.Keywords...)
		}
		for _, e := range p.EdgeCases {
			out = append(out, e.Keywords...)
		}
	}
	return out
}

func (s *situation) criteria(st *definition.Stage) []state.Keyword {
	if p := s.phase(); p != nil {
		return p.Keywords
	}
	return keywords(st.Criteria)
}
