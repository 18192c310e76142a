// Package vad tells speech from everything else in 16 kHz audio: a forward pass of the Silero model in Go, and the state machine that
// turns its probabilities into the start and the end of speech. It knows nothing of turns; that is pipeline/turn.
//
// A Model holds the weights, is read-only and may be shared by every session. A Stream and a Detector belong to one session
// and one goroutine each. None of them starts goroutines, reads a clock or allocates after construction.
//
// All positions are samples on the caller's 16 kHz clock, that of audio.Receiver.
package vad

// Sizes fixed by the model's 16 kHz branch, in samples.
const (
	// Rate is the sample rate of the model's input in Hz.
	Rate = 16000
	// Window is the number of new samples per step: 32 ms.
	Window = 512

	// contextSamples of the previous window go in front of each window.
	contextSamples = 64
)
