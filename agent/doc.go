// Package agent joins the parts of a running interviewer: a job from the worker, a seat in a room, ears and a voice, and
// a session that decides. It holds no decision of its own about the interview.
//
// Ownership: Interviewer is shared by all jobs and read-only once made. Each job's attendance owns its room, listener,
// gate and session; Run ends the session before it returns, Leave closes the rest in reverse order.
package agent
