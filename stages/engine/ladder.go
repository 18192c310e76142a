package engine

import (
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// clock holds the limits of the visit on the floor, and the silence in it.
type clock struct{ *change }

// arm starts a timer of the current visit, replacing one of the same name.
// While the candidate is away a limit does not run: it waits for their return.
func (s clock) arm(name string, after time.Duration) {
	s.disarm(name)
	if s.u.Floor.Away && name != TimerGoodbye {
		s.u.Floor.Paused[name] = ms(after)
		return
	}
	s.u.NextID++
	s.u.Timers[name] = state.Timer{ID: s.u.NextID, Visit: s.u.Visit, Armed: s.u.Now, After: ms(after)}
	s.fact("timer.started", field("timer", name), field("after", after))
	s.out = append(s.out, ArmTimer{Name: name, ID: s.u.NextID, Visit: s.u.Visit, After: after})
}

func (s clock) disarm(name string) {
	t, ok := s.u.Timers[name]
	if !ok {
		return
	}
	delete(s.u.Timers, name)
	s.fact("timer.cancelled", field("timer", name))
	s.out = append(s.out, CancelTimer{Name: name, ID: t.ID})
}

func (s clock) disarmAll(names ...string) {
	for _, name := range names {
		s.disarm(name)
	}
}

func (s clock) cancelTimers() {
	s.disarmAll(timers...)
	clear(s.u.Floor.Paused)
}

func (s *step) timerFired(e TimerFired) {
	t, ok := s.u.Timers[e.Name]
	if !ok || t.ID != e.ID || e.Visit != s.u.Visit {
		s.fact("timer.late", field("timer", e.Name), field("asked_visit", e.Visit))
		return
	}
	delete(s.u.Timers, e.Name)
	s.fact("timer.fired", field("timer", e.Name))
	switch e.Name {
	case TimerDeadline:
		s.deadline()
	case TimerGrace:
		s.graceOver()
	case TimerNoInput:
		s.rung()
	case TimerGoodbye:
		s.end("done", field("goodbye", "not heard"))
	case TimerSoft:
		s.u.Current().Soft = true // from now on what is missing is asked for first (R000-86); nobody is interrupted for that
	case TimerGroup:
		s.capped()
	case TimerHold:
		s.holdOn()
	case TimerTask:
		s.overdue()
	case TimerBreak:
		s.breakEnds()
	}
}

// settle is how long a turn may take to arrive after the candidate's last sound: the longest wait for its end (3 s) and
// for its transcript (1.5 s), as package turn has them, and some. Meanwhile neither a limit nor silence takes the floor.
const settle = 5 * time.Second

// owed reports whether a turn of the candidate may still be on its way.
func (s *situation) owed() bool {
	f := s.u.Floor
	return f.Candidate || f.Stopped > 0 && s.u.Now < f.Stopped+ms(settle)
}

// deadline: T has passed. Whoever speaks may finish, up to the grace (R001-62); in silence the move is made at once.
func (s *step) deadline() {
	if s.u.Floor.Utterance == 0 && !s.owed() {
		s.handoff(s.u.Visit, ReasonDeadline, "timer")
		return
	}
	if s.u.Current().Overtime {
		return // the grace runs already
	}
	s.u.Current().Overtime = true
	s.clock.arm(TimerGrace, orDefault(s.stage().Limits.Grace, definition.DefaultGrace))
}

// graceOver cuts in. What the candidate was saying still comes as a turn and is kept, in the stage it began in.
func (s *step) graceOver() {
	if s.finishTelling() {
		return
	}
	f, v := &s.u.Floor, s.u.Current()
	if f.Occasion != "" && f.Audible && !f.Candidate && !v.Extended {
		v.Extended = true // these words may be those that go on to the next part
		s.clock.arm(TimerGrace, LeadGrace)
		return
	}
	if f.Candidate {
		s.out = append(s.out, TakeTurn{Reason: ReasonDeadline})
	}
	s.handoff(s.u.Visit, ReasonDeadline, "timer")
}

// listen starts, or goes on with, the silence clock. It runs only while both sides are silent and connected (R001-61).
func (s clock) listen() {
	s.stopIdle()
	st, v := s.stage(), s.u.Current()
	if s.u.Floor.Utterance != 0 || s.u.Floor.Candidate || s.u.Floor.Away || s.u.Floor.Break || s.u.Distress || s.u.Worried || v.Rung >= len(st.NoInput) || s.waiting() {
		return
	}
	left := max(0, st.NoInput[v.Rung].After.Std()-v.Idle.Duration())
	if s.owed() {
		left = max(left, (s.u.Floor.Stopped-s.u.Now).Duration()+settle)
	}
	s.arm(TimerNoInput, left)
}

// stopIdle stops the silence clock and keeps what it has counted.
func (s clock) stopIdle() {
	if t, ok := s.u.Timers[TimerNoInput]; ok {
		s.u.Current().Idle += s.u.Now - t.Armed
		s.disarm(TimerNoInput)
	}
}

// resetIdle: the candidate answered, so silence counts from the beginning again.
func (s clock) resetIdle() {
	s.stopIdle()
	v := s.u.Current()
	v.Rung, v.Idle, v.Given = 0, 0, 0
}

// leaveTime lets the silence ladder stand still for as long as somebody may think.
func (s clock) leaveTime(st *definition.Stage, v *state.StageVisit) {
	v.Idle = thinking(st)
	v.Rung, v.Given = 0, -v.Idle
}

// rung takes the next step of the no-input ladder (R001-58, R001-59).
func (s *step) rung() {
	st, v := s.stage(), s.u.Current()
	if v.Held != nil { // the noise that held it back brought neither words nor an end
		s.resume(v)
		return
	}
	if v.Choice == choiceLeftOut || v.Choice == choiceLastWord { // no answer to the offer is one
		v.Choice = ""
		s.handoff(s.u.Visit, v.Leaving, "timer")
		return
	}
	r := st.NoInput[v.Rung]
	v.Rung++
	v.Idle = ms(r.After.Std())
	do := r.Do
	if r.NearDeadline != "" && s.clock.nearDeadline(st) {
		do = r.NearDeadline
	}
	s.fact("fallback", field("kind", ReasonIdle), field("rung", v.Rung), field("do", do))
	if s.led(st) && do != definition.DoAdvance {
		must := silenceMust(r.After.Std()+v.Given.Duration(), v.Rung)
		if v.Closing && s.wordDue() {
			must = "They have no question: say the last word on how it went."
		}
		s.lead(occasionSilence+do, must)
		return
	}
	s.climb(st, v, do)
}

// climb does what a rung of the ladder says.
func (s *step) climb(st *definition.Stage, v *state.StageVisit, do string) {
	switch {
	case do == definition.DoReprompt && s.reprompt(v):
	case do != definition.DoAdvance && s.simplify(v):
	case do == definition.DoSimplify && s.hint(st, v, MoveHint):
	case do == definition.DoAdvance:
		s.handoff(s.u.Visit, ReasonIdle, "timer")
	default:
		s.clock.listen()
	}
}

// nearDeadline: a quarter of the limit, or 20 s, is left (R001-86).
func (s clock) nearDeadline(st *definition.Stage) bool {
	t, ok := s.u.Timers[TimerDeadline]
	if !ok {
		return s.hard(st) > 0
	}
	left := t.Left(s.u.Now).Duration()
	return left <= s.hard(st)/4 || left <= 20*time.Second
}

// reprompt asks the waiting question once more, gently; a question has one reprompt (R001-50).
func (s *replies) reprompt(v *state.StageVisit) bool {
	if s.repeated(v, MoveReprompt, expert.OnSilence) {
		return true
	}
	id := base(v.Prompt)
	if s.declined(v.Target) || !s.iv.Words.Has(id, prompts.Reprompt) || s.u.Ledger.Reprompts[s.reprompts(id)] > 0 || s.used(id+".reprompt") {
		return false
	}
	return s.again(v, MoveReprompt, prompts.Reprompt, id)
}

// simplify asks something easier on the same matter, once a question.
func (s *replies) simplify(v *state.StageVisit) bool {
	if s.repeated(v, MoveSimplify, expert.OnSimpler) {
		return true
	}
	id := base(v.Prompt)
	if s.declined(v.Target) || !s.iv.Words.Has(id, prompts.Simple) || s.used(id+".simple") {
		return false
	}
	return s.again(v, MoveSimplify, prompts.Simple, id)
}

// declined reports whether the candidate does not want to tell what a slot is for, or need not: with a model that leads, the question that
// waited for it may be the last one in the interviewer's own words. No form of it is asked any more (R001-54).
func (s *situation) declined(slot string) bool {
	status := s.u.Slots[slot].Status
	return status == state.SlotRefused || status == state.SlotWaived
}

// openSlot is the slot that the waiting question is for, unless it is declined.
func (s *situation) openSlot(v *state.StageVisit) string {
	if s.declined(v.Target) {
		return ""
	}
	return v.Target
}

// again puts the waiting question in another form.
func (s *replies) again(v *state.StageVisit, move Move, form prompts.Form, id string) bool {
	s.gap = v.Gap
	r := state.Reply{Move: string(move), Question: id, Slot: v.Target, Gap: v.Gap, Again: true}
	s.takePreface(&r)
	s.addForm(&r, id, form)
	s.say(r)
	return true
}
