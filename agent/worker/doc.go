// Package worker keeps a process registered with a LiveKit server as an agent worker and runs the jobs it is given.
// It speaks the server's worker protocol, reports load and job results, drains, and serves the health endpoint; what a
// job does is the business of the [Handler].
//
// # What is promised
//
// Every offered job is answered within [AnswerBudget], whatever the handler does: the server waits three seconds
// for the whole dispatch and asks nobody else after that, so a late answer is a lost interview.
//
// A job is told in this order, always: Accept, then (only if the server assigns it) Join, then Run, then the job's
// status is written to the server and its receipt confirmed, then Leave. The order of the last two matters: a server that
// sees the agent leave first records the job as failed.
//
// Jobs do not depend on the worker's connection. When it drops, jobs go on, the worker registers again and then delivers
// the results that fell due in between. An open-source server forgets the jobs of a lost connection and never sends
// them a termination, so a job must also end by what it sees in the room (removed, room closed, candidate gone).
//
// A termination ends the job even when it was caused by a rejoin of the agent under the same identity; the room code
// must therefore not rejoin on its own.
//
// # Goroutines
//
// [Worker.Run] owns and waits for all of them: one that measures load, one that keeps the connection (and a writer for
// each connection, the only one to write to and to close it), and per job one that carries it from offer to leave,
// one for the Accept callback and one that complains when a terminated job is slow to leave. Nothing grows with time:
// jobs are bounded by [Options.MaxJobs], or by 10 000, messages to the server by a queue of 64 whose senders wait until there is room or
// the connection is gone; a write that takes five seconds ends the connection. Results that wait for a connection are
// bounded like jobs, because no job arrives without one.
package worker
