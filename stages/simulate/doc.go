// Package simulate holds whole interviews in virtual time, without sound: a discrete-event loop around engine.Step plays
// the voice, the timers, the model, the provider and a candidate of a chosen manner. The same options give the same
// interview, event by event; after every event the invariants that every interview has to keep are checked.
//
// Nothing here sleeps, starts a goroutine, reads a clock or opens a connection, so that runs may go side by side.
package simulate
