package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// speechStarted stops the silence clock. A reply that nobody has heard yet is held back: the interviewer does not begin
// to talk while the candidate talks. It comes again if nothing was said after all.
func (s *floor) speechStarted() {
	f := &s.u.Floor
	f.Candidate = true
	s.u.LastActivity = s.u.Now
	if s.u.Stage == "" {
		return
	}
	s.clock.stopIdle()
	if f.Utterance == 0 || Move(f.Move) == MoveHold {
		s.suspend("speech")
	}
	if !f.Audible && !f.Firm {
		s.hold("speech")
	}
}

// speechStopped: a turn may follow. The silence clock goes on, but leaves it time to arrive; the turn then resets it.
func (s *floor) speechStopped() {
	s.u.Floor.Candidate, s.u.Floor.Stopped = false, max(1, s.u.Now)
	if s.u.Stage != "" {
		s.clock.listen()
	}
}

// noWords: a cough, a noise, or a recogniser that failed. What was held back is said now; else the silence clock goes on.
func (s *step) noWords(e NoWords) {
	s.u.Floor.Candidate, s.u.Floor.Stopped = false, 0
	s.fact("turn.no_words", field("cause", e.Reason))
	v := s.u.Current()
	switch {
	case v == nil:
	case s.u.Floor.Utterance != 0: // it did not concern what is being said
	case v.Overtime:
		s.handoff(s.u.Visit, ReasonDeadline, "turn_end")
	case s.telling():
		s.tellReport()
	case v.Held != nil:
		s.resume(v)
	case v.Opened && v.Owed:
		s.decide(s.latestIntents(v))
	case v.Opened && v.Stepping && s.stage().Responder != definition.ByExperts:
		s.decide(nil) // an expert has nothing to answer
	default:
		s.clock.listen()
	}
}

// resume says what was held back. A question that was settled meanwhile gives way to the next move.
func (s *step) resume(v *state.StageVisit) {
	r := *v.Held
	v.Held = nil
	if (r.CutIn || Move(r.Move) == MoveProbe) && s.u.Slots[r.Slot].Closed() {
		s.decide(nil)
		return
	}
	s.say(r)
}

// longSpeech steps in, once in a stage, when an answer goes beyond the limits (R001-88).
func (s *step) longSpeech(e LongSpeech) {
	if s.telling() {
		s.talkedOver(e)
		return
	}
	st, v := s.stage(), s.u.Current()
	if st == nil || st.Final || v.SteppedIn || s.u.Floor.Utterance != 0 {
		return
	}
	l := st.Limits
	if (l.TurnTime == 0 || e.Lasted < ms(l.TurnTime.Std())) && (l.TurnWords == 0 || e.Words < l.TurnWords) {
		return
	}
	v.SteppedIn, v.Stepping = true, true
	s.fact("turn.limit", field("lasted", e.Lasted.Duration()), field("words", e.Words))
	s.out = append(s.out, TakeTurn{Reason: "turn_limit"})
}

// userTurn is the heart: note the turn, understand it, and answer with exactly one move.
func (s *step) userTurn(e UserTurn) {
	st, v := s.stage(), s.u.Current()
	if st == nil {
		return
	}
	e.Text = strings.ToValidUTF8(e.Text, "\uFFFD") // as a journal keeps it
	if strings.TrimSpace(e.Text) == "" {
		s.emptyTurn()
		return
	}
	if !e.Typed { // who types may be speaking as well
		s.u.Floor.Candidate, s.u.Floor.Stopped = false, 0
	}
	s.u.LastActivity = s.u.Now
	began := s.begun(e)
	if e.Mends {
		if began = s.mend(); began == nil {
			s.fact("event.noop", field("event", Name(e)))
			return
		}
	}
	s.u.Floor.Over = nil
	s.transcript.note(e, began)
	s.iv = s.iv.Speaking(s.u) // from now on in the candidate's language
	s.consent.hearWithdrawal(e.Text)
	if st.Final {
		return
	}
	intents := s.intents(e.Text)
	switch {
	case slices.Contains(intents, understand.End) && !s.led(st) && (!v.Opened || v.Overtime || s.telling()):
		s.handoff(s.u.Visit, ReasonCandidate, "candidate")
	case s.telling():
		s.duringReport()
	case began.Visit != s.u.Visit, s.u.Floor.Firm && !e.Typed:
		s.overheard(began, e.Text)
	default:
		s.answer(st, v, e.Text, intents)
	}
}

// begun returns the visit in which the turn began: words may arrive after a handoff. What is typed is meant for now.
func (s *situation) begun(e UserTurn) *state.StageVisit {
	n := len(s.u.Visits) - 1
	for n > 0 && !e.Typed && (e.Began < s.u.Visits[n].Entered || s.resumes(&s.u.Visits[n])) {
		n--
	}
	return &s.u.Visits[n]
}

