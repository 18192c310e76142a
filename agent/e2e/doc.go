// Package e2e holds the tests of whole interviews: a real LiveKit server, a real worker with the shipped interviews, and
// candidates who speak, type, fall silent, interrupt and disappear. They live apart because they link the server, which takes
// long to build and leaves goroutines behind.
//
// The tests share one server, except where it has to die; every test has a worker, an agent name and rooms of its own. Nothing
// is asserted about how fast anything is beyond what a person would call broken: what the tests wait for, they poll for.
//
// Environment: VIVA_ARTIFACTS names a folder for screenshots and for what the candidate heard; VIVA_E2E_LOG=1 prints the
// workers' logs.
package e2e
