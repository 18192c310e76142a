// Package result shows what came of an eval: to programs as JSON and JUnit XML, on a terminal as lines while it runs and a table
// at its end, as a page that stands for itself, and beside an older run. All of them take their numbers from Figures.
//
// Everything but Progress is a pure function of its arguments. What was said in talks is data: nothing of it is ever markup.
package result
