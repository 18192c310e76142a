// Package expert is how an interview is led by experts: each has one job, and is blind to the others. An expert is given a copy of
// everything known, the Board, and answers with a Response: words, a proposed next stage, and changes that the engine may apply. It can
// change nothing itself. The experts themselves lie with the interviews that have them, in the folders of stages/kinds.
//
// Everything here is pure: no clock, no goroutine, no network. Experts are read-only and may be shared.
package expert
