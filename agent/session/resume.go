package session

import (
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Resumption is an interview that another process began, folded from its journal. The session goes on after its last entry.
type Resumption struct {
	State   *state.UserData // not changed
	Entries uint64          // in the journal so far
	Last    state.Millis    // when the last one was written, on the session's clock
	Gap     time.Duration   // how long ago that is, not negative
}

// first sets the session's clock and returns the event that it begins with: Started, or Resumed with a clock that goes on
// where the journal's stands, and with what the talk has used of models by then.
func (s *Session) first() engine.Event {
	r := s.o.Resume
	if r == nil {
		s.began = time.Now()
		return s.o.Start
	}
	gap := state.FromDuration(r.Gap)
	s.began = time.Now().Add(-(r.Last + gap).Duration())
	s.u, s.seq = r.State, r.Entries
	s.o.Meter.Add(max(0, r.State.Tokens-s.o.Meter.Used())) // it has counted what this process has used
	return engine.Resumed{Gap: gap}
}
