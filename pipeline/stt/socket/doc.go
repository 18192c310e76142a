// Package socket recognises speech while it is spoken, over a WebSocket: a provider describes its Dialect, New makes an
// stt.Recognizer of it. Audio goes out only between SpeechStarted and SpeechEnded; the connection is opened with the stream,
// kept alive between segments and replaced when it fails.
//
// Ordering and concurrency: a stream has three goroutines, all of which Close waits for. The worker (of stt.Segmented) alone
// writes messages; the keeper dials, greets and pings; the reader reads. One segment is on a connection at a time. When a
// segment is given up, the connection is given up with it, so that nothing said about old audio can be taken for new.
//
// Queues: the audio of a segment waits in stt.Segmented's queue (Limits.Segment.Backlog) while the connection is made or slow;
// when that is full the newest audio is dropped and the segment fails. What comes in is not queued: only the newest state of
// the segment is kept.
package socket
