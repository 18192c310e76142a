package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// resumed goes on with an interview whose worker died (RX-18, R002-59): this process has the state, and nothing of what
// was under way. The gap counts as an absence of the candidate does: no limit ran. What others were asked is asked again,
// and then the candidate is answered, or asked what waited for an answer; no bridge and no opening comes twice.
func (s *step) resumed(e Resumed) {
	v := s.u.Current()
	if v == nil {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	s.makeMaps()
	now, asked := s.u.Now, s.waitingQuestion()
	s.u.Now = s.clock.lastSign(e.Gap)
	s.fact("session.resumed", field("gap", (now-s.u.Now).Duration()))
	s.u.Floor.Candidate, v.Stepping = false, false // whoever spoke on was heard by nobody
	final := s.stage().Final
	if !s.u.Floor.Away && !final {
		s.standStill("resumed")
	}
	s.u.Now = now
	s.publish(s.stage())
	s.askAgain()
	if final {
		s.farewell(v)
		return
	}
	s.clock.wake()
	s.pickUp(v, asked)
}

// makeMaps: a state that was kept as JSON has none where they were empty.
func (s *step) makeMaps() {
	if s.u.Timers == nil {
		s.u.Timers = make(map[string]state.Timer)
	}
	if s.u.Slots == nil {
		s.u.Slots = make(map[string]state.Slot)
	}
	if s.u.Vars == nil {
		s.u.Vars = make(map[string]string)
	}
	if s.u.Ledger.Asked == nil {
		s.u.Ledger.Asked = make(map[string][]string)
	}
	if s.u.Ledger.Reprompts == nil {
		s.u.Ledger.Reprompts = make(map[string]int)
	}
	if s.u.Floor.Away && s.u.Floor.Paused == nil {
		s.u.Floor.Paused = make(map[string]state.Millis)
	}
}

// lastSign is when the worker that died was last alive, as far as the state tells: gap ago, but not before anything that
// is in the books.
func (s clock) lastSign(gap state.Millis) state.Millis {
	last := max(s.u.Now-max(gap, 0), s.u.StageStart, s.u.LastActivity, s.u.Current().AwaySince, s.u.Floor.Stopped)
	for _, t := range s.u.Timers {
		last = max(last, t.Armed)
	}
	return min(last, s.u.Now)
}

// askAgain asks others once more what they have not answered: the provider, and the judges beside the talk. Whom the next
// words wait for is asked when the turn is decided on anew.
func (s *step) askAgain() {
	for _, t := range s.loads() {
		s.runs.cancel(t, "resumed")
		s.runs.inquire(t.Kind, t.Subject)
	}
	s.runs.reportAgain()
	s.judgements.sendAgain()
	if s.u.Recording != "" {
		s.out = append(s.out, Record{On: true, Consent: s.u.Recording})
	}
}

// farewell: the goodbye was heard, at least in part, and it is over; or it is said now.
func (s *step) farewell(v *state.StageVisit) {
	if v.Opened {
		s.end("done", field("goodbye", "worker lost"))
		return
	}
	s.stopFloor("resumed")
	s.open(s.stage(), s.entered())
}

// pickUp answers what the candidate said last, or says what nobody has heard yet, or asks what waits for an answer.
func (s *step) pickUp(v *state.StageVisit, asked string) {
	st := s.stage()
	switch {
	case v.Owed && v.Opened:
		if !s.led(st) { // a model's words would take the place of these
			s.beforePrompt(s.apology())
		}
		s.decide(s.latestIntents(v))
	case v.Held != nil:
		r := *v.Held
		v.Held = nil
		s.say(s.excused(r))
	case !v.Opened:
		s.open(st, s.entered())
	case s.telling():
		s.tellReport()
	default:
		s.askOnceMore(st, v, asked)
	}
}

// apology is what is said first after the gap; empty = nothing.
func (s *words) apology() string {
	return cmp.Or(s.lines().Welcome, s.iv.Def.Recovery.Sorry)
}

// excused puts the apology before a reply that nobody has heard. Its words are the scripted ones then.
func (s *words) excused(r state.Reply) state.Reply {
	id := s.apology()
	said := func(issue string) bool { return base(issue) == id }
	if id == "" || r.Opening || slices.ContainsFunc(r.Prompts, said) {
		return r
	}
	issue, text := s.worded(id)
	if text == "" {
		return r
	}
	r.Prompts = append([]string{issue}, r.Prompts...)
	r.Text = strings.TrimSpace(text + " " + r.Text)
	return r
}

// askOnceMore asks the question that waits: as its expert puts it, in another form where there is one that was not used, or
// else as it was asked.
func (s *replies) askOnceMore(st *definition.Stage, v *state.StageVisit, asked string) {
	if s.repeated(v, MoveRephrase, expert.OnReturn, s.apology()) {
		return
	}
	id := base(v.Prompt)
	s.gap = v.Gap
	r := state.Reply{Move: string(MoveRephrase), Question: id, Slot: s.openSlot(v), Gap: v.Gap, Again: true, Wished: true}
	s.addFresh(&r, s.apology())
	if st.Responder == definition.ByExperts || !s.addOtherForm(&r, id) {
		r.Text = strings.TrimSpace(r.Text + " " + asked)
	}
	if r.Text == "" {
		s.clock.listen()
		return
	}
	s.say(r)
}

// addOtherForm puts a prompt in a form that was not used here into a reply; it reports whether there was one.
func (s *words) addOtherForm(r *state.Reply, id string) bool {
	for _, form := range []prompts.Form{prompts.Reprompt, prompts.Simple} {
		if s.iv.Words.Has(id, form) && !s.used(id+"."+string(form)) {
			s.addForm(r, id, form)
			return true
		}
	}
	return false
}

// waitingQuestion returns the words of the question that waits for an answer: from the utterance that was in the air, or
// from the last one in this visit that asked something, or from the prompt it came from. It is a single sentence, so that
// no greeting and no bridge is in it.
func (s *words) waitingQuestion() string {
	v := s.u.Current()
	if f := &s.u.Floor; f.Utterance != 0 && f.Audible && !f.Aside {
		if q := lastQuestion(f.Text); q != "" {
			return q
		}
	}
	for i := len(s.u.Turns) - 1; i >= 0 && s.u.Turns[i].Visit == v.Visit; i-- {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerAgent {
			if q := lastQuestion(t.Text); q != "" {
				return q
			}
		}
	}
	id := base(v.Prompt)
	if id == "" || !s.iv.Words.Has(id, prompts.Say) {
		return ""
	}
	all := sentences(s.render(id, prompts.Say, 0))
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// lastQuestion returns the last sentence of a text that asks something, or "".
func lastQuestion(text string) string {
	all := sentences(text)
	for i := len(all) - 1; i >= 0; i-- {
		if asks(all[i]) {
			return all[i]
		}
	}
	return ""
}
