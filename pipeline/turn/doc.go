// Package turn decides whose turn it is: State.Decide says when the candidate has finished, Overlap.Decide what a sound during
// the agent's speech means. Both are pure: the same states give the same decisions.
//
// All positions are samples of the incoming audio at 16 kHz, and delays count from the true end of speech on that clock, so
// that slow recognition eats into a delay instead of adding to it. What the words, the melody (Prosody) and the context say is read as
// Features and fused by Weights, which package turneval learns from recordings and measures. Every decision carries its reason,
// for the trace of the turn.
package turn

import "time"

// Rate is the rate of the audio clock in Hz.
const Rate = 16000

// Samples converts a time to samples of the audio clock.
func Samples(d time.Duration) int64 { return int64(d) * Rate / int64(time.Second) }

// Duration converts samples of the audio clock to a time.
func Duration(samples int64) time.Duration { return time.Duration(samples) * time.Second / Rate }
