// Package tts is the seam between a voice session and the engines that speak. It holds the Synthesizer interface, a guard
// that limits and retries one engine (Limited), and a chain of engines (Fallback).
//
// Concurrency: a Synthesizer is safe for concurrent use; an Audio belongs to one goroutine, except that cancelling the
// context given to Synthesize ends a Read in progress at once.
package tts

import "context"

// Request asks for one piece of text to be spoken.
type Request struct {
	Text string
	// Voice is the engine's name of a voice; empty or unknown to the engine means its default.
	Voice string
	// Language is a BCP 47 tag; empty means the engine's default.
	Language string
	// Speed is the rate of speech: 1 is normal, 2 twice as fast; 0 means the default.
	Speed float64
	// Fixed says that the text is the same in every interview, so that its sound may be kept beyond this one. A text that
	// holds anything of a candidate, such as a name, is not fixed. Engines that keep nothing ignore it.
	Fixed bool
}

// Audio is speech on its way: 16-bit mono samples at the engine's own rate.
type Audio interface {
	// Rate is the sample rate in Hz, fixed for the life of the Audio.
	Rate() int
	// Read fills pcm with the next samples and returns how many. It waits for at least one sample, returns io.EOF after
	// the last one, and a *fault.Error when the speech broke off. It never returns 0 with a nil error unless pcm is empty,
	// and does not keep pcm.
	Read(pcm []int16) (int, error)
	// Close stops the synthesis and releases what it holds; it is idempotent. The caller always closes, also after
	// io.EOF.
	Close() error
}

// Synthesizer is a text-to-speech engine.
type Synthesizer interface {
	// Synthesize starts speaking. It may return before the first sample exists. Cancelling ctx stops it at once.
	Synthesize(ctx context.Context, r Request) (Audio, error)
}
