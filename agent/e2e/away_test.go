package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"github.com/vivavoice/viva/agent/room"
)

// TestCandidateComesBack: whoever drops out within the grace finds the interview where it was: the same stage, a word of
// welcome, no second bridge (R001-64, RX-18). Whoever leaves on purpose ends it.
func TestCandidateComesBack(t *testing.T) {
	t.Parallel()
	o := open(t, plan{})
	g := enter(t, visit{})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.types(introduction)
	g.awaitWords("past experience")
	g.awaitAttribute("lk.agent.state", "listening")
	dropOut(t, g)
	o.await("candidate.away", nil)

	g = enter(t, visit{})
	o.await("candidate.back", nil)
	g.awaitWords("welcome back")
	g.awaitAttribute("viva.stage", "PAST_EXPERIENCE")
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	if g.said("past experience") > 0 {
		t.Errorf("the bridge was spoken again: %+v", g.transcripts(false))
	}

	g.leave()
	end := o.jobEnded(roomName(t))
	if end.text("result") != "success" {
		t.Errorf("the job ended with %v", end.Fields)
	}
	r := o.record(roomName(t), "two_stage")
	if got, want := r.stages(), []string{"SELF_INTRO", "PAST_EXPERIENCE"}; !slices.Equal(got, want) || r.user.Ended != "candidate_left" {
		t.Errorf("stages %q to %q, want %q to candidate_left", got, r.user.Ended, want)
	}
}

// TestCandidateStaysAway: a grace that passes ends the interview; nobody talks to an empty room.
func TestCandidateStaysAway(t *testing.T) {
	t.Parallel()
	o := open(t, plan{grace: 2 * time.Second})
	g := enter(t, visit{})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	dropOut(t, g)
	away := o.await("candidate.away", nil)
	end := o.await("session.end", map[string]any{"reason": "candidate_left"})
	if waited := end.At.Sub(away.At); waited < 1900*time.Millisecond {
		t.Errorf("given up after %v, the grace is 2 s", waited)
	}
	if result := o.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
}

// dropOut takes the candidate out of the room as a broken connection does: not by the candidate's wish.
func dropOut(t *testing.T, g *guest) {
	t.Helper()
	_, err := lksdk.NewRoomServiceClient(server.URL(), apiKey, apiSecret).RemoveParticipant(t.Context(),
		&livekit.RoomParticipantIdentity{Room: roomName(t), Identity: g.Identity()})
	if err != nil {
		t.Fatal(err)
	}
	await(g, "disconnection", func(room.Disconnected) bool { return true })
	g.leave()
}
