package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// A model leads a turn: it is told where the interview stands and what it may do, answers in its own words at once, and says after them
// what it understood and did (package respond). Step holds that against the rules of the interview (read.go). Where the model fails before a
// word was heard, the rules take the same turn.

// MoveLead is a turn that a model leads.
const MoveLead Move = "lead"

// Why a model leads a turn. The reprompts of the silence ladder are named by what the rules would do, behind occasionSilence.
const (
	occasionTurn    = "turn"     // the candidate said something
	occasionOpen    = "open"     // a part begins
	occasionClose   = "close"    // the last part is over: is there a question?
	occasionSilence = "silence:" // the candidate says nothing
	occasionReturn  = "return"   // the candidate is back
)

// LeadGrace is how long words that a model leads with may go on beyond the grace of their part, once in a visit.
const LeadGrace = 20 * time.Second

// missedLeads is how many replies in a row a model may fail to give before the rules lead the rest of the stage.
const missedLeads = 2

// led reports whether a model leads the turns of the stage.
func (s *situation) led(st *definition.Stage) bool {
	v := s.u.Current()
	return s.u.Model && !s.ruled && st != nil && v != nil && st.Worded() && !st.Final && st.Responder != definition.Scripted &&
		!tells(st) && !s.atMenu(st) && !s.asksConsent(st) && v.Missed < missedLeads
}

// lead has a model answer.
func (s *replies) lead(occasion, must string) {
	v := s.u.Current()
	r := state.Reply{Move: string(MoveLead), Occasion: occasion, Must: must, Question: v.Prompt, Again: true, Aside: true}
	if occasion == occasionOpen {
		r.Question, r.Opening, r.Aside = s.lines().Open, true, false
	}
	s.say(r)
}

// leadTurn has a model answer what the candidate said.
func (s *replies) leadTurn(st *definition.Stage, v *state.StageVisit) {
	stepping := v.Stepping
	v.Owed, v.Stepping = false, false
	if stepping {
		s.lead(occasionTurn, "They have talked for very long, and you step in, politely, in half a sentence: name the one thing you take from it, and ask one short question.")
		return
	}
	if v.Closing {
		s.lead(occasionTurn, "")
		return
	}
	must := ""
	switch {
	case s.u.Worried:
		must = worried
	case s.followedUp(st, v):
		must = s.onward(v)
	case st.Limits.Turns > 0 && v.Turns+1 >= st.Limits.Turns:
		must = "This part has had its answers: react to the last one and finish it."
	}
	s.lead(occasionTurn, must)
}

// leadOpening has a model open a part, after the words that were not answered yet.
func (s *replies) leadOpening(reason string) {
	must := "Open the part that is on now with one question that fits what you know of them."
	if s.numbered(s.stage()) {
		must = "Introduce yourself in one short sentence as whom you play, and put numbered question 1."
	}
	switch {
	case s.u.Current().Unread:
		must = "The time of the part before is up. React to their last words in one sentence (their question gets its answer), say that you go on for the sake of time, and open the part that is on now with one question."
	case Forced(reason):
		must = "The time of the part before is up, or they said nothing. Say in half a sentence that you go on, without blame, and open the part that is on now with one question."
	}
	s.lead(occasionOpen, must)
}

// close begins the end: a last question of theirs, a word on how it went, the goodbye.
func (s *replies) close(reason string) {
	v := s.u.Current()
	v.Closing, v.Overtime = true, false
	s.fact("interview.closing", field("reason", reason))
	s.clock.disarmAll(TimerDeadline, TimerGrace, TimerSoft)
	s.clock.arm(TimerDeadline, s.closingTime())
}

// mayClose reports whether the stage on the floor is the last one that is held: what comes after it tells and says goodbye.
func (s *course) mayClose(reason string) bool {
	v := s.u.Current()
	if v.Closing || !s.led(s.stage()) || v.Turns == 0 && !v.Unread || reason == ReasonCandidate || reason == ReasonIdle || reason == ReasonOperator {
		return false
	}
	next := s.following()
	return next != nil && (next.Final || tells(next))
}

// following is the stage after the one on the floor, or nil where a sub-phase is still to come.
func (s *situation) following() *definition.Stage {
	st, v := s.stage(), s.u.Current()
	if s.target != nil || v.Item != "" && v.Capped == "" && s.nextItem() >= 0 {
		return nil
	}
	i := s.iv.Def.Index(st.ID) + 1
	if i >= len(s.iv.Def.Stages) {
		return nil
	}
	if v.Capped != "" {
		return &s.iv.Def.Stages[s.beyond(i, v.Capped)]
	}
	if at := s.putOff(); at >= 0 {
		return &s.iv.Def.Stages[at]
	}
	return &s.iv.Def.Stages[s.pastHeld(s.edge(st, i))]
}

// beyond is the first stage from i on that lies outside a group.
func (s *situation) beyond(i int, group string) int {
	for slices.Contains(s.iv.Def.Stages[i].Within(), group) {
		i++
	}
	return i
}

