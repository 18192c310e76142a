// Package composite judges by several evaluators at once: its score is the weighted mean of what they say. Which ones, and
// with which weights, is a file. What an evaluator could not assess is excluded and named, never averaged in as a zero.
//
// Everything here is pure and may be shared between goroutines.
package composite
