package engine

import (
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// What a candidate may be offered to choose from, beside support and help.
const (
	choiceEase  = "ease"  // a break, or something easier (RM-13)
	choiceEnd   = "end"   // to end the interview, or not (RM-15)
	choiceGoOn  = "go_on" // to go on to the next part after the last hint
	choiceBack  = "back"  // to add to what was said before
	choiceLeave = "leave" // to leave a question that was objected to
)

// breakTime is how long a break lasts at most, as it is said (every.pause).
const breakTime = 5 * time.Minute

// comfort meets nerves and frustration with a human sentence and an offer. No question follows in the same breath (RM-13).
func (s *step) comfort(st *definition.Stage, v *state.StageVisit) {
	s.fact("candidate.emotion")
	if s.support(st, v) {
		return
	}
	v.Choice = choiceEase
	s.sayAside(MoveSupport, "every.nerves")
}

// distressed meets words of self-harm: with care, whom to turn to, and the offer to end. Nothing is asked from now on, and the operator
// hears of it at once; the words are nobody's (RM-14).
func (s *replies) distressed(v *state.StageVisit) {
	s.keepPrivate(v, "rules")
	s.u.Distress = true
	s.stopFloor("distress")
	s.preface = nil
	s.clock.stand()
	s.sayAside(MoveSupport, "every.care")
}

// keepPrivate keeps the latest turn out of what is judged and printed, and tells the operator.
func (s *replies) keepPrivate(v *state.StageVisit, by string) {
	s.transcript.aside(v)
	s.transcript.latest().Private = true
	v.Input, v.Choice, v.Owed = "", "", false
	s.fact("candidate.distress", field("by", by))
}

// worry keeps private what a model took for distress and the rules did not, and tells the operator. The model goes on leading, with care: it
// may have been mistaken, and prepared words to somebody who is only nervous would do harm of their own.
func (s *replies) worry(v *state.StageVisit) {
	s.keepPrivate(v, "model")
	s.u.Worried = true
}

// worried tells a model how to go on after words that sounded like distress.
const worried = "Their words before sounded like distress. If they are well, or you were mistaken, say so in half a sentence and go on where you were. " +
	"If not: no question about the subject; listen, say that they matter more than this interview, and offer to end."

// careOn takes what somebody in distress says: to end, to go on, or anything else, which is listened to and kept private.
func (s *step) careOn(v *state.StageVisit, text string, intents []understand.Intent) bool {
	h := s.hearing(text)
	s.transcript.aside(v)
	s.transcript.latest().Private = true
	v.Input = ""
	yes, no := slices.Contains(intents, understand.Yes), slices.Contains(intents, understand.No)
	switch {
	case h.has(understand.ActDistress):
		s.distressed(v)
	case s.iv.Rules.Well(text):
		s.u.Distress = false
		s.fact("distress.over")
		s.beforePrompt(s.worth("every.care_over"))
		s.restate(v)
	case h.asks(understand.AskEnd), yes && !h.asks(understand.AskGoOn) && s.offeredEnd():
		s.u.Distress = false
		s.handoff(s.u.Visit, ReasonCandidate, "candidate")
	case h.asks(understand.AskGoOn), no && s.offeredEnd():
		s.u.Distress = false
		s.fact("distress.over")
		s.beforePrompt(s.worth("every.go_on"))
		s.restate(v)
	default:
		s.clock.stand()
		s.sayAside(MoveSupport, "every.care_more")
	}
	return true
}

// offeredEnd reports whether the end was offered with the last words.
func (s *situation) offeredEnd() bool { return asks(lastSentence(s.lastHeard())) }

func lastSentence(text string) string {
	all := sentences(text)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// takeBreak lets the clocks stand still until the candidate speaks, or the break is over.
func (s *replies) takeBreak() {
	s.clock.stand()
	s.fact("break.taken")
	s.sayAside(MoveGrant, "every.pause")
}

// stand lets the clocks stand still.
func (s clock) stand() {
	f := &s.u.Floor
	if f.Break || f.Away {
		return
	}
	s.stopIdle()
	f.Break = true
	s.pause()
	s.arm(TimerBreak, breakTime)
}

// breakOver lets the clocks run again.
func (s clock) breakOver() {
	f := &s.u.Floor
	if !f.Break {
		return
	}
	s.disarm(TimerBreak)
	f.Break = false
	s.unpause()
}

// breakEnds: nobody spoke for as long as a break lasts. Who is in distress and silent is let go kindly.
func (s *step) breakEnds() {
	s.clock.breakOver()
	if s.u.Distress {
		s.handoff(s.u.Visit, ReasonCandidate, "timer")
		return
	}
	s.sayAside(MoveGrant, "every.pause_over")
}

// firmly deals with what nobody but code decides on, whoever leads the talk: distress, and a break. It reports whether that was the whole
// turn.
func (s *step) firmly(v *state.StageVisit, text string) bool {
	if !s.led(s.stage()) {
		return false // the rules deal with every act
	}
	acts := s.iv.Rules.Acts(text)
	if s.u.Distress { // the prepared words were said: what is said to them a model understands better
		s.u.Distress, s.u.Worried = false, true
	}
	switch {
	case slices.ContainsFunc(acts, func(a understand.Act) bool { return a.Kind == understand.ActDistress }):
		s.tellRead(&heard{acts: acts})
		s.distressed(v)
		return true
	case len(acts) == 1 && acts[0].Asks == understand.AskPause:
		s.tellRead(&heard{acts: acts})
		s.transcript.aside(v)
		s.takeBreak()
		return true
	}
	return false
}