// pastHeld is the stage from i on that was not held yet: who went elsewhere does not go through everything again.
func (s *situation) pastHeld(i int) int {
	st := &s.iv.Def.Stages[i]
	n := len(s.u.Visits)
	ordered := n < 2 || s.u.Visits[n-2].Reason != ReasonReordered && (!s.led(s.stage()) || s.begunAnew())
	if ordered || st.Final || tells(st) || st.Expand != "" || s.stageStatus(st) != "done" {
		return i
	}
	return s.pastHeld(i + 1)
}

// missed lets the rules take a turn that a model was to lead and did not.
func (s *step) missed(r state.Reply, why string) {
	v := s.u.Current()
	v.Missed++
	s.ruled = true
	s.fact("lead.missed", field("occasion", r.Occasion), field("in_a_row", v.Missed), field("why", understand.Clip(why, maxFailure)))
	st := s.stage()
	switch {
	case r.Occasion == occasionTurn:
		s.turnByRules(st, v)
	case r.Occasion == occasionOpen:
		s.readByRules(st, v)
		if s.numbered(st) && !s.loading() { // its expert introduces itself and puts the first question
			v.Opened = true
			s.consult(st, v, nil)
			return
		}
		s.open(st, s.entered())
	case r.Occasion == occasionClose:
		s.handoff(s.u.Visit, ReasonComplete, "rule")
	case strings.HasPrefix(r.Occasion, occasionSilence):
		s.climb(st, v, strings.TrimPrefix(r.Occasion, occasionSilence))
	default:
		s.welcome(v)
	}
}

// turnByRules answers the turn that waits as if there were no model.
func (s *step) turnByRules(st *definition.Stage, v *state.StageVisit) {
	if v.Closing {
		s.handoff(s.u.Visit, ReasonComplete, "rule")
		return
	}
	intents := s.latestIntents(v)
	if v.Unread && s.deal(st, v, v.Input, intents, false) {
		v.Unread = false
		return
	}
	s.readByRules(st, v)
	s.decide(intents)
}

// readByRules notes what the rules understand of a turn that nobody else has read.
func (s *replies) readByRules(st *definition.Stage, v *state.StageVisit) {
	if !v.Unread {
		return
	}
	v.Unread = false
	v.Turns++
	intents := s.latestIntents(v)
	s.slots.track(st, v.Input, intents)
	s.judgements.answerHeard(st, v, intents)
	if v.Numbered > 0 {
		v.NumberedTurns = append(v.NumberedTurns, v.InputTurns...)
	}
}

// silenceMust tells a model that nobody speaks.
func silenceMust(silent time.Duration, rung int) string {
	text := fmt.Sprintf("They have said nothing for %d seconds. ", int(silent.Seconds()))
	if rung <= 1 {
		return text + "In one short sentence, leave them time or put the open question a little differently; new words, no pressure."
	}
	return text + "Make it easier: one smaller, concrete question on the same matter, or an offer to go on. New words."
}

// openedAlready begins a stage whose opening was part of the words before.
func (s *course) openedAlready(st *definition.Stage) {
	v := s.u.Current()
	v.Opened, v.Prompt = true, s.lines().Open
	if st.Final {
		s.end("done")
		return
	}
	if s.numbered(st) && v.Numbered == 0 {
		s.nextNumbered(v, cmp.Or(lastQuestion(s.lastHeard()), st.Title))
	}
	s.clock.listen()
}

// lastHeard is what the interviewer said last, without what cut in on the candidate.
func (s *situation) lastHeard() string {
	for i := len(s.u.Turns) - 1; i >= 0; i-- {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerAgent && !t.Aside {
			return t.Text
		}
	}
	return ""
}

// ledHeard goes on after words that a model led with were heard, at least in part.
func (s *step) ledHeard(r state.Reply, e VoiceEnded) {
	v := s.u.Current()
	cut := e.Cut && e.Failed == ""            // words that could not be voiced were shown to their end
	broken := e.Degraded != "" && r.Did == "" // it stopped half way, and has not told what it understood
	if broken && !cut && lastQuestion(e.Heard) == "" {
		s.missed(r, e.Degraded)
		return
	}
	s.readByRules(s.stage(), v) // nobody else has read the turn by now
	if cut {
		s.clock.listen()
		return
	}
	if v.Missed++; !broken {
		v.Missed = 0
	}
	if r.Occasion == occasionOpen && s.numbered(s.stage()) && v.Numbered == 0 {
		r.Did = didNext
	}
	if v.Led = 0; r.Did == "" {
		v.Led = e.Utterance
	}
	s.spoke(r, e.Heard)
}

// submitted is all that the candidate has said and typed.
func (s *situation) submitted() []string {
	said := s.texts(state.SpeakerCandidate)
	if code := s.editorText(); code != "" {
		said = append(said, code)
	}
	return said
}

// editorText is what stands in the candidate's editor.
func (s *situation) editorText() string {
	text, _ := valueOf(s.u.Fields[expert.FieldCode]).(string)
	return text
}
