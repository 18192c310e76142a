package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// wished grants what the candidate asks for, or says why not; it reports whether that was the whole turn.
func (s *step) wished(st *definition.Stage, v *state.StageVisit, a *understand.Act, text string, intents []understand.Intent, h *heard) bool {
	switch a.Asks {
	case understand.AskEnd:
		s.endWanted(v, a, h)
	case understand.AskHuman:
		s.humanWanted(v)
	case understand.AskNoRecording:
		return s.noRecording(st, v)
	case understand.AskLanguage:
		s.languageWanted(h)
	case understand.AskPause:
		s.waitFor(v, h)
		s.takeBreak()
	case understand.AskThink:
		s.waitFor(v, h)
		s.grant(st, v)
	case understand.AskRepeat: // a task is told once more, a question put as it was: other words may ask for something else
		if v.Prompt != s.lines().Open || !s.rephrase(v) {
			s.restate(v)
		}
	case understand.AskRephrase:
		unclear := st.Expand != "" && v.Prompt == s.lines().Open
		if (!unclear || !s.simplify(v)) && !s.rephrase(v) {
			s.restate(v)
		}
	default:
		return s.wishedOfTask(st, v, a, text, intents, h)
	}
	return true
}

// wishedOfTask grants wishes about the question that waits, and about the way through the interview.
func (s *step) wishedOfTask(st *definition.Stage, v *state.StageVisit, a *understand.Act, text string, intents []understand.Intent, h *heard) bool {
	switch a.Asks {
	case understand.AskHint:
		s.hintWanted(st, v)
	case understand.AskSolution:
		if !s.noAnswer(st, v) {
			s.hintWanted(st, v)
		}
	case understand.AskEasier:
		if !slices.Contains(intents, understand.Frustrated) || !s.support(st, v) {
			s.easierWanted(st, v)
		}
	case understand.AskSkip:
		return s.skipWanted(st, v, text, intents, h)
	case understand.AskGoOn:
		return s.onward(st, v, text)
	case understand.AskGoTo:
		s.goWhere(st, v, a.About)
	case understand.AskBack:
		if a.About != "" {
			s.goWhere(st, v, a.About)
			break
		}
		v.Choice = choiceBack
		s.sayAside(MoveAnswer, "every.back")
	case understand.AskVerdict:
		if s.numbered(st) || len(st.Slots) > 0 { // of a story nothing can be tried out
			s.sayAside(MoveAnswer, s.standing())
			break
		}
		s.sayAside(MoveAnswer, "every.verdict")
	default:
		return s.special(st, v, text, intents)
	}
	return true
}

// backTo goes back to what was spoken of before, by a piece of what was told of it, where the talk is free to go anywhere.
func (s *replies) backTo(a *understand.Act) bool {
	topic := s.iv.Rules.Goes(a.Text)
	if s.worth("every.back_to") == "" || topic == "" {
		return false
	}
	for _, t := range slices.Backward(s.u.Turns[:len(s.u.Turns)-1]) {
		if t.Speaker != state.SpeakerCandidate || t.Private || !understand.Says(t.Text, strings.Fields(strings.ToLower(topic))) {
			continue
		}
		if piece := s.phrases().Pick(s.sayable(t.Text), phrase.Past{Left: s.past().Left}); piece != "" {
			s.picked = picking{true, piece}
			s.sayAside(MoveAnswer, "every.back_to")
			return true
		}
	}
	return false
}

// skipWanted leaves out the part or the question that waits.
func (s *step) skipWanted(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	refused := slices.Contains(intents, understand.Refuse) && !slices.Contains(intents, understand.Skip)
	switch {
	case refused && st.Responder != definition.ByExperts && !h.answer:
		return s.transcript.takenForAnswer(v, false) // it settles the question that waits
	case refused:
		s.letGo(st, v)
	case !s.skip(st, v, text):
		s.leaveQuestion(v)
		s.letGo(st, v)
	}
	return true
}

// waitFor keeps an answer that came with a wish for time: it is reacted to when the candidate goes on.
func (s *replies) waitFor(v *state.StageVisit, h *heard) {
	if h.answer {
		v.Turns-- // it goes on, and counts then
		v.Owed = true
	}
}

// restate says the question that waits as it was asked: who asks for that may hear it twice.
func (s *replies) restate(v *state.StageVisit) {
	asked := s.waitingQuestion()
	r := state.Reply{Move: string(MoveRephrase), Question: v.Prompt, Slot: s.openSlot(v), Gap: v.Gap, Again: true, Wished: true}
	s.takePreface(&r)
	if asked == "" {
		s.say(r)
		return
	}
	s.addFresh(&r, s.worth("every.repeat"))
	add(&r, s.fresh("every.repeated"), asked)
	s.say(r)
}

// hintWanted gives the next hint, whatever it was asked for with; after the last one there is the first step, and then the offer to
// go on (RM-11).
func (s *step) hintWanted(st *definition.Stage, v *state.StageVisit) {
	if s.hintAsked(st, v) || s.firstStep() {
		return
	}
	switch {
	case len(st.Hints) > 0 || s.problem() != nil && st.Responder == definition.ByExperts:
		v.Choice = choiceGoOn
		s.sayAside(MoveHint, "every.hint_last")
	case s.simplify(v):
	default:
		s.sayAside(MoveHint, "every.hint")
	}
}

