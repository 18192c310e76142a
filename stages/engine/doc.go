// Package engine decides what an interviewer does: Step folds one event into the shared UserData and answers with the
// effects to carry out. It is pure (no clock, no goroutine, no I/O), so a session can be replayed byte for byte,
// tested without sleeping, and stepped ahead on a copy.
//
// Three rules hold everywhere. Only Step changes a UserData, and it works on a copy. Every effect that comes back
// later carries the visit or the utterance it belongs to; what is stale on arrival changes nothing but the journal.
// Every move has scripted words; a model may only say the same move in its own.
package engine
