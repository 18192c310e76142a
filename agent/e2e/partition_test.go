package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/state/store"
)

// TestPartition: the network between a worker and LiveKit is cut in the middle of an interview, and the worker still has its database.
// Another one goes on with the interview; when the network is there again, the first one says and writes nothing in it.
func TestPartition(t *testing.T) {
	t.Parallel()
	database, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "interviews.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // the workers have ended before
	link := newBadLink(t, server, weather{}, 13)
	with := plan{archive: database, equip: func(o *agent.Options) { o.Leases = database }}
	far, near := with, with
	far.server = link
	first := open(t, far)
	g := enter(t, visit{})
	first.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.types(introduction)
	g.awaitWords("past experience")
	g.awaitTurn(0)
	second := open(t, near)

	link.sever()
	severed := time.Now()
	offered := first.await("lease.offered", nil).At
	// LiveKit asks a worker that it cannot reach for its 3 s as if nothing were, and then nobody else: it may take some calls.
	eventuallyWithin(t, "another interviewer", 2*patience, func() bool { return len(second.facts("session.taken_up")) > 0 })
	since := second.facts("session.taken_up")[0].At
	g.ear.awaitVoice(t, since, 100*time.Millisecond)
	t.Logf("offered %v, heard again %v after the cut", offered.Sub(severed).Round(time.Millisecond), g.ear.since(since)[0].at.Sub(severed).Round(time.Millisecond))
	g.awaitWords("welcome back")
	g.awaitTurn(0)
	link.mend()
	g.types(answers[1])
	eventually(t, "the question about the candidate's part", func() bool { return len(g.transcripts(false)) >= 3 })
	g.awaitTurn(0)
	g.types("please stop the interview")
	if result := second.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	first.jobEnded(roomName(t))
	s := (&accident{office: second}).sessionLeft(t)
	if s.State != store.Ended {
		t.Errorf("the store has %+v", s.Session)
	}
	checkTakenUp(t, second.recordOfSession(s.ID, agent.Metadata{Interview: "two_stage"}), introduction, answers[1], "please stop the interview")
}
