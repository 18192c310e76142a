package e2e

import (
	"testing"
	"time"
)

// TestDispatchedTwice: two interviewers are sent into one room by mistake. One speaks; the other is silent, and leaves
// with the first when the interview is over (R001-2, R001-45).
func TestDispatchedTwice(t *testing.T) {
	t.Parallel()
	o := open(t, plan{})
	g := enter(t, visit{})
	asked := time.Now()
	o.dispatch(roomName(t), twoStage)
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, asked, time.Second)
	eventually(t, "the second interviewer waits", func() bool { return len(o.facts("floor.taken")) == 1 })
	g.types(introduction)
	g.awaitWords("past experience")
	g.types("please stop the interview")
	g.awaitAgentLeft()
	eventually(t, "the end of both jobs", func() bool { return len(o.facts("job.ended")) == 2 })
	if n := len(o.facts("session.end")); n != 1 {
		t.Errorf("%d interviews were held", n)
	}
	if n := g.said("hello"); n > 1 {
		t.Errorf("the candidate was greeted %d times", n)
	}
}
