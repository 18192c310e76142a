package worker

import "time"

// Waits between attempts to connect: the schedule of LiveKit's frameworks (2, 4, 6, 8, 10, 10, … s), except for a first
// one that is short but not zero, because a server may accept registrations and drop them at once.
const (
	firstRetryDelay = 500 * time.Millisecond
	retryDelayStep  = 2 * time.Second
	maxRetryDelay   = 10 * time.Second
)

// retryDelay is how long to wait after the given number of failures in a row, 1 or more. The jitter, in [0, 1), takes off
// up to half, so that workers that lost the same server do not return in step.
func retryDelay(failures int, jitter float64) time.Duration {
	delay := firstRetryDelay
	if failures > 1 {
		delay = min(time.Duration(min(failures-1, 100))*retryDelayStep, maxRetryDelay)
	}
	return delay - time.Duration(jitter*float64(delay)/2)
}
