//go:build !devserver

package main

import "testing"

// A binary without the server says what to do instead.
func TestDevWithoutServer(t *testing.T) {
	setting(t)
	viva(t, nobody(), "dev", "--health-address", "127.0.0.1:0").wants(t, exitFailure, "set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET", "make run")
}
