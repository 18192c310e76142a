// Package engine decides what an interviewer does: Step folds one event into the shared UserData and answers with the
// effects to carry out. It is pure (no clock, no goroutine, no I/O), so a session can be replayed byte for byte,
// tested without sleeping, and stepped ahead on a copy.
//
// Three rules hold everywhere. Only Step changes a UserData, and it works on a copy. Every effect that comes back
// later carries the visit, the utterance or the task it belongs to; what is stale on arrival changes nothing but the
// journal. Every move has scripted words; a model may only say the same move in its own.
//
// A candidate's turn yields one move, by fixed priority: the end; what the candidate asks for; a wish to skip,
// frustration, a turn that is no answer; the stage's expert, where it has one; else a guard that ends the stage, the
// gate's judgement, a limit of turns, a hint that is due, what is missing, a follow-up. What Step cannot know (a company's
// sub-phases, a model's judgement or an expert's words) it asks for with a Run, and goes on when a TaskDone answers it, or
// time is up. An effect holds all that is needed to carry it out, whoever does. Everything that is said passes safe: secrets
// stay inside.
//
// A step is made in layers, each of which knows the ones below it only: situation tells where the interview stands and changes
// nothing, change adds the effects, words finds wordings, floor says and silences, replies are what is said within a stage, course leads
// from stage to stage, and step takes the events. What is kept beside the talk has a type of its own on the floor: clock,
// transcript, blackboard, queue, judgements, consent, slots, runs and phases. None of them speaks.
package engine
