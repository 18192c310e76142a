package e2e

import (
	"testing"
	"time"
)

// TestDrain is a rolling update: the old worker finishes its interview and takes no other, the new one gets what comes.
func TestDrain(t *testing.T) {
	t.Parallel()
	before := open(t, plan{})
	g := enter(t, visit{})
	before.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)

	after := open(t, plan{})
	drained := make(chan error, 1)
	go func() { drained <- before.worker.Drain(t.Context()) }()
	before.await("worker.draining", nil)
	second := enter(t, visit{room: roomName(t) + "-2", identity: "candidate-2"})
	after.dispatch(roomName(t)+"-2", twoStage)
	second.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	if n := len(before.facts("job.started")); n != 1 {
		t.Errorf("the worker that drains started %d jobs, want only the one before", n)
	}
	select {
	case err := <-drained:
		t.Fatalf("the drain ended with %v while an interview was on", err)
	default:
	}

	g.types(introduction)
	g.awaitAttribute("viva.stage", "PAST_EXPERIENCE") // it goes on as if nothing were
	g.types("Goodbye")
	g.awaitAgentLeft()
	select {
	case err := <-drained:
		if err != nil {
			t.Errorf("drain: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the drain does not end")
	}
	before.waitEnded()
	if result := before.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	second.leave()
}
