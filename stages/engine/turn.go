package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// speechStarted stops the silence clock. A reply that nobody has heard yet is held back: the interviewer does not begin
// to talk while the candidate talks. It comes again if nothing was said after all.
func (s *step) speechStarted() {
	f := &s.u.Floor
	f.Candidate = true
	s.u.LastActivity = s.u.Now
	if s.u.Stage == "" {
		return
	}
	s.stopIdle()
	if f.Utterance != 0 && !f.Audible && !f.Firm {
		s.u.Current().Held = true
		s.stopFloor("speech")
	}
}

// speechStopped: a turn may follow. The silence clock goes on meanwhile; the turn, when it comes, resets it.
func (s *step) speechStopped() {
	s.u.Floor.Candidate = false
	if s.u.Stage != "" {
		s.listen()
	}
}

// noWords: a cough, a noise, or a recogniser that failed. What was held back is said now; else the silence clock goes on.
func (s *step) noWords(e NoWords) {
	s.u.Floor.Candidate = false
	s.fact("turn.no_words", field("cause", e.Reason))
	v := s.u.Current()
	switch {
	case v == nil:
	case v.Overtime:
		s.handoff(s.u.Visit, ReasonDeadline, "turn_end")
	case v.Held:
		s.resume(v)
	case v.Stepping:
		s.decide(nil)
	default:
		s.listen()
	}
}

// resume makes the move again that was held back.
func (s *step) resume(v *state.StageVisit) {
	v.Held = false
	if !v.Opened {
		s.open(s.stage(), s.entered())
		return
	}
	s.decide(nil)
}

// longSpeech steps in, once in a turn, when an answer goes beyond the limits (R001-88).
func (s *step) longSpeech(e LongSpeech) {
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
	s.u.Floor.Candidate = false
	s.u.LastActivity = s.u.Now
	late := e.Began < v.Entered && len(s.u.Visits) > 1 && !e.Typed
	s.note(e, late)
	if st.Final {
		return
	}
	intents := s.iv.Rules.Intents(e.Text)
	if late {
		s.lateTurn(e)
		return
	}
	merged := v.Held || s.u.Floor.Utterance != 0 && !s.u.Floor.Audible
	v.Held = false
	s.resetIdle()
	s.stopFloor("turn")
	if !merged {
		v.Turns++
	}
	v.ToolSteps = 0
	if !v.Opened {
		s.track(st, e.Text, intents)
		s.open(st, s.entered())
		return
	}
	if s.request(st, v, intents) {
		return
	}
	s.track(st, e.Text, intents)
	s.decide(intents)
}

func (s *step) note(e UserTurn, late bool) {
	t := state.Turn{Speaker: state.SpeakerCandidate, Stage: s.u.Stage, Visit: s.u.Visit, Text: e.Text, Typed: e.Typed, Confidence: e.Confidence}
	if late {
		before := s.u.Visits[len(s.u.Visits)-2]
		t.Stage, t.Visit = before.Stage, before.Visit
	}
	s.addTurn(t)
	s.fact("turn.received", field("turn", len(s.u.Turns)), field("words", understand.Words(e.Text)), field("typed", e.Typed), field("late", late))
}

// lateTurn: the words began before the handoff. They are kept where they belong and ask for no answer of their own.
func (s *step) lateTurn(e UserTurn) {
	if before := s.iv.Def.Stage(s.u.Visits[len(s.u.Visits)-2].Stage); before != nil {
		s.extract(before, e.Text)
	}
	s.listen()
}

// entered returns why the current stage was entered.
func (s *step) entered() string {
	if n := len(s.u.Visits); n > 1 {
		return s.u.Visits[n-2].Reason
	}
	return ""
}

// request answers what the candidate asks for; it reports whether that was the whole turn.
func (s *step) request(st *definition.Stage, v *state.StageVisit, intents []understand.Intent) bool {
	if len(intents) == 0 {
		return false
	}
	switch intents[0] {
	case understand.End:
		return s.handoff(s.u.Visit, ReasonCandidate, "candidate")
	case understand.Repeat:
		v.Turns--
		return s.rephrase(st, v)
	case understand.Think:
		return s.grant(st, v)
	}
	return false
}

