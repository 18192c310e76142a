package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/agent/room"
)

// cutter is a signalling connection that can be cut.
type cutter struct {
	ln     net.Listener
	target string
	mu     sync.Mutex
	conns  []net.Conn
	tasks  sync.WaitGroup
}

func newCutter(t *testing.T, target string) *cutter {
	t.Helper()
	c := &cutter{ln: listen(t), target: strings.TrimPrefix(target, "ws://")}
	c.tasks.Go(c.accept)
	t.Cleanup(func() {
		_ = c.ln.Close()
		c.cut()
		c.tasks.Wait()
	})
	return c
}

func (c *cutter) accept() {
	for {
		in, err := c.ln.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", c.target)
		if err != nil {
			_ = in.Close()
			continue
		}
		c.mu.Lock()
		c.conns = append(c.conns, in, out)
		c.mu.Unlock()
		c.tasks.Go(func() { _, _ = io.Copy(in, out); _ = in.Close() })
		c.tasks.Go(func() { _, _ = io.Copy(out, in); _ = out.Close() })
	}
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// TestSignallingIsCut: the connection resumes, nobody seems to have left, and nothing set meanwhile is lost.
func TestSignallingIsCut(t *testing.T) {
	line := newCutter(t, server.URL())
	host := join(t, "ws://"+line.ln.Addr().String(), "host", agent, room.Options{})
	guest, microphone := joinSpeaking(t, server.URL())
	defer hum(t, microphone)()
	// Both ends look for STUN servers for 5 s when there is no internet, and put off a restart of ICE until then.
	hear(t, host, 275)
	line.cut()
	host.SetState("thinking")
	await[room.Reconnected](t, host, nil)
	await(t, guest, func(e room.ParticipantAttributes) bool { return e.Changed["lk.agent.state"] == "thinking" })
	talkOnceMore(t, host, guest)
	if n := count[room.CandidateAway](host) + count[room.CandidateGone](host); n != 0 {
		t.Errorf("the candidate was reported absent %d times", n)
	}
}

// TestServerRestarts: both sides join the new server by themselves; the interview goes on, and data channels are taken over
// on the new connections too.
func TestServerRestarts(t *testing.T) {
	first, err := devserver.Start(t.Context(), devserver.Options{APIKey: testKey, APISecret: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	host := join(t, first.URL(), "host", agent, room.Options{})
	voice, err := host.PublishVoice(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := voice.TrackSID()
	guest, microphone := joinSpeaking(t, first.URL())
	defer hum(t, microphone)()
	hear(t, host, 25)
	host.SetState("speaking")
	await(t, guest, func(e room.ParticipantAttributes) bool { return e.Changed["lk.agent.state"] == "speaking" })

	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	startAt(t, first.URL())
	await[room.Reconnected](t, host, nil)
	await[room.Reconnected](t, guest, nil)
	poll(t, "voice on the new server", func() bool { return voice.TrackSID() != before })
	hear(t, host, 25)
	talkOnceMore(t, host, guest)
	if n := count[room.CandidateGone](host); n != 0 {
		t.Error("the candidate was reported gone")
	}
}

// hear waits for so many more frames of the candidate's microphone.
func hear(t *testing.T, host guest, n int64) {
	t.Helper()
	var frames atomic.Int64
	host.OnMicrophone(func([]int16, int64) { frames.Add(1) })
	poll(t, "microphone", func() bool { return frames.Load() >= n })
}

func startAt(t *testing.T, url string) *devserver.Server {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", strings.TrimPrefix(url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := devserver.Start(t.Context(), devserver.Options{SignalPort: addr.Port, APIKey: testKey, APISecret: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// talkOnceMore shows that data passes both ways. It repeats itself, because the server drops what is sent to somebody whose
// data channel is not open yet.
func talkOnceMore(t *testing.T, host, guest guest) {
	t.Helper()
	poll(t, "text from the candidate", func() bool {
		return guest.SendText("lk.chat", "once more") == nil && count[room.Text](host) > 0
	})
	poll(t, "data from the agent", func() bool {
		return host.SendData("again", []byte("x")) == nil && count[room.Data](guest) > 0
	})
}
