package main

import "testing"

// Flags that contradict each other are told at once, before anybody is dispatched.
func TestLoadTestContradictions(t *testing.T) {
	wav := recording(t)
	tests := []struct {
		name  string
		flags []string
		want  string
	}{
		{"interruptions and turns", []string{"--interruptions", "10", "--turns", "3"}, "leave --turns and --barge-ins out"},
		{"interruptions and barge-ins", []string{"--interruptions", "10", "--barge-ins", "3"}, "leave --turns and --barge-ins out"},
		{"pauses in recordings", []string{"--pauses"}, "--pauses goes with the built-in sentences"},
		{"negative interruptions", []string{"--interruptions=-1"}, "interruptions: -1 is negative"},
		{"negative time", []string{"--provider-time=-1s"}, "provider time: -1s is negative"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			setting(t, server("ws://127.0.0.1:1")...)
			viva(t, nobody(), append([]string{"loadtest", "--wav", wav}, test.flags...)...).wants(t, exitFailure, test.want)
		})
	}
}
