package engine

import (
	"slices"
	"time"

	"github.com/vivavoice/viva/state"
)

// cutInWithin is how soon after our voice began words of the candidate say that their turn had not been over.
const cutInWithin = time.Second

// cutIn reports whether the candidate goes on with the turn that the utterance answers: it was us who cut in.
func (s *floor) cutIn(e BargeIn) bool {
	f, n := &s.u.Floor, len(s.u.Turns)
	if !f.Audible || f.Last || e.Onset == 0 || e.Onset > f.Began+ms(cutInWithin) || n == 0 {
		return false
	}
	last := &s.u.Turns[n-1]
	return last.Speaker == state.SpeakerCandidate && !last.Typed && f.Occasion != occasionClose
}

// takeBackVoice withdraws what cut in on the candidate: nothing of it was said. It waits, and comes again if no words follow; else the
// turn goes on with them, as if nobody had answered the first half.
func (s *floor) takeBackVoice() {
	f, v := &s.u.Floor, s.u.Current()
	s.fact("cutin", field("utterance", f.Utterance))
	f.Withdrawn, f.CutIn, f.Audible = f.Utterance, true, false
	v.Opened = v.Opened && !f.Opening
	if f.Occasion != "" {
		s.unread(v)
	}
	r := f.Reply
	s.hold("cutin")
	if !r.Aside && s.declined(v.Target) {
		v.Prompt, v.Target, v.Gap = r.Question, r.Slot, r.Gap // what they would not say does not wait again
	}
	s.clock.listen()
}

// unread forgets what a reading took the latest turn for, so that all of it is read together.
func (s *floor) unread(v *state.StageVisit) {
	if v.Unread || len(v.InputTurns) == 0 {
		return
	}
	v.Unread = true
	first := slices.IndexFunc(s.u.Turns, func(t state.Turn) bool { return t.ID == v.InputTurns[0] })
	if first < 0 || s.u.Turns[first].Aside {
		return // it counted for nothing
	}
	v.Turns = max(0, v.Turns-1)
	v.NumberedTurns = slices.DeleteFunc(slices.Clone(v.NumberedTurns), func(id uint64) bool { return slices.Contains(v.InputTurns, id) })
}

// resumes reports whether words belong to the visit before this one: they go on with the turn that led here, and the words that open this
// one were withdrawn for them.
func (s *situation) resumes(v *state.StageVisit) bool {
	return v.Visit == s.u.Visit && v.Held != nil && v.Held.CutIn && v.Held.Opening && v.Input == "" && !v.Opened
}
