package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// transcript is what was said by both sides.
type transcript struct{ *change }

// floor is who speaks, what is being said, and the books that are kept of it.
type floor struct {
	words
	clock      clock
	transcript transcript
	blackboard blackboard
	queue      queue
	judgements judgements
	consent    consent
	slots      slots
	runs       runs
	phases     phases
}

// add puts a prompt's words behind what the reply says already.
func add(r *state.Reply, id, text string) {
	if id == "" || text == "" {
		return
	}
	r.Prompts = append(r.Prompts, id)
	r.Text = strings.TrimSpace(r.Text + " " + text)
}

// say puts a reply on the floor: it replaces whatever was there, enters the ledger and stops the silence clock. While
// the candidate speaks, or is away, it is held back instead, unless it is firm.
func (s *floor) say(r state.Reply) {
	if r.Text = s.safe(r.Text); r.Text == "" && r.Occasion == "" {
		r.Text = s.instead("")
	}
	if r = s.unrepeated(r); r.Text == "" && r.Occasion == "" {
		s.clock.listen()
		return
	}
	s.stopFloor("replaced")
	s.clock.stopIdle()
	v := s.u.Current()
	r.Firm = r.Firm || slices.ContainsFunc(r.Prompts, s.firm)
	switch {
	case s.u.Floor.Away && r.Last:
		s.end("done", field("goodbye", "candidate away"))
		return
	case s.u.Floor.Away || s.u.Floor.Candidate && !r.Firm:
		v.Held = &r
		s.fact("reply.held", field("move", r.Move))
		return
	}
	s.u.NextID++
	r.CutIn = false
	f := &s.u.Floor
	f.Utterance, f.Visit, f.Reply, f.Audible = s.u.NextID, s.u.Visit, r, false
	f.WasPrompt, f.WasSlot, f.WasGap = v.Prompt, v.Target, v.Gap
	s.issue(v, r)
	s.out = append(s.out, s.utterance(f))
}

// utterance describes the reply on the floor to the session. It shares no memory with the state.
func (s *situation) utterance(f *state.Floor) Say {
	say := Say{
		Utterance: f.Utterance, Visit: f.Visit, Stage: s.u.Stage, Move: Move(f.Move), Prompts: slices.Clone(f.Prompts),
		Text: f.Text, Uninterruptible: f.Firm, Last: f.Last, Voice: Voice{plain: s.iv.Def.Voice}, Turn: s.stage().Turn,
	}
	if p := s.iv.Persona(s.u); p != nil {
		say.Persona, say.Voice.persona = p.ID, p
	}
	if f.Occasion != "" {
		say.Lead = &Lead{Must: f.Must, reply: f.Reply}
	}
	return say
}

// seal completes what is to be said, now that all that the event changes is known: what a model is told, and the kind of answer
// that the question which waits then earns.
func (s *change) seal() {
	for i, e := range s.out {
		say, is := e.(Say)
		if !is {
			continue
		}
		if say.Lead != nil {
			say.Lead.iv, say.Lead.u = s.began, s.u
		}
		say.Expects = s.expects(say.Text)
		s.out[i] = say
	}
}

// issue enters a reply in the books; withdraw takes it out again.
func (s *floor) issue(v *state.StageVisit, r state.Reply) {
	for _, id := range r.Prompts {
		s.u.Ledger.Asked[s.scope()] = append(s.u.Ledger.Asked[s.scope()], id)
		s.fact("prompt.issued", field("prompt", id), field("move", r.Move), field("utterance", s.u.NextID))
	}
	if slices.ContainsFunc(r.Prompts, s.filler) {
		s.u.Ledger.Filled = s.utterances() + 1
	}
	if !r.Aside {
		v.Prompt, v.Target, v.Gap = r.Question, r.Slot, r.Gap
	}
	s.count(v, r, 1)
}

// withdraw: an utterance that nobody heard a frame of was never asked. The question before it is the one that waits.
func (s *floor) withdraw() {
	f, v := &s.u.Floor, s.u.Current()
	asked := s.u.Ledger.Asked[s.scope()]
	for _, id := range f.Prompts {
		if i := lastIndex(asked, id); i >= 0 {
			asked = slices.Delete(slices.Clone(asked), i, i+1) // the list is shared with the state before
		}
	}
	s.u.Ledger.Asked[s.scope()] = asked
	v.Prompt, v.Target, v.Gap = f.WasPrompt, f.WasSlot, f.WasGap
	s.count(v, f.Reply, -1)
	s.fact("prompt.withdrawn", field("utterance", f.Utterance))
}

// count notes what a reply asks for (by is 1), or that it was withdrawn (-1).
func (s *floor) count(v *state.StageVisit, r state.Reply, by int) {
	if r.FollowUp {
		v.FollowUp += by
	}
	if Move(r.Move) == MoveReprompt {
		v.Reprompts += by
		s.u.Ledger.Reprompts[s.reprompts(r.Question)] += by
	}
	if r.Hint {
		v.HintLevel += by
	}
	if r.Queued != 0 {
		s.queue.queued(r.Queued, by > 0)
	}
	if r.Slot != "" && !r.Again {
		x := s.u.Slots[r.Slot]
		x.Asked += by
		s.u.Slots[r.Slot] = x
	}
}

// stopFloor silences the agent.
func (s *floor) stopFloor(reason string) {
	f := &s.u.Floor
	if f.Utterance == 0 {
		return
	}
	s.out = append(s.out, StopSpeech{Utterance: f.Utterance, Reason: reason, Withdrawn: !f.Audible})
	switch {
	case !f.Audible:
		s.withdraw()
	case f.Hint:
		f.CutHint = state.CutHint{Utterance: f.Utterance, Words: understand.Words(told(f.Text)), Before: f.Before}
	}
	s.clearFloor()
}

