// Package smartturn asks a Smart Turn v3 model whether a turn is over, from its sound: a listen.AudioModel. The model itself is
// an ONNX file that people fetch for themselves and that runs in a process of its own (Process); here are the features it takes
// (Extractor) and the way there and back.
//
// Why another process and not a library: ONNX Runtime would have to be linked into every worker for the few that use it, a fault
// in it would end all interviews of a worker at once, and the encoder takes some three billion multiplications a question, too
// many for plain Go within the quarter of a second that a pause allows.
//
// Ordering and concurrency: a Model and a Process are safe for concurrent use. Questions are answered one at a time; who waits
// longer than its context allows gets an error, and the turn is decided without the model.
//
// # Protocol
//
// The runner is started as `command… model-file`. It reads questions from standard input and writes answers to standard
// output, one at a time and in order; both are an uint32 that counts, and that many float32, all little-endian. A question
// holds Bins×Frames features, bin by bin; the answer holds one probability. Standard error is for people and goes to the log.
// The runner ends when its standard input does. docs/smart_turn_runner.py is one.
package smartturn
