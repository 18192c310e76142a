// Package calibration compares the levels that a grader gives with those that people gave to the same answers, without seeing each
// other or the grader. What it measures is agreement: between the raters, and of the grader with them.
//
// Everything here is pure but Run.Grade, which asks whoever judges. answers.jsonl is the set that comes with Viva.
package calibration