// told is a text without the question at its end, if something stands before that.
func told(text string) string {
	if before, found := strings.CutSuffix(strings.TrimSpace(text), lastQuestion(text)); found && strings.TrimSpace(before) != "" {
		return before
	}
	return text
}

// hintCut takes a hint back of which less than half was heard before it was cut off: it was not given, and may come again.
func (s *floor) hintCut(e VoiceEnded) {
	cut := s.u.Floor.CutHint
	if cut.Utterance == 0 || cut.Utterance != e.Utterance {
		return
	}
	s.u.Floor.CutHint = state.CutHint{}
	at := slices.IndexFunc(s.u.Visits, func(v state.StageVisit) bool { return v.Visit == e.Visit })
	if at < 0 || 2*(understand.Words(e.Heard)-cut.Before) >= cut.Words-cut.Before {
		return
	}
	s.u.Visits[at].HintLevel--
	s.fact("hint.unheard", field("utterance", e.Utterance))
}

// hold stops the utterance on the floor, and keeps it for later if nobody has heard a frame of it.
func (s *floor) hold(reason string) {
	f := s.u.Floor
	s.stopFloor(reason)
	if f.Utterance != 0 && !f.Audible && Move(f.Move) != MoveHold {
		s.u.Current().Held = &f.Reply
	}
}

func (s *floor) clearFloor() {
	f := &s.u.Floor
	if f.Audible && !f.Aside {
		s.judgements.sendHeld() // whatever is said now answers something else
	}
	if f.Audible && f.Over == nil {
		f.Over = &state.Over{Reply: f.Reply, Prompt: f.WasPrompt, Slot: f.WasSlot, Gap: f.WasGap}
	}
	f.Utterance, f.Visit, f.Reply, f.Audible, f.Began = 0, 0, state.Reply{}, false, 0
	f.WasPrompt, f.WasSlot, f.WasGap = "", "", ""
}

func (s *floor) voiceStarted(e VoiceStarted) {
	f := &s.u.Floor
	if e.Utterance != f.Utterance || e.Utterance == 0 {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	f.Audible, f.Began = true, s.u.Now
	v := s.u.Current()
	v.Opened = v.Opened || f.Opening
	v.Thinking = v.Thinking && v.Prompt == f.WasPrompt // a new question may be thought about again
}

// voiceEnded keeps what was heard, and then starts the silence clock: it counts from the end of playback (R001-61).
func (s *step) voiceEnded(e VoiceEnded) {
	s.u.Tokens = max(s.u.Tokens, e.Tokens)
	s.transcript.heard(e)
	s.hintCut(e)
	f := &s.u.Floor
	if e.Utterance != f.Utterance || e.Utterance == 0 {
		return
	}
	last, opening := f.Last, f.Opening
	s.noteTroubles(&e)
	s.u.Current().Opened = s.u.Current().Opened || opening
	reply, audible, deaf := f.Reply, f.Audible, !f.Audible && e.Heard == ""
	if reply.Occasion != "" && deaf {
		s.withdraw()
	}
	s.clearFloor()
	switch {
	case reply.Occasion != "" && deaf:
		s.missed(reply, cmp.Or(e.Failed, e.Degraded, "it said nothing"))
	case reply.Occasion != "" && (audible || e.Failed != ""): // what could not be voiced was read
		s.ledHeard(reply, e)
	default:
		s.wentSilent(last)
	}
}

// noteTroubles logs why an utterance was not as it should have been.
func (s *change) noteTroubles(e *VoiceEnded) {
	if e.Failed != "" {
		s.fact("voice.failed", field("utterance", e.Utterance), field("error", e.Failed))
	}
	if e.Degraded != "" {
		s.fact("model.degraded", field("utterance", e.Utterance), field("error", e.Degraded))
	}
}

// wentSilent goes on after an utterance; last says that it was the goodbye.
func (s *step) wentSilent(last bool) {
	switch {
	case last:
		s.end("done")
	case s.telling():
		s.tellReport()
	case s.settleHeld():
	default:
		s.clock.listen()
	}
}

func (s transcript) heard(e VoiceEnded) {
	if e.Heard == "" {
		return
	}
	e.Heard = strings.ToValidUTF8(e.Heard, "\uFFFD")
	stage := s.u.Stage
	for _, v := range s.u.Visits {
		if v.Visit == e.Visit {
			stage = v.Stage
		}
	}
	withdrawn := e.Utterance == s.u.Floor.Withdrawn
	s.addTurn(state.Turn{Speaker: state.SpeakerAgent, Stage: stage, Visit: e.Visit, Text: e.Heard, Interrupted: e.Cut, Aside: withdrawn})
	if !withdrawn {
		s.keepHeard(e.Heard)
	}
}

func (s transcript) addTurn(t state.Turn) {
	t.ID, t.At = uint64(len(s.u.Turns)+1), s.u.Now
	s.u.Turns = append(s.u.Turns, t)
}

// bargeIn: the candidate has taken the floor. What was cut counts as asked (R001-48), unless it had hardly begun.
func (s *floor) bargeIn(e BargeIn) {
	f := &s.u.Floor
	if e.Utterance == 0 || e.Utterance != f.Utterance || f.Firm {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	if s.cutIn(e) {
		s.takeBackVoice()
		return
	}
	s.u.Current().BargeIns++
	s.fact("bargein", field("utterance", e.Utterance))
	s.hold("bargein")
	s.clock.listen()
}

func lastIndex(list []string, x string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == x {
			return i
		}
	}
	return -1
}
