package workertest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

const (
	registerTimeout = 10 * time.Second
	pingInterval    = 10 * time.Second
	writeTimeout    = 5 * time.Second
)

var errDropped = errors.New("workertest: dropped on purpose")

// session is one worker's connection. run reads; anyone may write.
type session struct {
	server  *Server
	conn    *websocket.Conn
	writing sync.Mutex
	once    sync.Once
	done    chan struct{} // closed by drop

	// Guarded by server.mu.
	id       string // empty until registered
	register *livekit.RegisterWorkerRequest
	status   livekit.WorkerStatus
	load     float32
	answers  map[string]chan *livekit.AvailabilityResponse // by job id
}

func newSession(s *Server, conn *websocket.Conn) *session {
	c := &session{server: s, conn: conn, done: make(chan struct{}), answers: make(map[string]chan *livekit.AvailabilityResponse)}
	conn.SetPingHandler(c.pinged)
	return c
}

// drop ends the session without a close frame.
func (c *session) drop() {
	c.once.Do(func() {
		close(c.done)
		_ = c.conn.Close() // there is nobody to tell
	})
}

func (c *session) run() {
	defer c.drop()
	var pinger sync.WaitGroup
	pinger.Go(c.pingLoop)
	defer pinger.Wait()
	defer c.drop()
	if c.conn.SetReadDeadline(time.Now().Add(registerTimeout)) != nil {
		return
	}
	for c.thawed() {
		_, data, err := c.conn.ReadMessage()
		if err != nil {
			return
		}
		msg := &livekit.WorkerMessage{}
		if proto.Unmarshal(data, msg) != nil {
			return
		}
		c.server.record(msg)
		if !c.handle(msg) {
			return
		}
	}
}

// thawed waits while the server is frozen; false when the session is over.
func (c *session) thawed() bool {
	for {
		c.server.mu.Lock()
		frozen, changed := c.server.behaviour.Frozen, c.server.changed
		c.server.mu.Unlock()
		if !frozen {
			return true
		}
		select {
		case <-changed:
		case <-c.done:
			return false
		}
	}
}

// handle takes a message; false: the connection ends.
func (c *session) handle(msg *livekit.WorkerMessage) bool {
	if ping := msg.GetPing(); ping != nil {
		return c.send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Pong{Pong: &livekit.WorkerPong{
			LastTimestamp: ping.GetTimestamp(), Timestamp: time.Now().UnixMilli(),
		}}}) == nil
	}
	if register := msg.GetRegister(); register != nil {
		return c.workerID() == "" && c.handleRegister(register)
	}
	switch m := msg.GetMessage().(type) { // others are recorded, and nothing else: the real server ignores migrations
	case *livekit.WorkerMessage_Availability:
		c.handleAvailability(m.Availability)
	case *livekit.WorkerMessage_UpdateWorker:
		c.handleStatus(m.UpdateWorker)
	case *livekit.WorkerMessage_UpdateJob:
		c.server.updateJob(c, m.UpdateJob)
	}
	return c.workerID() != ""
}

func (c *session) handleRegister(r *livekit.RegisterWorkerRequest) bool {
	behaviour := c.server.Behaviour()
	if behaviour.IgnoreRegister {
		return true
	}
	id := c.server.newID("AW_")
	err := c.send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Register{Register: &livekit.RegisterWorkerResponse{
		WorkerId:   id,
		ServerInfo: &livekit.ServerInfo{Version: "workertest", AgentProtocol: livekit.CurrentWorkerProtocol},
	}}})
	if err != nil || behaviour.DropRegistered || c.conn.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	c.server.admit(c, id, r)
	return true
}

// admit enters a session in the books of registered workers, available and with no load. From now on it may be asked.
func (s *Server) admit(c *session, id string, r *livekit.RegisterWorkerRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.id, c.register = id, r
	s.sessions = append(slices.DeleteFunc(s.sessions, func(other *session) bool { return other == c }), c)
	s.notifyLocked()
}

func (s *Server) newID(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	return fmt.Sprintf("%s%d", prefix, s.nextID)
}

func (c *session) handleAvailability(r *livekit.AvailabilityResponse) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if answer, ok := c.answers[r.GetJobId()]; ok {
		delete(c.answers, r.GetJobId())
		answer <- r // has room: one answer per question
	}
}

func (c *session) handleStatus(u *livekit.UpdateWorkerStatus) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if u.Status != nil {
		c.status = u.GetStatus()
	}
	c.load = u.GetLoad()
}

func (c *session) workerID() string {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return c.id
}

func (c *session) send(msg *livekit.ServerMessage) error {
	data, err := proto.Marshal(msg)
	if err != nil {
		return err
	}
	return c.write(websocket.BinaryMessage, data)
}

func (c *session) write(kind int, data []byte) error {
	if c.server.Behaviour().Mute {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return c.conn.WriteMessage(kind, data)
}

func (c *session) pinged(payload string) error {
	c.server.mu.Lock()
	c.server.pings++
	mute := c.server.behaviour.Mute
	c.server.notifyLocked()
	c.server.mu.Unlock()
	if mute {
		return nil
	}
	return c.conn.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(writeTimeout))
}

func (c *session) pingLoop() {
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		if c.server.Behaviour().Mute {
			continue
		}
		if c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout)) != nil {
			c.drop()
			return
		}
	}
}
