package e2e

import (
	"slices"
	"testing"
	"time"
)

// TestStallingCandidate: somebody who never says a word is moved on by silence and by time, and is told so (R001-5, R001-77,
// R001-81); the log says by which (R001-83).
func TestStallingCandidate(t *testing.T) {
	t.Parallel()
	o := open(t, plan{})
	g := enter(t, visit{})
	begun := time.Now()
	o.dispatch(roomName(t), `{"interview":"brief"}`)
	g.awaitAgentLeft()
	t.Logf("a silent candidate was through after %v", time.Since(begun).Round(time.Millisecond))
	if result := o.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	r := o.record(roomName(t), "brief")
	if got, want := r.stages(), []string{"ROLE", "STORY", "DONE"}; !slices.Equal(got, want) || r.user.Ended != "done" {
		t.Errorf("stages %q to %q, want %q to done", got, r.user.Ended, want)
	}
	checkForced(t, o, g)
	checkOneVoice(t, r)
}

// checkForced: the first stage was left for silence, the second for its deadline, and the words say that it was so.
func checkForced(t *testing.T, o *office, g *guest) {
	t.Helper()
	o.await("handoff.done", map[string]any{"stage": "ROLE", "reason": "idle", "source": "timer", "forced": true})
	o.await("handoff.done", map[string]any{"stage": "STORY", "reason": "deadline", "forced": true})
	o.await("fallback", map[string]any{"kind": "idle", "do": "reprompt"})
	o.await("fallback", map[string]any{"kind": "deadline"})
	o.await("timer.fired", map[string]any{"timer": "no_input", "stage": "ROLE"})
	o.await("timer.fired", map[string]any{"timer": "deadline", "stage": "STORY"})
	for _, words := range []string{"take your time", "what do you do", "let us move on", "any story", "our time is over", "goodbye"} {
		if n := g.said(words); n != 1 {
			t.Errorf("%q was said %d times, want once", words, n)
		}
	}
}
