package engine

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// choiceLeftOut is the offer to take up what was left out, before the last part is left for the goodbye (RM-10).
const choiceLeftOut = "left_out"

// leaveQuestion keeps the question that waits, which the candidate wants to leave out: it stays open.
func (s *replies) leaveQuestion(v *state.StageVisit) {
	if text := s.waitingQuestion(); text != "" && s.u.Open == nil && s.withPiece(text) == text { // what grew from an answer was not planned
		s.u.Open = &state.Open{Question: text, Prompt: v.Prompt, Slot: v.Target, Stage: v.Stage}
	}
}

// offerLeftOut holds the floor once, where the interview is about to end or a sub-phase could not be taken up any more, and offers the first
// thing that was left out by rules. A model that leads sees to it itself.
func (s *course) offerLeftOut(reason string) bool {
	st, v := s.stage(), s.u.Current()
	mayAsk := slices.Contains([]string{ReasonComplete, ReasonTurns, ReasonIntent, ReasonExhausted, ReasonPassed, ReasonIncomplete, ReasonSkipped}, reason)
	if !mayAsk || s.u.Offered || s.opens || !v.Opened || v.Overtime || s.led(st) || s.worth("every.left_out") == "" {
		return false
	}
	next := s.following()
	if next == nil {
		return false
	}
	id, name := s.leftOut(v, next.Final || tells(next))
	if name == "" {
		return false
	}
	s.u.Offered, v.Leaving, v.Offer, v.Choice = true, reason, id, choiceLeftOut
	s.fact("left_out.offered", field("part", id))
	s.stopFloor("offer")
	s.list = []string{name}
	s.sayAside(MoveAnswer, "every.left_out")
	return true
}

// leftOut is the first thing that was left out and can be taken up from here: its id, "" for a question, and what it is called. ending says
// that the goodbye follows.
func (s *course) leftOut(v *state.StageVisit, ending bool) (id, name string) {
	if e := s.u.SubPhases; e != nil && v.Item != "" {
		for i := range e.Items {
			if p := &e.Items[i]; !p.Irrelevant && p.ID != v.Item && slices.Contains(e.Skipped, p.ID) {
				return p.ID, p.Name
			}
		}
	}
	if !ending {
		return "", ""
	}
	for _, to := range s.destinations() {
		if st := s.iv.Def.Stage(to); st != nil && to != v.Stage && s.stageStatus(st) == "left out" {
			return to, cmp.Or(st.Called(s.iv.Words.Locale()), st.Title)
		}
	}
	if o := s.u.Open; o != nil && o.Question != s.waitingQuestion() { // they have just left this one out
		return "", "“" + o.Question + "”"
	}
	return "", ""
}

// chosenLeftOut takes up what was offered, or ends the part as it was about to end. Questions and feelings are dealt with first.
func (s *step) chosenLeftOut(v *state.StageVisit, yes bool, h *heard) bool {
	wish := h.wish()
	switch {
	case yes, wish != nil && (wish.Asks == understand.AskGoTo || wish.Asks == understand.AskBack) && (wish.About == "" || wish.About == v.Offer):
		s.takeUp(v)
	case h.onlyAsks(), h.has(understand.ActEmotion), wish != nil && (wish.Asks == understand.AskPause || wish.Asks == understand.AskRepeat):
		v.Choice = choiceLeftOut
		return false
	default:
		s.handoff(s.u.Visit, v.Leaving, "candidate")
	}
	return true
}

// takeUp opens the part, or puts the question, that was left out.
func (s *step) takeUp(v *state.StageVisit) {
	s.fact("left_out.taken", field("part", v.Offer))
	o := s.u.Open
	switch {
	case s.u.SubPhases.Item(v.Offer) != nil && v.Offer != "":
		s.phases.reopen(v.Offer)
		s.wanted = v.Offer
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, v.Leaving, "candidate")
	case v.Offer != "":
		s.target = s.iv.Def.Stage(v.Offer)
		s.beforePrompt(s.worth("every.go_on"))
		s.handoff(s.u.Visit, ReasonReordered, "candidate")
	default:
		s.u.Open = nil
		r := state.Reply{Move: string(MoveRephrase), Question: o.Prompt, Again: true, Wished: true}
		if o.Slot != "" && s.stage().Slot(o.Slot) != nil {
			delete(s.u.Slots, o.Slot)
			r.Slot = o.Slot
		}
		s.addFresh(&r, s.worth("every.go_on"))
		add(&r, s.fresh("every.repeated"), o.Question)
		s.say(r)
	}
}
