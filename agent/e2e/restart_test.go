package e2e

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/agent/room"
)

func startServer(t *testing.T, port int) *devserver.Server {
	t.Helper()
	srv, err := devserver.Start(t.Context(), devserver.Options{SignalPort: port, APIKey: apiKey, APISecret: apiSecret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("close LiveKit server: %v", err)
		}
	})
	return srv
}

// TestServerRestarts: the interview goes on in the room that the candidate and the agent make anew, and the worker registers
// again and takes new jobs.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	first := startServer(t, 0)
	o := open(t, plan{server: first})
	g := enter(t, visit{server: first})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.awaitAttribute("viva.stage", "SELF_INTRO")

	down := time.Now()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	startServer(t, port(t, first))
	await(g, "reconnection of the candidate", func(room.Reconnected) bool { return true })
	t.Logf("the candidate was back after %v", time.Since(down).Round(time.Millisecond))
	t.Logf("the worker had registered again after %v", o.awaitRegistration(2).Sub(down).Round(time.Millisecond))

	// What is typed before the agent's data channel is open is lost, so it is typed until it counts.
	typed := time.NewTicker(2 * time.Second)
	defer typed.Stop()
	eventually(t, "stage 2 on the new server", func() bool {
		select {
		case <-typed.C:
			g.types(introduction)
		default:
		}
		stages := g.attribute("viva.stage")
		return stages[len(stages)-1] == "PAST_EXPERIENCE"
	})
	t.Logf("the interview went on after %v", time.Since(down).Round(time.Millisecond))
	g.ear.awaitVoice(t, time.Now(), 500*time.Millisecond)

	second := enter(t, visit{server: first, room: roomName(t) + "-2"})
	o.dispatch(roomName(t)+"-2", twoStage)
	second.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	second.leave()
	g.types("Goodbye")
	g.awaitAgentLeft()
	checkTrack(t, g) // of the goodbye: by now the voice has been heard on the new server
	if result := o.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
}

// checkTrack: transcripts name the track that the words are heard on, also after it was published anew.
func checkTrack(t *testing.T, g *guest) {
	t.Helper()
	said, heard := g.transcripts(false), all[room.TrackSubscribed](g)
	if len(said) == 0 || len(heard) < 2 {
		t.Fatalf("%d segments on %d tracks", len(said), len(heard))
	}
	if got, want := said[len(said)-1].Track, heard[len(heard)-1].Track.SID; got != want {
		t.Errorf("the latest words are on track %s, and track %s is heard", got, want)
	}
}

// TestServerRestartsUnderThePage: a token that asks for the agent, as the page's does, asks for it again when the room is made
// anew. There must still be one interviewer.
func TestServerRestartsUnderThePage(t *testing.T) {
	t.Parallel()
	first := startServer(t, 0)
	o := open(t, plan{server: first})
	g := enter(t, visit{server: first, config: &livekit.RoomConfiguration{
		Agents: []*livekit.RoomAgentDispatch{{AgentName: o.name, Metadata: twoStage}},
	}})
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	startServer(t, port(t, first))
	await(g, "reconnection of the candidate", func(room.Reconnected) bool { return true })
	o.awaitRegistration(2)
	g.ear.awaitVoice(t, time.Now(), 2*time.Second)
	if agents := slices.Compact(g.agents()); len(agents) != 1 || len(o.facts("job.started")) != 1 {
		t.Errorf("agents %q after %d jobs, want one", agents, len(o.facts("job.started")))
	}
	g.leave()
	o.jobEnded(roomName(t))
}

func port(t *testing.T, srv *devserver.Server) int {
	t.Helper()
	_, text, err := net.SplitHostPort(strings.TrimPrefix(srv.URL(), "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return number
}
