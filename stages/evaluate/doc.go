// Package evaluate judges what a candidate said: by rules (which criteria do the words cover), and by a model against
// anchored levels. A model only reads levels and quotes; scores, means and decisions are computed here, so that words
// which instruct the judge decide nothing.
//
// Everything here is pure: no clock, no goroutine, no network. Evaluators and judges may be shared between goroutines.
package evaluate
