// Package sockettest is the half of a streaming recogniser's stub that all protocols share: it serves WebSocket connections
// from a provider's script, reveals words as audio arrives, and misbehaves on request. The provider stubs are those of package deepgram and
// openaitest.
//
// A Server is safe for concurrent use. A connection's handler ends when its client goes away, or has sent nothing for a minute.
package sockettest

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// idle is how long a handler waits for a client's next message.
const idle = time.Minute

// Script is one connection's side of a protocol. Its methods are called from one goroutine.
type Script interface {
	// Open gives what is sent at once.
	Open() []string
	// Receive answers a message. What it gives as final is sent after the server's delay.
	Receive(binary bool, message []byte) Reply
}

// Reply is the answer to a message.
type Reply struct {
	Now   []string
	Final []string
	// Audio says that the message held audio.
	Audio bool
	// Close, if not 0, ends the connection with this code.
	Close int
}

// Misbehaviour is what goes wrong with a connection that was made.
type Misbehaviour uint8

// The kinds of misbehaviour.
const (
	// Silent takes everything, answers pings and says nothing, not even hello.
	Silent Misbehaviour = iota
	// Deaf greets as usual, answers pings and says nothing about audio.
	Deaf
	// HalfOpen greets as usual, and from the first audio on answers nothing, not even pings.
	HalfOpen
	// Hangup closes the connection at the first audio with Fault.Code, or breaks it when that is 0.
	Hangup
	// Garbage answers audio with what is no JSON.
	Garbage
	// Late sends final results Fault.Delay late.
	Late
)

// Fault is how connections fail.
type Fault struct {
	Do    Misbehaviour
	Code  int
	Delay time.Duration
	// Times is how many connections fail; 0 means all until Clear.
	Times int
}

// Counts are what was served so far.
type Counts struct {
	// Connections that were made, and Audio messages received.
	Connections, Audio int64
}

// Server serves connections.
type Server struct {
	// Delay is the time from the question for a final result to the result. It is not changed after the first connection.
	Delay time.Duration

	connections, audio atomic.Int64

	mu    sync.Mutex
	fault *Fault // guarded by mu
}

// Fail makes connections fail from the next one on.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = &f
}

// Clear makes new connections work again.
func (s *Server) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = nil
}

// Counts gives what was served so far.
func (s *Server) Counts() Counts {
	return Counts{Connections: s.connections.Load(), Audio: s.audio.Load()}
}

func (s *Server) take() *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fault
	if f == nil {
		return nil
	}
	taken := *f
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			s.fault = nil
		}
	}
	return &taken
}

// Serve makes a WebSocket of the request and plays the script until the client goes away.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, script Script) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	s.connections.Add(1)
	c := &connection{server: s, conn: conn, script: script, fault: s.take(), out: make(chan outgoing, 64), gone: make(chan struct{})}
	var writer sync.WaitGroup
	writer.Go(c.write)
	c.run()
	close(c.gone)
	writer.Wait()
	_ = conn.Close() // the client has gone
}

// connection is one client's. Its handler reads, its writer writes.
type connection struct {
	server *Server
	conn   *websocket.Conn
	script Script
	fault  *Fault
	out    chan outgoing
	gone   chan struct{}
}

type outgoing struct {
	text  string
	after time.Duration
}

func (c *connection) does(m Misbehaviour) bool { return c.fault != nil && c.fault.Do == m }

func (c *connection) run() {
	c.conn.SetPongHandler(nil)
	if !c.does(Silent) {
		c.send(c.script.Open(), 0)
	}
	for {
		if err := c.conn.SetReadDeadline(time.Now().Add(idle)); err != nil {
			return
		}
		kind, message, err := c.conn.ReadMessage()
		if err != nil || !c.answer(c.script.Receive(kind == websocket.BinaryMessage, message)) {
			return
		}
	}
}

// answer reports whether the connection goes on.
func (c *connection) answer(r Reply) bool {
	if r.Audio {
		c.server.audio.Add(1)
	}
	switch {
	case c.does(Silent):
		return true
	case r.Audio && c.does(Hangup):
		c.hangUp()
		return false
	case r.Audio && c.does(HalfOpen):
		c.conn.SetPingHandler(func(string) error { return nil })
		c.fault.Do = Silent
		return true
	case r.Audio && c.does(Garbage):
		c.send([]string{"<html>"}, 0)
		return true
	case c.does(Deaf) && (r.Audio || len(r.Final) > 0):
		return true
	}
	delay := c.server.Delay
	if c.does(Late) {
		delay += c.fault.Delay
	}
	c.send(r.Now, 0)
	c.send(r.Final, delay)
	if r.Close != 0 {
		c.close(r.Close)
	}
	return r.Close == 0
}

func (c *connection) hangUp() {
	if c.fault.Code != 0 {
		c.close(c.fault.Code)
	}
	_ = c.conn.Close() // in the middle of the conversation
}

// close closes as the protocol wants it: the client's own close frame is awaited, for a connection closed with unread data
// would be reset, and the code lost.
func (c *connection) close(code int) {
	limit := time.Now().Add(time.Second)
	message := websocket.FormatCloseMessage(code, "the stub closes")
	err := c.conn.WriteControl(websocket.CloseMessage, message, limit)
	if err == nil {
		err = c.conn.SetReadDeadline(limit)
	}
	for err == nil {
		_, _, err = c.conn.NextReader()
	}
}

func (c *connection) send(texts []string, after time.Duration) {
	for _, text := range texts {
		select {
		case c.out <- outgoing{text, after}:
			after = 0
		case <-time.After(idle):
			return
		}
	}
}

// write sends what is due, in order.
func (c *connection) write() {
	for {
		select {
		case o := <-c.out:
			if !c.wait(o.after) || c.conn.WriteMessage(websocket.TextMessage, []byte(o.text)) != nil {
				return
			}
		case <-c.gone:
			return
		}
	}
}

func (c *connection) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.gone:
		return false
	}
}

// perWord is how much audio a word takes in the stub's world.
const perWord = 300 * time.Millisecond

// Reveal gives the beginning of text that fits into so much audio.
func Reveal(text string, audio time.Duration) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), int(audio/perWord))], " ")
}
