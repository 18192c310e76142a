// Package expert holds those who lead an algorithm interview: one expert per part of it, each with one job, blind to the
// others. An expert is given a copy of everything known, the Board, and answers with a Response: words, a proposed next
// stage, and changes that the engine may apply. It can change nothing itself.
//
// Everything here is pure: no clock, no goroutine, no network. Experts are read-only and may be shared.
package expert
