package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// chosen acts on the answer to an offer. Any other answer is taken as an answer to the question that still waits.
func (s *step) chosen(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	offer := v.Choice
	v.Choice = ""
	yes := slices.Contains(intents, understand.Yes) && understand.Words(text) <= maxYes
	no := slices.Contains(intents, understand.No) && understand.Words(text) <= maxYes
	switch offer {
	case choiceEnd:
		return s.chosenEnd(yes, no, h)
	case choiceEase:
		return s.chosenEase(st, v, yes, no, text, h)
	case choiceGoOn:
		return s.chosenOn(yes, no, h)
	case choiceBack:
		return s.chosenBack(text, h)
	case choiceLeftOut:
		return s.chosenLeftOut(v, yes, h)
	case choiceLeave:
		if h.asks(understand.AskGoOn) || h.asks(understand.AskSkip) || no {
			s.letGo(st, v)
			return true
		}
		return false
	}
	return s.chosenHelp(st, v, offer, text, intents)
}

// maxYes is how many words a plain yes or no has at most.
const maxYes = 6

func (s *step) chosenEnd(yes, no bool, h *heard) bool {
	switch {
	case yes && !h.asks(understand.AskGoOn), h.asks(understand.AskEnd):
		s.handoff(s.u.Visit, ReasonCandidate, "candidate")
	case no, h.asks(understand.AskGoOn):
		s.sayAside(MoveAnswer, "every.end_not")
	default:
		return false
	}
	return true
}

func (s *step) chosenEase(st *definition.Stage, v *state.StageVisit, yes, no bool, text string, h *heard) bool {
	switch {
	case h.asks(understand.AskEasier), h.asks(understand.AskHint), s.picks("easier", text):
		s.easierWanted(st, v)
	case h.asks(understand.AskPause), h.asks(understand.AskThink), yes:
		s.takeBreak()
	case st.Responder == definition.ByExperts && understand.Words(text) <= maxYes && s.repeated(v, MoveRephrase, expert.OnReturn): // "I'm better"
	case no, h.asks(understand.AskGoOn):
		s.sayAside(MoveSupport, "every.breathe")
	default:
		return false
	}
	return true
}

func (s *step) chosenOn(yes, no bool, h *heard) bool {
	switch {
	case yes, h.asks(understand.AskGoOn), h.asks(understand.AskSkip):
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, ReasonIncomplete, "candidate")
	case no:
		s.sayAside(MoveAnswer, "every.breathe")
	default:
		return false
	}
	return true
}

// chosenBack takes what is added to an earlier answer: it answers nothing that waits.
func (s *step) chosenBack(text string, h *heard) bool {
	if !h.answer && !h.has(understand.ActCorrection) {
		return false
	}
	return s.amend(text)
}

// addition is how many words somebody who wants to go back says besides, at least, when they add there and then what they forgot.
const addition = 6

// addsTo reports whether a wish to go back came with what it was for: "can I go back to that? I forgot to say …".
func (s *situation) addsTo(v *state.StageVisit, a *understand.Act, h *heard) bool {
	if a.Asks != understand.AskBack && a.Asks != understand.AskGoTo || a.About != "" && !s.over(v, a.About) {
		return false
	}
	return slices.ContainsFunc(h.acts, func(a understand.Act) bool {
		return a.Kind == understand.ActCorrection || a.Kind == understand.ActAnswer && understand.Words(a.Text) >= addition
	})
}

// amend notes what is added to an earlier answer, naming a piece of it, and puts the question that waits once more; where that was answered
// already, the talk goes on.
func (s *step) amend(text string) bool {
	s.fact("answer.amended")
	v := s.u.Current()
	for i := 0; i <= s.iv.Def.Index(v.Stage); i++ {
		s.slots.extract(&s.iv.Def.Stages[i], text)
	}
	past := s.past()
	s.picked = picking{true, s.phrases().Pick(s.sayable(text), phrase.Past{Taken: past.Taken, Left: past.Left, Own: true})}
	if s.picked.piece == "" {
		s.picked.piece = s.phrases().Pick(s.sayable(text), past)
	}
	s.beforePrompt(s.worth("every.noted"))
	asked := s.questionBefore()
	grown := s.numbered(s.stage()) && s.withPiece(asked) != asked // it asks for more of what was told, and that is what they add
	if grown || s.answeredSince(asked) {
		s.preface = nil // what is asked next names it
		s.picked.piece = ""
		s.beforePrompt(s.worth("every.noted"))
		s.picked = picking{}
		s.transcript.takenForAnswer(v, false)
		s.decide(nil)
		return true
	}
	if s.repeated(v, MoveRephrase, expert.OnReturn) {
		return true
	}
	if asked != "" {
		s.before(s.fresh("every.repeated"), s.withPiece(asked))
	}
	r := state.Reply{Move: string(MoveAnswer), Aside: true, Wished: true}
	s.takePreface(&r)
	s.say(r)
	return true
}

// questionBefore is the question that waits, but for the one what to add.
func (s *words) questionBefore() string {
	v := s.u.Current()
	for i := len(s.u.Turns) - 1; i >= 0 && s.u.Turns[i].Visit == v.Visit; i-- {
		q := ""
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerAgent {
			q = lastQuestion(t.Text)
		}
		offer := false
		for n := range s.iv.Words.Variants("every.back", prompts.Say) {
			offer = offer || q != "" && strings.Contains(s.render("every.back", prompts.Say, n), q)
		}
		if q != "" && !offer {
			return q
		}
	}
	return ""
}

// withPiece puts before a question the piece of an answer that it was about.
func (s *situation) withPiece(question string) string {
	for _, text := range slices.Backward(s.texts(state.SpeakerAgent)) {
		all := sentences(text)
		if i := slices.Index(all, question); i > 0 && strings.Contains(all[i-1], "“") {
			return all[i-1] + " " + question
		} else if i >= 0 {
			break
		}
	}
	return question
}

// answeredSince reports whether an answer came after a question was put, before the latest turn.
func (s *situation) answeredSince(question string) bool {
	for i := len(s.u.Turns) - 2; i >= 0 && question != ""; i-- {
		t := &s.u.Turns[i]
		switch {
		case t.Speaker == state.SpeakerAgent && strings.Contains(t.Text, question):
			return false
		case t.Speaker == state.SpeakerCandidate && !t.Aside && !t.Private:
			return true
		}
	}
	return false
}
