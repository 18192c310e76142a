// Package assessment judges what was said while the interview goes on, and makes the report of it when the interview is over.
//
// Judging is silent: a session hands over what is to be judged and goes on at once. What came of it reaches the session
// through a callback, at most once, and the candidate in the report only. An item is tried again where that may help, has a
// time limit for each try, and ends in a judgement or in the reason why there is none. Judgements give way to the live
// reply of their interview, and only so many run at the same time.
//
// A report is built exactly once: when the interview is finished and every judgement is in, or when the wait for them is
// over. It is kept, sent to the candidate's page without what the page must not know, and announced to the operator's
// webhook. One is built at a time in a process, so that live interviews do not feel it.
//
// What a dead worker left, and nobody took up, is ended and reported by a Sweep. Each such interview is with one sweeper at a time,
// because the store hands it out so, and the entry that ends it fails if anybody has written meanwhile.
//
// Concurrency: a Service is shared by all interviews of a process, an Assessor belongs to one interview; both may be used by any
// goroutine. Judge and Close of an Assessor never block. Every goroutine is owned by the Service; Close waits for them.
// Sweep runs in its caller's.
package assessment
