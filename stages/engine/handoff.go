package engine

import (
	"cmp"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// course is the way through the stages: what opens one, what is asked in it, and what leaves it.
type course struct {
	replies
	asks  bool // the preface asks what the next stage opens with
	opens bool // the words that were heard last open what comes next
}

// handoff gives the floor to the next stage. It is the only way from one stage to another: reading, rule, deadline
// and silence all come here (R001-42), and the flag of the visit lets exactly one of them through (R001-38).
func (s *course) handoff(visit uint64, reason, source string) bool {
	v := s.u.Current()
	if v == nil || visit != s.u.Visit || s.u.HandoffDone || s.stage().Final {
		s.fact("handoff.noop", field("source", source), field("reason", reason), field("asked_visit", visit))
		return false
	}
	if !s.opens && s.mayClose(reason) {
		s.close(reason)
		s.stopFloor("handoff")
		s.lead(occasionClose, "The last part is over. React to their last words in a sentence (their question gets its answer), and ask whether they have a question for you.")
		return true
	}
	if s.offerLeftOut(reason) || s.offerLastWord(reason) {
		return true
	}
	s.u.HandoffDone = true
	if Forced(reason) {
		s.fact("fallback", field("kind", reason))
	}
	s.stopFloor("handoff")
	s.dropPending("handoff")
	s.clock.cancelTimers()
	v.Summary = s.summary()
	s.phases.closing(reason)
	s.judgements.judgeLeft(reason)
	s.leaveReport()
	s.queue.waive()
	s.phases.closeItem(v, reason)
	to := s.next(reason)
	s.leave(v, reason, source)
	s.fact("handoff.done", field("reason", reason), field("source", source), field("forced", Forced(reason)))
	s.enter(to, reason)
	return true
}

// next is where the stage on the floor leads: to the goodbye, out of a group whose time is up, to the next sub-phase, over
// the first edge whose guard holds, or to the stage that follows.
func (s *course) next(reason string) *definition.Stage {
	st, v, i := s.stage(), s.u.Current(), s.iv.Def.Index(s.u.Stage)+1
	switch {
	case reason == ReasonCandidate:
		i = len(s.iv.Def.Stages) - 1
	case s.target != nil:
		return s.target
	case v.Capped != "":
		i = s.beyond(i, v.Capped)
	case v.Item != "" && s.phases.stepItem():
		i--
	default:
		if i = s.pastHeld(s.edge(st, i)); s.putOff() >= 0 {
			i = s.putOff()
		}
	}
	return &s.iv.Def.Stages[i]
}

// edge follows the first edge whose guard holds; otherwise the way leads to stage number i.
func (s *situation) edge(st *definition.Stage, i int) int {
	intents := s.latestIntents(s.u.Current())
	for _, e := range st.Next {
		_, holds := s.guard(e.When, intents)
		if to := s.iv.Def.Index(e.To); to >= 0 && (holds || e.When.Zero()) {
			return to
		}
	}
	return i
}

func (s *floor) leave(v *state.StageVisit, reason, source string) {
	v.Return(s.u.Now)
	v.Left, v.Reason, v.Source = s.u.Now, reason, source
	v.Owed, v.Choice = false, ""
	s.fact("stage.exit", field("reason", reason), field("source", source), field("lasted", (v.Left-v.Entered).Duration()),
		field("turns", v.Turns), field("follow_ups", v.FollowUp), field("reprompts", v.Reprompts), field("barge_ins", v.BargeIns))
}

// enter opens a stage: a new visit, its deadline, and one utterance that bridges and asks the first question (R001-32).
func (s *course) enter(st *definition.Stage, reason string) {
	st = s.pastMenu(s.pastConsent(st))
	s.u.Visit++
	s.u.Stage, s.u.HandoffDone, s.u.StageStart = st.ID, false, s.u.Now
	v := state.StageVisit{Stage: st.ID, Visit: s.u.Visit, Entered: s.u.Now, Course: state.Course{Spoken: s.opens}}
	if was := s.u.Current(); was != nil && was.Unread && !s.opens {
		v.Unread, v.Input, v.InputTurns = true, was.Input, was.InputTurns
	}
	if top := st.Top(); top != st.ID {
		v.Group = top
	}
	if s.u.Floor.Away {
		v.Leave(s.u.Now)
	}
	s.u.Visits = append(s.u.Visits, v)
	s.fact("stage.enter", field("from", reason))
	s.arrive(st)
	s.clock.limits(st)
	s.publish(st)
	s.open(st, reason)
	if s.telling() {
		s.askReport()
	}
}

// open issues the opening of the stage on the floor, once it is known what the stage is about.
func (s *course) open(st *definition.Stage, reason string) {
	if s.loading() {
		return
	}
	if s.u.Current().Spoken {
		s.openedAlready(st)
		return
	}
	if s.led(st) && reason != "" && !s.asks {
		s.preface = nil
		s.leadOpening(reason)
		return
	}
	s.notice()
	v, lines := s.u.Current(), s.lines()
	r := state.Reply{Move: string(MoveOpen), Opening: true, Question: lines.Open, Last: st.Final}
	s.takePreface(&r)
	next, goesOn := s.leadOver(&r, st, reason)
	q, known := s.toldBefore(st)
	switch {
	case goesOn && !known:
		s.put(&r, next)
		r.Question = cmp.Or(next.of, next.prompt)
	case known:
		s.addFresh(&r, lines.Known)
		add(&r, variant(q.prompt, q.variant), s.render(q.prompt, prompts.Say, q.variant))
		r.Question, r.Slot = q.prompt, q.slot
	case !s.asks && lines.Known != "" && s.touched(st):
		s.addFresh(&r, lines.Known)
	case !s.asks: // an expert has asked what the stage opens with
		s.addFresh(&r, lines.Open)
	}
	if st.Final {
		s.clock.arm(TimerGoodbye, goodbyeLimit(r.Text, s.iv.Def.Voice.Speed))
	}
	if !known {
		r.Slot = cmp.Or(openingSlot(st), r.Slot)
	}
	// Over a candidate who does not stop, the opening has to be heard to its end.
	r.Firm = st.Final || v.Stepping || Forced(reason) && s.u.Floor.Candidate
	v.Stepping = false
	s.say(r)
}

// openingSlot is the slot that a stage's opening question asks for, or "".
func openingSlot(st *definition.Stage) string {
	for i := range st.Slots {
		if st.Slots[i].Opening {
			return st.Slots[i].ID
		}
	}
	return ""
}

// leadOver puts the words that lead over, with a piece of the latest answer unless the question that follows, and is returned, takes it up.
func (s *course) leadOver(r *state.Reply, st *definition.Stage, reason string) (question, bool) {
	next, goesOn := s.goesOn(reason)
	about := s.picked
	s.picked = picking{}
	if last, is := s.reacts(reason); is && !goesOn && strings.ContainsAny(s.piece(last), ",，") {
		s.picked.piece = "" // more than one thing was said
	}
	s.bridge(r, st, reason)
	s.picked = about
	return next, goesOn && !s.asks
}

// bridge puts the words that lead over from the stage before.
func (s *course) bridge(r *state.Reply, st *definition.Stage, reason string) {
	lines := s.lines()
	bridge := lines.Bridge
	if Forced(reason) && lines.Forced != "" {
		bridge = lines.Forced
	}
	if bridge != "" && reason != "" && !s.asks {
		r.Move = string(MoveBridge)
		s.addFresh(r, bridge)
	}
	if st.Final {
		r.Move = string(MoveClose)
	}
}

// toldBefore fills the slots of a stage from a turn before it that told all that the stage cannot do without, and returns the
// question for what that turn left out: what was told is not asked for again (RM-18).
func (s *course) toldBefore(st *definition.Stage) (question, bool) {
	if s.lines().Known == "" || s.revisited() {
		return question{}, false
	}
	for i := range s.u.Turns {
		t := &s.u.Turns[i]
		if t.Speaker != state.SpeakerCandidate || t.Visit == s.u.Visit || !s.tells(st, t.Text) {
			continue
		}
		s.slots.extract(st, t.Text)
		for _, slot := range st.Slots {
			if slot.Opening {
				s.slots.settle(slot.ID, state.Slot{Status: state.SlotFilled, Value: understand.Clip(strings.Join(strings.Fields(t.Text), " "), 120), By: "answer"})
			}
			if is := s.u.Slots[slot.ID]; is.Status == state.SlotFilled && is.By == "rules" {
				is.Turn = t.ID
				s.u.Slots[slot.ID] = is
			}
		}
		for _, required := range []bool{true, false} {
			if q, found := s.missing(st, required); found {
				return q, true
			}
		}
		return question{}, false
	}
	return question{}, false
}

// touched reports whether the candidate has spoken of a sub-phase before it is opened, and finds a piece of it: then it is not asked where
// to begin (RM-18). What was told before the design counts where it does not answer what they do.
func (s *course) touched(st *definition.Stage) bool {
	p, found := s.phase(), false
	if p == nil {
		return false
	}
	past := s.past()
	for i := len(s.u.Turns) - 1; i >= 0 && s.picked.piece == ""; i-- {
		t := &s.u.Turns[i]
		if t.Speaker != state.SpeakerCandidate || t.Private || !s.touches(t.Text, p) && !s.speaksOf(st, p, t.Text) {
			continue
		}
		if _, job := s.iv.Rules.Fact("role", t.Text); t.Stage != st.ID && job {
			continue
		}
		for _, sentence := range sentences(s.sayable(t.Text)) {
			about := s.touches(sentence, p) || s.speaksOf(st, p, sentence)
			if found = found || about; s.picked.piece == "" && about {
				s.picked = picking{true, s.phrases().Pick(sentence, past)}
			}
		}
	}
	return found
}

// speaksOf reports whether a text that is more than a wish or a question names what a sub-phase is about, such as the database.
func (s *course) speaksOf(st *definition.Stage, p *state.Phase, text string) bool {
	return understand.Words(text) >= leastAdded && !strings.ContainsAny(text, "?？") && s.iv.Rules.Goes(text) == "" && understand.Says(text, itemNames(st, p.ID))
}

// tells reports whether the rules find in a text all that a stage requires, and something of what else it asks for.
func (s *course) tells(st *definition.Stage, text string) bool {
	required, more := 0, 0
	for i := range st.Slots {
		slot := &st.Slots[i]
		switch _, found := s.iv.Rules.Fact(cmp.Or(slot.Find, slot.ID), text); {
		case slot.Required && !found:
			return false
		case slot.Required:
			required++
		case found:
			more++
		}
	}
	return required > 0 && more > 0
}

// part is a piece of an utterance: an issue of a prompt, and its words.
type part struct{ issue, text string }

// before puts words before whatever is said next.
func (s *words) before(issue, text string) {
	if text != "" {
		s.preface = append(s.preface, part{issue, text})
	}
}

// beforePrompt puts a prompt's next wording before whatever is said next.
func (s *words) beforePrompt(id string) {
	if id != "" {
		s.before(s.worded(id))
	}
}

func (s *words) takePreface(r *state.Reply) {
	for _, p := range s.preface {
		add(r, p.issue, p.text)
	}
	s.preface = nil
}

func (s *words) summary() string {
	id := s.lines().Summary
	if id == "" {
		return ""
	}
	return s.render(id, prompts.Say, 0)
}

func (s *change) publish(st *definition.Stage) {
	p := Publish{Stage: st.ID, Title: st.Title, Index: s.iv.Def.Index(st.ID) + 1, Left: s.hard(st), Turn: st.Turn}
	if phase := s.phase(); phase != nil {
		p.Item, p.Title = phase.ID, phase.Name
		p.Phase, p.Phases = s.u.SubPhases.Index+1, len(s.u.SubPhases.Items)
	}
	for i := range s.iv.Def.Stages {
		if !s.iv.Def.Stages[i].Final {
			p.Total++
		}
	}
	if st.Final {
		p.Index = 0
	}
	if s.reveals(p.Title) {
		p.Title = st.Title
	}
	s.out = append(s.out, p)
}