// firstStep says the first step of the task worked out, once in a stage, where the task has one.
func (s *replies) firstStep() bool {
	p := s.problem()
	if p == nil || s.timesHere("every.first_step") > 0 {
		return false
	}
	text := problem.In(p.FirstStep, s.iv.Words.Locale())
	if text == "" {
		return false
	}
	s.beforePrompt(s.worth("every.first_step"))
	s.before(s.fresh("every.first_step.text"), text)
	s.sayPreface(MoveHint)
	return true
}

// easierWanted takes a simpler problem where there is one; else the question that waits in an easier form.
func (s *step) easierWanted(st *definition.Stage, v *state.StageVisit) {
	switch {
	case st.Responder == definition.ByExperts && s.blackboard.simplerProblem() != nil && s.easier(st, v):
	case s.simplify(v):
	case st.Responder == definition.ByExperts && s.repeater() != nil && s.hintAsked(st, v):
	case len(st.Hints) > 0 && s.hint(st, v, MoveHint):
	default:
		s.sayAside(MoveSimplify, "every.easier")
	}
}

// letGo leaves out the question that waits: it is not asked again, and the next one follows.
func (s *step) letGo(st *definition.Stage, v *state.StageVisit) {
	s.slots.settle(v.Target, state.Slot{Status: state.SlotRefused})
	v.InputTurns = s.transcript.withLatest(v.InputTurns)
	s.judgements.answerHeard(st, v, []understand.Intent{understand.Refuse})
	v.Input = "" // nothing was answered
	if s.stage().Responder != definition.ByExperts && len(s.preface) == 0 && s.lines().Decline == "" {
		s.beforePrompt(s.worth("every.skip"))
	}
	s.decide([]understand.Intent{understand.Refuse})
}

// onward leaves the part where the definition allows it, or else the question. Where nothing but being ready was asked for, it is the
// answer.
func (s *step) onward(st *definition.Stage, v *state.StageVisit, text string) bool {
	switch {
	case st.Responder == definition.Scripted, st.Expect == "yes_no", s.atMenu(st), s.numbered(st) && s.questionsAsked() <= 1 && v.Turns == 0:
		return s.transcript.takenForAnswer(v, false)
	case v.Item != "" && v.Turns > 0:
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, ReasonIncomplete, "candidate")
	case s.skip(st, v, text):
	default:
		s.letGo(st, v)
	}
	return true
}

// lost reports whether something would be left undone if the interview ended now.
func (s *situation) lost() bool {
	st, v := s.stage(), s.u.Current()
	if v.Item != "" && s.nextItem() >= 0 || s.numbered(st) && s.questionsAsked() < s.numberedTotal() {
		return true
	}
	for i := s.iv.Def.Index(st.ID) + 1; i < len(s.iv.Def.Stages); i++ {
		if next := &s.iv.Def.Stages[i]; !next.Final && !tells(next) {
			return true
		}
	}
	return false
}

// endWanted ends the interview at once, or after one question where something would be lost by it (RM-15).
func (s *step) endWanted(v *state.StageVisit, a *understand.Act, h *heard) {
	plain := a.About != "" || !s.lost() && (!h.answer || h.acts[len(h.acts)-1].Asks == understand.AskEnd)
	if plain || s.worth("every.end_confirm") == "" {
		s.handoff(s.u.Visit, ReasonCandidate, "candidate")
		return
	}
	v.Choice = choiceEnd
	s.fact("end.wanted")
	s.sayAside(MoveAnswer, "every.end_confirm")
}

// humanWanted notes the wish for whoever runs the interview, and offers to end it (RM-15).
func (s *replies) humanWanted(v *state.StageVisit) {
	s.fact("candidate.human")
	v.Choice = choiceEnd
	s.sayAside(MoveAnswer, "every.human")
}

// noRecording ends the recording at once, or says that there is none. As an answer to the question for consent it is one.
func (s *replies) noRecording(st *definition.Stage, v *state.StageVisit) bool {
	if s.asksConsent(st) && v.Target == s.iv.Def.Recording.Slot {
		s.transcript.latest().Aside = false
		return false
	}
	id := "every.not_recorded"
	if s.u.Recording != "" || s.consent.withdrew {
		s.consent.consented(Consent{By: ConsentSpoken})
		id = "every.no_recording"
	}
	s.sayAside(MoveAnswer, id)
	return true
}

// languageWanted says which languages there are (RM-12).
func (s *replies) languageWanted(h *heard) {
	if h.told(factLanguage) {
		s.sayPreface(MoveAnswer)
		return
	}
	s.sayAside(MoveAnswer, s.languages())
}

// languages tells which there are.
func (s *situation) languages() string {
	if len(s.iv.languages) > 1 {
		return "every.languages"
	}
	return "every.one_language"
}
