// Package session holds one interview: a single goroutine takes every fact from a mailbox, journals it, lets the pure
// engine decide, and carries out the effects. Nothing else may change the interview or speak.
//
// Ordering: messages are handled in the order they were posted. An event is journalled before anything acts on it.
// A Prospect journals nothing and changes nothing: it prepares a reply on a copy of the state, whose sound is held and whose
// readings are kept back until a Turn with the same words adopts it. At most three are prepared for a turn.
//
// What the engine has to ask of companies and models is carried out by Tasks, a few at a time and never on speculation; its
// answer comes back through the mailbox, at most once, and not at all when the engine has cancelled it. A Meter counts the
// tokens of an interview: when its budget is spent, scripts and rules take over.
//
// Each utterance leaves a Trace: what was decided on its way, why, and when its parts came. Watchdogs, on a timer of the session,
// step in where voice, ears or model neither go on nor fail, so that an interview always comes to its end.
//
// Concurrency: Post and Done may be called from anywhere; all other state belongs to the goroutine of Run, and
// every goroutine that Run starts has ended when it returns. Goroutines of utterances and tasks are given the engine's effect,
// which nobody changes, and never its state.
package session