// rephrase puts the waiting question in the next wording it has: the same words are not said again (R001-51).
func (s *step) rephrase(_ *definition.Stage, v *state.StageVisit) bool {
	id := base(v.Prompt)
	target := v.Target
	for n := 1; n < s.iv.Words.Variants(id, prompts.Say); n++ {
		if issue := variant(id, n); !s.u.Ledger.Has(issue) {
			u := utterance{move: MoveRephrase, question: id}
			u.add(issue, s.render(id, prompts.Say, n))
			s.say(u)
			v.Target = target
			return true
		}
	}
	if s.simplify(v) || s.reprompt(v) {
		v.Target = target
		return true
	}
	v.Turns++
	return false
}

// grant holds the ladder once for a question while the candidate thinks (R001-85).
func (s *step) grant(st *definition.Stage, v *state.StageVisit) bool {
	if v.Thinking || st.Prompts.Think == "" {
		return false
	}
	v.Turns--
	think := st.Limits.Think.Std()
	if think == 0 {
		think = definition.DefaultThink
	}
	prompt, target := v.Prompt, v.Target
	u := utterance{move: MoveGrant, aside: true}
	u.add(s.fresh(st.Prompts.Think), s.render(st.Prompts.Think, prompts.Say, 0))
	s.say(u)
	v.Prompt, v.Target, v.Thinking = prompt, target, true
	v.Idle = min(0, firstRung(st)-ms(think))
	return true
}

func firstRung(st *definition.Stage) state.Millis {
	if len(st.NoInput) == 0 {
		return 0
	}
	return ms(st.NoInput[0].After.Std())
}

// decide makes the one move that the turn asks for, by fixed priority.
func (s *step) decide(intents []understand.Intent) {
	st, v := s.stage(), s.u.Current()
	if v.Overtime {
		s.handoff(s.u.Visit, ReasonDeadline, "turn_end")
		return
	}
	if reason, done := s.guard(st.Done, intents); done {
		s.handoff(s.u.Visit, reason, "rule")
		return
	}
	s.ask(st, v, intents, true)
}

// ask issues the next question, or hands over when there is none.
func (s *step) ask(st *definition.Stage, v *state.StageVisit, intents []understand.Intent, model bool) {
	q, found := s.question(st, v)
	if !found {
		s.handoff(s.u.Visit, ReasonExhausted, "rule")
		return
	}
	u := utterance{move: MoveProbe, slot: q.slot, question: q.prompt, followUp: true}
	s.lead(&u, st, v, intents)
	u.add(variant(q.prompt, q.variant), s.render(q.prompt, prompts.Say, q.variant))
	if model && s.u.Model && st.Worded() && !v.Stepping {
		u.ask = s.instruct(q, intents)
	}
	u.firm = v.Stepping
	v.Stepping = false
	s.say(u)
}

// lead puts the short words before the question: stepping in, letting a refused question go, or a thank-you.
func (s *step) lead(u *utterance, st *definition.Stage, v *state.StageVisit, intents []understand.Intent) {
	id := st.Prompts.Ack
	switch {
	case v.Stepping:
		id = st.Prompts.StepIn
	case slices.Contains(intents, understand.Refuse) && st.Prompts.Decline != "":
		id = st.Prompts.Decline
	}
	if id == "" {
		return
	}
	n := s.times(id)
	u.add(s.fresh(id), s.render(id, prompts.Say, n))
}

// times counts how often an id or its variants were issued; fresh gives the id of its next issue.
func (s *step) times(id string) int {
	n := 0
	for _, ids := range s.u.Ledger.Asked {
		for _, issued := range ids {
			if base(issued) == id {
				n++
			}
		}
	}
	return n
}

func (s *step) fresh(id string) string { return variant(id, s.times(id)) }

