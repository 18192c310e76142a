package room

import (
	"sync"
	"time"

	"github.com/pion/interceptor"
)

// goodbye keeps the signalling connection open from the moment a leave is sent until the server has answered it.
//
// The SDK sends the leave and closes the connection right behind it. livekit-server, up to 1.13 at least, gives up a
// connection's messages that it has read but not yet acted on as soon as it sees the connection's end. When it sees both at
// once, the leave is lost: the participant stays for everybody else until ICE fails, some twenty seconds later, and then
// seems to have dropped out. The SDK closes its peer connections before the signalling and waits for their interceptors, so
// an interceptor can put the end off.
//
// There are two answers: the server's own leave, and that it ends the peer connections. The latter may overtake the former, and
// then the SDK does not wait any longer: a peer connection that the far end has ended is closed already.
type goodbye struct {
	limit time.Duration

	mu       sync.Mutex
	over     chan struct{} // guarded by mu; nil until the leave is being sent, closed when nobody waits any longer
	answered bool          // guarded by mu
	timer    *time.Timer   // guarded by mu; closes over unless it is stopped before
	ends     int           // guarded by mu; peer connections that have ended since the leave
}

// say is to be called before the leave is sent. Waiting is over after the limit at the latest.
func (g *goodbye) say() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over != nil {
		return
	}
	over := make(chan struct{})
	g.over, g.timer = over, time.AfterFunc(g.limit, func() { close(over) })
}

// answer is to be called when the server parts. It reports whether that is the answer to a leave.
func (g *goodbye) answer() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over == nil {
		return false
	}
	g.answerLocked()
	return true
}

func (g *goodbye) answerLocked() {
	if g.timer.Stop() {
		g.answered = true
		close(g.over)
	}
}

// wait waits for the answer to a leave, within the limit. It returns at once where none is being sent, and reports whether
// there is nothing left to wait for.
func (g *goodbye) wait() bool {
	g.mu.Lock()
	over := g.over
	g.mu.Unlock()
	if over == nil {
		return true
	}
	<-over
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answered
}

// hold is to be called at the end of each peer connection. It waits as wait does. The SDK ends one after the other, so another
// one that ends meanwhile was ended by the server.
func (g *goodbye) hold() {
	g.mu.Lock()
	if g.over != nil {
		if g.ends++; g.ends > 1 {
			g.answerLocked()
		}
	}
	g.mu.Unlock()
	g.wait()
}

// doorstop is the interceptor of a peer connection that stays open for a goodbye. It leaves all packets alone.
type doorstop struct {
	interceptor.NoOp
	bye *goodbye
}

// Close is called at the end of the peer connection's own Close.
func (d *doorstop) Close() error {
	d.bye.hold()
	return nil
}
