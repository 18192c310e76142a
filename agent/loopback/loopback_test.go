package loopback_test

import (
	"testing"

	"github.com/vivavoice/viva/agent/loopback"
)

func TestIs(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:7890": true, "127.0.0.1": true, "127.8.9.1:80": true, "[::1]:7880": true, "::1": true,
		"": false, ":80": false, "localhost.example": false, "127.0.0.1.example:80": false, "10.0.0.1": false, "0.0.0.0": false, "[::]:80": false,
	} {
		if got := loopback.Is(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
