// Package batch judges tables of samples, CSV or JSON Lines, with the two-stage evaluator: the same table comes out, in
// the same order, with the judgement's columns after its own. Rows are read, judged and written as a stream, so memory
// does not grow with the table; a row that cannot be judged is marked and stops nothing.
//
// Run reads and writes in its caller's goroutine. Between the two, Options.Workers goroutines judge 64 rows each, and Run waits
// for them. The output does not depend on the number of workers.
package batch
