package e2e

import (
	"strings"
	"testing"
	"time"
)

// TestRefusedJobs: a job that cannot be held is taken to tell the candidate so, by voice and in writing, and fails with the
// reason. Nobody is left alone in a silent room.
func TestRefusedJobs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, metadata, reason string }{
		{"unknown interview", `{"interview":"tea_ceremony"}`, `there is no interview "tea_ceremony": there are algorithm_coach, brief, conversation, `},
		{"malformed JSON", `{"interview":"two_stage"`, `must be JSON such as {"interview":"two_stage"`},
		{"300 kB", `{"vars":{"notes":"` + strings.Repeat("x", 300_000) + `"}}`, "at most 65536 are taken"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := open(t, plan{})
			g := enter(t, visit{})
			begun := time.Now()
			o.dispatch(roomName(t), tc.metadata)
			g.ear.awaitVoice(t, begun, 2*time.Second)
			g.awaitWords("this interview cannot be held")
			g.awaitAgentLeft()
			t.Logf("told and left after %v", time.Since(begun).Round(time.Millisecond))
			if states := g.attribute("viva.state"); len(states) == 0 || states[len(states)-1] != "refused" {
				t.Errorf("viva.state went %q, want refused", states)
			}
			end := o.jobEnded(roomName(t))
			if end.text("result") != "failed" || !strings.Contains(end.text("error"), tc.reason) {
				t.Errorf("the job ended with %v, want failed: %s", end.Fields, tc.reason)
			}
			if n := len(o.facts("job.refused")); n != 1 {
				t.Errorf("job.refused %d times in the log, want once", n)
			}
			if strings.Contains(end.text("error"), "xxx") {
				t.Error("the reason quotes the metadata")
			}
		})
	}
}

// TestMetadataOfOneMegabyte: the server itself refuses it, so no job comes and whoever dispatches learns it at once.
func TestMetadataOfOneMegabyte(t *testing.T) {
	t.Parallel()
	o := open(t, plan{})
	err := o.tryDispatch(roomName(t), `{"vars":{"notes":"`+strings.Repeat("x", 1<<20)+`"}}`)
	if err == nil || !strings.Contains(err.Error(), "metadata") {
		t.Errorf("error = %v, want one about the metadata", err)
	}
	// The worker is none the worse for it.
	g := enter(t, visit{})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 200*time.Millisecond)
	if n := len(o.facts("job.offered")); n != 1 {
		t.Errorf("%d jobs were offered, want one", n)
	}
}