func (s transcript) note(e UserTurn, began *state.StageVisit) {
	s.addTurn(state.Turn{
		Speaker: state.SpeakerCandidate, Stage: began.Stage, Visit: began.Visit, Text: e.Text, Typed: e.Typed, Confidence: e.Confidence,
	})
	s.fact("turn.received", field("turn", len(s.u.Turns)), field("words", understand.Words(e.Text)), field("typed", e.Typed),
		field("late", began.Visit != s.u.Visit))
}

// overheard: the words began before the handoff, or under a voice that was not to be interrupted. They are kept where
// they belong and ask for no answer of their own.
func (s *step) overheard(began *state.StageVisit, text string) {
	if st := s.iv.Def.Stage(began.Stage); st != nil {
		s.slots.extract(st, text)
	}
	if v := s.u.Current(); v.Held != nil {
		s.resume(v)
		return
	}
	s.clock.listen()
}

// maxInput bounds what is kept of a turn and those that it continues, in characters.
const maxInput = 6000

// answer makes the move that the turn asks for.
func (s *step) answer(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent) {
	_, pending := s.pending()
	continued := s.unheard(v) || v.Owed || pending
	v.Noticed = ""
	switch {
	case v.Choice == choiceLanguage:
		if text, continued = s.settleLanguage(v, text), false; text == "" {
			s.putAgain(v)
			return
		}
		intents = s.intents(text)
	case continued:
		s.takeBack(st, v)
	default:
		v.Input, v.InputTurns = "", nil
	}
	s.addInput(v, text)
	s.clock.resetIdle()
	s.suspend("turn")
	s.stopFloor("turn")
	s.u.Floor.Over = nil
	v.Owed = false
	s.clock.breakOver()
	if v.Opened && !v.Overtime && (s.otherLanguage(v, text) || s.firmly(v, text)) {
		return
	}
	if s.led(st) {
		v.Unread, v.Led = true, 0
		s.openOrDecide(st, v, intents)
		return
	}
	if v.Opened && !v.Overtime && s.deal(st, v, text, intents, continued) {
		v.Stepping = false
		return // asking for something is no answer: the turn does not count
	}
	if !continued {
		v.Turns++
	}
	s.slots.track(st, text, intents)
	if v.Opened {
		s.judgements.answerHeard(st, v, intents)
		if s.doubt(st, v) {
			return
		}
	}
	s.openOrDecide(st, v, intents)
}

// addInput adds words to the answer that is being given.
func (s *step) addInput(v *state.StageVisit, text string) {
	v.Held = nil
	v.Input = understand.Clip(strings.TrimSpace(v.Input+" "+text), maxInput)
	if !s.u.Turns[len(s.u.Turns)-1].Aside { // who chose a language with it answered nothing
		v.InputTurns = s.transcript.withLatest(v.InputTurns)
	}
}

// openOrDecide opens a stage that somebody spoke into before it was opened, or makes the move that the answer earns.
func (s *step) openOrDecide(st *definition.Stage, v *state.StageVisit, intents []understand.Intent) {
	if !v.Opened {
		s.open(st, s.entered())
		return
	}
	s.decide(intents)
}

// unheard reports whether the reply to the candidate's last words was not heard: then the turn continues those.
func (s *situation) unheard(v *state.StageVisit) bool {
	r := s.u.Floor.Reply
	if v.Held != nil {
		r = *v.Held
	} else if s.u.Floor.Audible {
		return false
	}
	return r.Opening || r.CutIn && len(v.InputTurns) > 0 || Move(r.Move) == MoveProbe || Move(r.Move) == MoveLead
}

// entered returns why the current stage was entered.
func (s *situation) entered() string {
	if n := len(s.u.Visits); n > 1 {
		return s.u.Visits[n-2].Reason
	}
	return ""
}

// rephrase puts the waiting question in the next wording it has: the same words are not said again (R001-51).
func (s *replies) rephrase(v *state.StageVisit) bool {
	if s.repeated(v, MoveRephrase, expert.OnRequest) {
		return true
	}
	id := base(v.Prompt)
	s.gap = v.Gap
	for n := 1; n < s.iv.Words.Variants(id, prompts.Say) && !s.takesUp(id); n++ {
		issue := variant(id, n)
		if s.u.Ledger.Has(issue) {
			continue
		}
		if text := s.render(id, prompts.Say, n); text != "" {
			r := state.Reply{Move: string(MoveRephrase), Question: id, Slot: s.openSlot(v), Gap: v.Gap, Again: true, Wished: true}
			s.takePreface(&r)
			add(&r, issue, text)
			s.say(r)
			return true
		}
	}
	return s.simplify(v) || s.reprompt(v)
}

