// Package batch judges tables of samples, CSV or JSON Lines, with the two-stage evaluator: the same table comes out, in
// the same order, with the judgement's columns after its own. Rows are read, judged and written as a stream, so memory
// does not grow with the table; a row that cannot be judged is marked and stops nothing.
//
// Run starts one goroutine that reads and Options.Workers that judge, and waits for all of them; the caller's goroutine
// writes. At most 2·Workers+2 chunks of 64 rows are under way; a full queue makes the reader wait. The output does not
// depend on the number of workers.
package batch
