// Package stt is the seam between a voice session and the engines that turn speech into words. It holds the Recognizer
// interface, an adapter for engines that take whole segments (Segmenter) or stream (Live), a chain of engines (Fallback), and
// a watchdog that replaces a stream which has gone dumb (Watched).
//
// Ordering: all audio of a session is written in order by one goroutine, which also marks where speech starts and ends.
// Events of one stream arrive in order of segments, one call at a time; every segment that ended gets exactly one Final or
// Failed, and no Partial of a segment follows its Final or Failed.
package stt

import "context"

// SampleRate is the rate of all audio given to a Stream, in Hz (mono, 16-bit).
const SampleRate = 16000

// PreRoll is the longest prefix a Stream keeps for SpeechStarted, in samples (500 ms).
const PreRoll = SampleRate / 2

// Options configures one Stream.
type Options struct {
	// Language is the spoken language as a BCP 47 tag ("en", "en-GB"); empty means the engine's default.
	Language string
	// Handle receives the stream's events from one goroutine at a time, in order. It must not block and must not call
	// back into the stream. It must not be nil.
	Handle func(Event)
}

// Recognizer is a speech-to-text engine. It is safe for concurrent use.
type Recognizer interface {
	// Open starts a stream. The context bounds opening and the life of the stream: cancelling it stops recognition as
	// Close does, but the caller still has to call Close.
	Open(ctx context.Context, o Options) (Stream, error)
}

// Stream takes all audio of one session in order. A segment engine recognises between SpeechStarted and SpeechEnded; a
// streaming one uses SpeechEnded as a hint to finalise. Write, SpeechStarted and SpeechEnded belong to one goroutine; Close
// may be called from any.
type Stream interface {
	// Write takes 16 kHz mono samples, any number of them. It never blocks and never keeps the slice.
	Write(frame []int16)
	// SpeechStarted says that voice activity began: prefix samples before now already belong to the segment (at most
	// PreRoll are kept). Segment numbers grow.
	SpeechStarted(segment uint64, prefix int)
	// SpeechEnded says that voice activity of the segment is over. A Final (maybe with empty text) or a Failed with
	// this segment follows, always, within the engine's limits, unless the stream is closed first.
	SpeechEnded(segment uint64)
	// Close stops the stream and waits for its goroutines. No Handle call is made after it returns. It is idempotent
	// and must not be called from Handle.
	Close() error
}

// Foresighted is a Stream that can begin to recognise before it is known that speech has ended. It belongs to the goroutine that writes.
type Foresighted interface {
	// SpeechPaused says that the segment's speech has just fallen silent: it may be over. If its end follows, no more was said, and what was
	// written until now is the whole segment. It voids the call before: speech that went on is followed by another one before its end.
	SpeechPaused(segment uint64)
}

// Paused tells a stream of a pause, if it makes anything of that.
func Paused(s Stream, segment uint64) {
	if f, ok := s.(Foresighted); ok {
		f.SpeechPaused(segment)
	}
}

// Event is something a Stream reports: Partial, Final or Failed.
type Event interface{ isEvent() }

// Partial is the text of a segment as understood so far. Each Partial replaces the one before it.
type Partial struct {
	Segment uint64
	Text    string
}

// Final is the text of a whole segment; Text is empty when nothing was understood.
type Final struct {
	Segment uint64
	Text    string
	// Confidence is between 0 and 1; 0 means the engine does not say.
	Confidence float64
}

// Failed says that a segment could not be recognised. Err is a *fault.Error where the cause is known.
type Failed struct {
	Segment uint64
	Err     error
}

func (Partial) isEvent() {}
func (Final) isEvent()   {}
func (Failed) isEvent()  {}
