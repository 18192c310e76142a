// Package eval holds whole interviews and has them graded: a candidate played by a model or by a script, the interviewer as
// Viva holds it or as the same model holds it with a prompt of ten lines, and a judge. It says whether a talk is any good.
//
// Talks are held on a clock of their own (package simulate): however long a model takes to answer, the talk is charged what
// Pace assumes, so that no silence ladder fires because a model was slow, and a candidate's words take the time that they take to
// say. A talk runs in its caller's goroutine; several may run side by side.
package eval