// track fills slots from the turn and settles the one that was asked for.
func (s *step) track(st *definition.Stage, text string, intents []understand.Intent) {
	v := s.u.Current()
	if slices.Contains(intents, understand.Refuse) {
		s.settle(v.Target, state.Slot{Status: state.SlotRefused})
	} else {
		s.extract(st, text)
		s.accept(st, v, text)
	}
}

func (s *step) extract(st *definition.Stage, text string) {
	for i := range st.Slots {
		slot := &st.Slots[i]
		find := slot.Find
		if find == "" {
			find = slot.ID
		}
		if value, ok := s.iv.Rules.Fact(find, text); ok {
			s.settle(slot.ID, state.Slot{Status: state.SlotFilled, Value: value, By: "rules"})
		}
	}
}

// accept takes an answer of some length to a direct question at its word, where no rule recognised it.
func (s *step) accept(st *definition.Stage, v *state.StageVisit, text string) {
	slot := st.Slot(v.Target)
	if slot == nil || s.u.Slots[slot.ID].Closed() {
		return
	}
	need := slot.MinWords
	if base(v.Prompt) == st.Prompts.Open {
		need = slot.OpeningWords
	}
	if need == 0 || understand.Words(text) < need {
		return
	}
	s.settle(slot.ID, state.Slot{Status: state.SlotFilled, Value: understand.Clip(strings.Join(strings.Fields(text), " "), 120), By: "answer"})
}

// settle writes a slot unless it is settled already: a refusal is final, and the first value stays (R001-54).
func (s *step) settle(id string, to state.Slot) {
	was := s.u.Slots[id]
	if id == "" || was.Closed() {
		return
	}
	to.Asked, to.Turn = was.Asked, uint64(len(s.u.Turns))
	s.u.Slots[id] = to
	s.fact("slot.settled", field("slot", id), field("status", string(to.Status)), field("by", to.By))
}

func (s *step) away() {
	if s.u.Floor.Away || s.u.Stage == "" {
		return
	}
	if s.stage().Final {
		s.end("done", field("goodbye", "candidate away"))
		return
	}
	s.stopIdle()
	s.stopFloor("away")
	s.u.Floor.Away, s.u.Floor.Candidate = true, false
	s.u.Floor.Paused = make(map[string]state.Millis)
	for _, name := range []string{TimerDeadline, TimerGrace} {
		if t, ok := s.u.Timers[name]; ok {
			s.u.Floor.Paused[name] = t.Left(s.u.Now)
			s.disarm(name)
		}
	}
	s.fact("candidate.away")
}

// back restores what was left of the limits (R001-64) and asks again, in other words, what waited for an answer.
func (s *step) back() {
	if !s.u.Floor.Away {
		return
	}
	for _, name := range []string{TimerDeadline, TimerGrace} {
		if left, ok := s.u.Floor.Paused[name]; ok {
			s.arm(name, max(left.Duration(), time.Millisecond))
		}
	}
	s.u.Floor.Away, s.u.Floor.Paused = false, nil
	s.u.LastActivity = s.u.Now
	s.fact("candidate.back")
	st, v := s.stage(), s.u.Current()
	switch {
	case !v.Opened:
		s.open(st, s.entered())
	default:
		s.welcome(st, v)
	}
}

func (s *step) welcome(st *definition.Stage, v *state.StageVisit) {
	id, target := base(v.Prompt), v.Target
	u := utterance{move: MoveRephrase, question: id}
	if w := st.Prompts.Welcome; w != "" {
		u.add(s.fresh(w), s.render(w, prompts.Say, 0))
	}
	for _, form := range []prompts.Form{prompts.Reprompt, prompts.Simple} {
		if issue := id + "." + string(form); s.iv.Words.Has(id, form) && !s.u.Ledger.Has(issue) {
			u.add(issue, s.render(id, form, 0))
			break
		}
	}
	if len(u.prompts) == 0 {
		s.listen()
		return
	}
	s.say(u)
	v.Target = target
}
