package session

import (
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// frame is what a line of a journal needs beside the event, in bytes.
const frame = 256

// encode turns an event into the next entry of the journal. One that is longer than a journal takes never ends the interview:
// an answer is replaced by its failure, and what nobody waits for is left out; then the event is nil.
func (s *Session) encode(at state.Millis, ev engine.Event) (engine.Event, state.Entry, error) {
	ev = s.o.Interview.Shorten(s.u, ev)
	entry, err := engine.Encode(s.seq+1, at, ev)
	if err != nil || len(entry.Data)+frame <= state.MaxEntry {
		return ev, entry, err
	}
	s.note("event.too_long", engine.Field{Key: "event", Value: engine.Name(ev)}, engine.Field{Key: "bytes", Value: len(entry.Data)})
	if ev = failing(ev); ev == nil {
		return nil, entry, nil
	}
	entry, err = engine.Encode(s.seq+1, at, ev)
	return ev, entry, err
}

// failing is the event that says that an answer is of no use; nil for an event that answers nothing.
func failing(ev engine.Event) engine.Event {
	const why = "the answer is too long to be kept"
	switch e := ev.(type) {
	case engine.TaskDone:
		return engine.TaskDone{Task: e.Task, Visit: e.Visit, Failed: why}
	case engine.Judged:
		return engine.Judged{Item: e.Item}
	case engine.Read:
		return nil // it is void
	}
	return nil
}
