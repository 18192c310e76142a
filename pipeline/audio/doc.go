// Package audio moves speech between RTP and the pipeline: Opus packets become an unbroken 16 kHz sample stream with an honest clock,
// the agent's 24 kHz voice becomes Opus packets, and what lies between (resampling, levels, fades, WAV files) is here too. It knows
// neither WebRTC nor LiveKit.
//
// Everything is 16-bit mono PCM. No type here starts a goroutine, reads a clock or locks: each value belongs to one goroutine at a time.
// Slices passed in are never kept; slices to write into belong to the caller. Per-frame calls do not allocate.
package audio

import "time"

// Rates and frame sizes of the pipeline.
const (
	// InputRate is the rate, in Hz, of everything heard: decoder output, voice activity, recognisers.
	InputRate = 16000
	// VoiceRate is the rate, in Hz, of the agent's voice up to the encoder.
	VoiceRate = 24000
	// RTPRate is the rate, in Hz, of RTP timestamps for Opus, whatever is inside (RFC 7587 §4.1).
	RTPRate = 48000

	// FrameDuration is the length of a frame in both directions.
	FrameDuration = 20 * time.Millisecond
	// InputFrame is the number of samples in a frame heard.
	InputFrame = InputRate / 50
	// VoiceFrame is the number of samples in a frame of the agent's voice.
	VoiceFrame = VoiceRate / 50
)

// rtpPerInput is the number of RTP timestamp units in one sample heard.
const rtpPerInput = RTPRate / InputRate
