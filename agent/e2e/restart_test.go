package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/state/store"
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
	port := freePort(t)
	first := startServer(t, port)
	o := open(t, plan{server: first})
	g := enter(t, visit{server: first})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.awaitAttribute("viva.stage", "SELF_INTRO")

	down := time.Now()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	startServer(t, port)
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

// serverVar makes this test binary a LiveKit server: its value is the port.
const serverVar = "VIVA_E2E_SERVER_PORT"

// serve is the process that TestServerIsKilled kills.
func serve() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // should nobody kill it
	defer cancel()
	number, err := strconv.Atoi(os.Getenv(serverVar))
	if err != nil {
		return err
	}
	srv, err := devserver.Start(ctx, devserver.Options{SignalPort: number, APIKey: apiKey, APISecret: apiSecret, Logger: printed()})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return srv.Close()
}

// machine is a LiveKit server that is a process of its own.
type machine struct {
	t    *testing.T
	port int
	*process
}

func (m *machine) URL() string { return "ws://127.0.0.1:" + strconv.Itoa(m.port) }

func (m *machine) start() {
	m.t.Helper()
	m.process = launch(m.t, serverVar+"="+strconv.Itoa(m.port))
	eventually(m.t, "LiveKit server", func() bool { return len(m.facts("devserver.started")) > 0 })
}

const (
	outage  = 4 * time.Second  // how long a server may be away
	reunion = 10 * time.Second // what is typed sooner may find nobody in the new room
)

// TestServerIsKilled: LiveKit's process is killed at random moments of an interview, and started again on the same port a little later.
// The interview goes on to its end, as if a worker had been killed.
func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	kills, seed := max(2, number(t, killsVar)/10), number(t, seedVar)
	const each = 2
	for n := 0; n*each < kills; n++ {
		t.Run(fmt.Sprintf("seed%d-%d", seed, n), func(t *testing.T) {
			t.Parallel()
			m := &machine{t: t, port: freePort(t)}
			m.start()
			s := besiege(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))), m, filepath.Join(t.TempDir(), "interviews.db"))
			s.begin()
			s.outages(each, func() error { return m.Kill() }, m.start) // each time the process that runs
			s.hold()
			s.check()
		})
	}
}

// outages has a server killed so often, and started again a little later.
func (s *siege) outages(times int, kill func() error, start func()) {
	s.left = times
	s.wait(time.Now())
	var killed, back time.Time // back: when it is started again; zero: it is there
	s.strike = func() bool {
		switch now := time.Now(); {
		case now.Before(s.due):
			return false
		case back.IsZero():
			if err := kill(); err != nil {
				s.t.Fatal(err)
			}
			killed, back = now, now.Add(time.Duration(s.random.Int64N(int64(outage))))
			s.due = back
			return false
		}
		start()
		s.t.Logf("away in %s for %v", s.guest.latest("viva.stage"), time.Since(killed).Round(time.Millisecond))
		back, s.back = time.Time{}, time.Now()
		s.wait(time.Now().Add(2 * time.Second))
		return true
	}
}

// freePort is a port for a server that is to be away for a while. It is below those that systems give to clients: one that tries to reach
// the server again and again would in the end be given its port, and be connected to itself.
func freePort(t *testing.T) int {
	t.Helper()
	const lowest, ports = 20_000, 10_000
	for range 100 {
		port := lowest + rand.IntN(ports)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return 0
}

// TestServerRestartsUnderThePage: a token that asks for the agent, as the page's does, asks for it again when the room is made
// anew, which is when the candidate is back before the interviewer. There must still be one voice, and soon one interviewer.
func TestServerRestartsUnderThePage(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	first := startServer(t, port)
	database, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "interviews.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // the worker has ended before
	o := open(t, plan{server: first, archive: database, equip: func(o *agent.Options) { o.Leases = database }})
	g := enter(t, visit{server: first, config: &livekit.RoomConfiguration{
		Agents: []*livekit.RoomAgentDispatch{{AgentName: o.name, Metadata: twoStage}},
	}})
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	startServer(t, port)
	await(g, "reconnection of the candidate", func(room.Reconnected) bool { return true })
	o.awaitRegistration(2)
	g.ear.awaitVoice(t, time.Now(), 2*time.Second)
	if len(o.facts("job.started")) == 1 { // the interviewer was back first: the room is its own
		o.dispatch(roomName(t), twoStage)
	}
	eventually(t, "one interviewer", func() bool { return len(o.facts("job.started")) > 1 && o.underWay() == 1 })
	checkVoices(t, g)
	g.leave()
	eventually(t, "end", func() bool { return o.underWay() == 0 })
	live, err := database.LiveIn(t.Context(), roomName(t))
	if err != nil || len(live) > 1 {
		t.Errorf("the store has %d interviews in the room (%v), want one: %+v", len(live), err, live)
	}
}
