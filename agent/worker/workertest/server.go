package workertest

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// Defaults of Options.
const (
	DefaultAPIKey    = "devkey"
	DefaultAPISecret = "secret-of-at-least-32-characters"
)

// ErrClosed is returned by Dial after Close.
var ErrClosed = errors.New("workertest: server is closed")

// Options configure a Server. The zero value of a field means its default.
type Options struct {
	APIKey    string
	APISecret string
}

// Behaviour is how the server departs from what it should do. The zero value is good behaviour.
type Behaviour struct {
	// DialError fails Dial, as if the server were down.
	DialError error
	// HTTPStatus, if not zero, is the answer to upgrade requests, with HTTPBody.
	HTTPStatus int
	HTTPBody   string
	// IgnoreRegister leaves registrations unanswered.
	IgnoreRegister bool
	// DropRegistered drops connections as soon as their registration is answered.
	DropRegistered bool
	// Mute sends nothing any more, not even pongs, and goes on reading: what a worker sees of a half-open connection.
	Mute bool
	// Frozen stops reading too. The message that is being waited for is still read.
	Frozen bool
	// HoldAssignment delays assignments, without the dispatch's deadline.
	HoldAssignment time.Duration
	// RecordDelay is the time from the assignment to the entry of the job in the server's books, before which updates
	// of it are ignored. Real servers have a short one.
	RecordDelay time.Duration
}

// Received is a message from a worker.
type Received struct {
	At      time.Time
	Message *livekit.WorkerMessage
}

// Server is the fake. Make it with NewServer and Close it.
type Server struct {
	opts     Options
	upgrader websocket.Upgrader
	listener *pipeListener
	http     *http.Server
	wait     sync.WaitGroup // the http server and sessions

	mu        sync.Mutex
	closed    bool
	behaviour Behaviour
	sessions  []*session // open; those that are registered in that order
	jobs      map[string]*jobRecord
	received  []Received
	pings     int
	attempts  int
	nextID    int
	changed   chan struct{} // closed and replaced at each change of the above
}

var _ http.Handler = (*Server)(nil)

// NewServer starts a server for Dial.
func NewServer(opts Options) *Server {
	if opts.APIKey == "" {
		opts.APIKey, opts.APISecret = DefaultAPIKey, DefaultAPISecret
	}
	s := &Server{
		opts:     opts,
		listener: newPipeListener(),
		jobs:     make(map[string]*jobRecord),
		changed:  make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: registerTimeout, ErrorLog: log.New(io.Discard, "", 0)}
	s.wait.Go(func() { _ = s.http.Serve(s.listener) }) // ends with Close
	return s
}

// URL is what a worker that uses Dial may be given as the server's URL.
func (s *Server) URL() string { return "ws://127.0.0.1:7880" }

// Dial connects to the server in memory, whatever the address. It fits worker.Options.Dial.
func (s *Server) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.mu.Lock()
	s.attempts++
	err := s.behaviour.DialError
	s.notifyLocked()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.listener.dial(ctx)
}

// Behave changes the server's behaviour, for open connections too.
func (s *Server) Behave(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = b
	s.notifyLocked()
}

// Close drops all connections and waits until nothing runs any more.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.notifyLocked()
	s.mu.Unlock()
	_ = s.http.Close() // nothing to lose
	s.Drop()
	s.wait.Wait()
}

// Drop cuts all connections, without a close frame. The jobs of their workers are forgotten, as by the real server.
func (s *Server) Drop() {
	s.mu.Lock()
	sessions := slices.Clone(s.sessions)
	s.mu.Unlock()
	for _, c := range sessions {
		c.drop()
	}
}

// Send sends a message to every registered worker.
func (s *Server) Send(msg *livekit.ServerMessage) error {
	data, err := proto.Marshal(msg)
	if err != nil {
		return err
	}
	return s.SendFrame(websocket.BinaryMessage, data)
}

// SendFrame sends a WebSocket frame of any kind and content to every registered worker.
func (s *Server) SendFrame(kind int, data []byte) error {
	var errs []error
	for _, c := range s.registered() {
		errs = append(errs, c.write(kind, data))
	}
	return errors.Join(errs...)
}

// ServeHTTP serves the worker endpoint at any path that ends in /agent.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if b := s.Behaviour(); b.HTTPStatus != 0 {
		rw.WriteHeader(b.HTTPStatus)
		_, _ = io.WriteString(rw, b.HTTPBody) // the client's loss
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/agent") || !websocket.IsWebSocketUpgrade(r) {
		http.NotFound(rw, r)
		return
	}
	if err := s.authorize(r); err != nil {
		http.Error(rw, err.Error(), http.StatusUnauthorized)
		return
	}
	conn, err := s.upgrader.Upgrade(rw, r, nil)
	if err != nil {
		return // answered by Upgrade
	}
	s.serve(newSession(s, conn))
}

// authorize wants a token made with the server's key and secret, with the agent grant.
func (s *Server) authorize(r *http.Request) error {
	token, err := auth.ParseAPIToken(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if err != nil {
		return err
	}
	if token.APIKey() != s.opts.APIKey {
		return errors.New("unknown API key")
	}
	_, grants, err := token.Verify(s.opts.APISecret)
	if err != nil {
		return err
	}
	if grants.Video == nil || !grants.Video.Agent {
		return errors.New("token lacks the agent grant")
	}
	return nil
}

// serve runs a session on the calling goroutine and keeps the books about it.
func (s *Server) serve(c *session) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		c.drop()
		return
	}
	s.wait.Add(1)
	defer s.wait.Done()
	s.sessions = append(s.sessions, c)
	s.notifyLocked()
	s.mu.Unlock()

	c.run()

	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeLocked(c)
	s.notifyLocked()
}

func (s *Server) removeLocked(c *session) {
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == c })
	for id, job := range s.jobs {
		if job.owner == c {
			delete(s.jobs, id)
		}
	}
}

func (s *Server) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}