// grant holds the ladder once for a question while the candidate thinks (R001-85); after that it only listens.
func (s *replies) grant(st *definition.Stage, v *state.StageVisit) bool {
	id := cmp.Or(s.lines().Think, s.worth("every.think"))
	if id == "" {
		return false
	}
	if v.Thinking {
		s.clock.listen()
		return true
	}
	v.Thinking, v.Idle = true, thinking(st)
	v.Given = -v.Idle
	r := state.Reply{Move: string(MoveGrant), Aside: true}
	s.takePreface(&r)
	if s.addFresh(&r, id); r.Text == "" {
		s.clock.listen()
		return true
	}
	s.say(r)
	return true
}

// thinking is the silence counted, below zero, when somebody may think: the first rung comes that much later.
func thinking(st *definition.Stage) state.Millis {
	var first state.Millis
	if len(st.NoInput) > 0 {
		first = ms(st.NoInput[0].After.Std())
	}
	return min(0, first-ms(orDefault(st.Limits.Think, definition.DefaultThink)))
}

// latestIntents are what the candidate's latest turn means.
func (s *situation) latestIntents(v *state.StageVisit) []understand.Intent {
	return s.intents(v.Input)
}

// meaning is what a text was understood as.
type meaning struct {
	text    string
	known   bool
	intents []understand.Intent
}

// intents understands a text. The caller must not change the list.
func (s *situation) intents(text string) []understand.Intent {
	if text = strings.TrimSpace(text); !s.meant.known || s.meant.text != text {
		words, _ := apart(text)
		s.meant = meaning{text, true, s.iv.Rules.Intents(words)}
	}
	return s.meant.intents
}

// decide makes the one move that the turn asks for, by fixed priority.
func (s *course) decide(intents []understand.Intent) {
	st, v := s.stage(), s.u.Current()
	if v.Overtime {
		s.handoff(s.u.Visit, ReasonDeadline, "turn_end")
		return
	}
	if s.led(st) {
		s.leadTurn(st, v)
		return
	}
	v.Owed = false
	if st.Responder == definition.ByExperts {
		v.Stepping = false
		s.consult(st, v, intents)
		return
	}
	reason, done := s.guard(st.Done, intents)
	switch {
	case done && st.Gate == nil:
		s.handoff(s.u.Visit, reason, "rule")
		return
	case st.Gate != nil && s.counting(st.Gate):
		if reason := s.talkedOut(st.Gate, v, intents); reason != "" {
			s.handoff(s.u.Visit, reason, "rule")
			return
		}
	case st.Gate != nil && s.due(st.Gate, v, done):
		source := sourceAuto
		if done {
			source = "rule"
		}
		if s.judge(source) != stays {
			return
		}
	}
	if st.Limits.Turns > 0 && v.Turns >= st.Limits.Turns {
		s.handoff(s.u.Visit, ReasonTurns, "limit")
		return
	}
	s.ask(st, v, intents)
}

// ask issues the next question, or hands over when there is none.
func (s *course) ask(st *definition.Stage, v *state.StageVisit, intents []understand.Intent) {
	q, found := s.question(st, v)
	if !found {
		s.handoff(s.u.Visit, ReasonExhausted, "rule")
		return
	}
	r := state.Reply{Move: string(MoveProbe), Slot: q.slot, Question: cmp.Or(q.of, q.prompt), Gap: q.gap, FollowUp: true, Firm: v.Stepping}
	s.gap = q.gap
	s.takePreface(&r)
	s.preamble(&r, v, intents)
	s.put(&r, q)
	v.Stepping = false
	s.say(r)
}

// put adds a question to a reply; one that is in no catalogue follows what it is about.
func (s *words) put(r *state.Reply, q question) {
	if q.text != "" && s.picked.piece != "" {
		s.addFresh(r, s.worth("every.you_said"))
	}
	add(r, variant(q.prompt, q.variant), cmp.Or(q.text, s.render(q.prompt, prompts.Say, q.variant)))
}

// preamble puts the short words before the question: stepping in, letting a refused question go, or a thank-you.
func (s *words) preamble(r *state.Reply, v *state.StageVisit, intents []understand.Intent) {
	lines := s.lines()
	id := lines.Ack
	switch {
	case v.Stepping:
		id = lines.StepIn
	case slices.Contains(intents, understand.Refuse) && lines.Decline != "":
		id = lines.Decline
	}
	if id == lines.Ack && !s.mayFill() {
		return
	}
	s.addFresh(r, id)
}
