package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/state"
)

// utterance is a Say in the making.
type utterance struct {
	move     Move
	prompts  []string
	text     []string
	ask      *Ask
	slot     string
	question string // the prompt id that waits for an answer afterwards; empty = the last one added
	opening  bool
	followUp bool
	firm     bool
	last     bool
	aside    bool // it asks nothing: the question before it still waits
}

func (u *utterance) add(id, text string) {
	if id == "" || text == "" {
		return
	}
	u.prompts = append(u.prompts, id)
	u.text = append(u.text, text)
}

// say puts the utterance on the floor: it replaces whatever was there, enters the ledger and stops the silence clock.
func (s *step) say(n utterance) {
	s.stopFloor("replaced")
	s.stopIdle()
	s.u.NextID++
	v := s.u.Current()
	s.u.Floor.Utterance, s.u.Floor.Visit, s.u.Floor.Prompts = s.u.NextID, s.u.Visit, n.prompts
	s.u.Floor.Audible, s.u.Floor.Last, s.u.Floor.Opening = false, n.last, n.opening
	s.u.Floor.FollowUp, s.u.Floor.Slot, s.u.Floor.Firm = n.followUp, n.slot, n.firm || n.last
	for _, id := range n.prompts {
		s.u.Ledger.Asked[s.u.Stage] = append(s.u.Ledger.Asked[s.u.Stage], id)
		s.fact("prompt.issued", field("prompt", id), field("move", string(n.move)), field("utterance", s.u.NextID))
	}
	if !n.aside {
		v.Prompt, v.Target = n.question, n.slot
		if v.Prompt == "" && len(n.prompts) > 0 {
			v.Prompt = n.prompts[len(n.prompts)-1]
		}
	}
	if n.followUp {
		v.FollowUp++
	}
	s.count(n.slot, 1)
	s.out = append(s.out, Say{
		Utterance: s.u.NextID, Visit: s.u.Visit, Stage: s.u.Stage, Move: n.move, Prompts: slices.Clone(n.prompts),
		Text: strings.Join(n.text, " "), Ask: n.ask, Uninterruptible: n.firm || n.last, Last: n.last,
	})
}

// count notes that a slot was asked for (by is 1) or that the question was withdrawn unheard (-1).
func (s *step) count(slot string, by int) {
	if slot == "" {
		return
	}
	x := s.u.Slots[slot]
	x.Asked += by
	s.u.Slots[slot] = x
}

// stopFloor silences the agent. An utterance that nobody heard a frame of was never asked: it leaves the ledger.
func (s *step) stopFloor(reason string) {
	f := &s.u.Floor
	if f.Utterance == 0 {
		return
	}
	s.out = append(s.out, StopSpeech{Utterance: f.Utterance, Reason: reason})
	if !f.Audible {
		s.withdraw()
	}
	s.clearFloor()
}

func (s *step) withdraw() {
	f := s.u.Floor
	v := s.u.Current()
	asked := s.u.Ledger.Asked[s.u.Stage]
	for _, id := range f.Prompts {
		if i := lastIndex(asked, id); i >= 0 {
			asked = slices.Delete(asked, i, i+1)
		}
	}
	s.u.Ledger.Asked[s.u.Stage] = asked
	if f.FollowUp && v.Visit == f.Visit {
		v.FollowUp--
	}
	s.count(f.Slot, -1)
	s.fact("prompt.withdrawn", field("utterance", f.Utterance))
}

func (s *step) clearFloor() {
	f := &s.u.Floor
	f.Utterance, f.Visit, f.Prompts, f.Audible, f.Last = 0, 0, nil, false, false
	f.Opening, f.FollowUp, f.Slot, f.Firm = false, false, "", false
}

func (s *step) voiceStarted(e VoiceStarted) {
	f := &s.u.Floor
	if e.Utterance != f.Utterance || e.Utterance == 0 {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	f.Audible = true
	if f.Opening {
		s.u.Current().Opened = true
	}
}

// voiceEnded keeps what was heard, and then starts the silence clock: it counts from the end of playback (R001-61).
func (s *step) voiceEnded(e VoiceEnded) {
	s.heard(e)
	f := &s.u.Floor
	if e.Utterance != f.Utterance {
		return
	}
	last, opening := f.Last, f.Opening
	if e.Failed != "" {
		s.fact("voice.failed", field("utterance", e.Utterance), field("error", e.Failed))
	}
	if e.Degraded != "" {
		s.fact("model.degraded", field("utterance", e.Utterance), field("error", e.Degraded))
	}
	s.u.Current().Opened = s.u.Current().Opened || opening
	if !f.Audible && e.Tools > 0 && e.Heard == "" {
		s.withdraw()
		s.clearFloor()
		s.afterTools()
		return
	}
	s.clearFloor()
	if last {
		s.end("done")
		return
	}
	s.listen()
}

func (s *step) heard(e VoiceEnded) {
	if e.Heard == "" {
		return
	}
	stage := s.u.Stage
	for _, v := range s.u.Visits {
		if v.Visit == e.Visit {
			stage = v.Stage
		}
	}
	s.addTurn(state.Turn{Speaker: state.SpeakerAgent, Stage: stage, Visit: e.Visit, Text: e.Heard, Interrupted: e.Cut})
	for _, q := range questions(e.Heard) {
		s.u.Ledger.Said = append(s.u.Ledger.Said, normalise(q))
	}
}

func (s *step) addTurn(t state.Turn) {
	t.ID, t.At = uint64(len(s.u.Turns)+1), s.u.Now
	s.u.Turns = append(s.u.Turns, t)
}

func (s *step) bargeIn(e BargeIn) {
	if e.Utterance == 0 || e.Utterance != s.u.Floor.Utterance || s.u.Floor.Last {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	s.u.Current().BargeIns++
	s.fact("bargein", field("utterance", e.Utterance))
	s.stopFloor("bargein")
}

func lastIndex(list []string, x string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == x {
			return i
		}
	}
	return -1
}
