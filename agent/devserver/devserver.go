package devserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"go.uber.org/zap"
)

const (
	thisHost     = "127.0.0.1"
	startLimit   = 10 * time.Second
	closeLimit   = 10 * time.Second // livekit-server itself allows 5 s for open HTTP requests
	readyPolling = 10 * time.Millisecond
)

// Options says where the server listens and which key it accepts.
type Options struct {
	SignalPort int // TCP port of the API, signalling and worker sockets; 0 picks a free one
	TCPPort    int // TCP port of ICE over TCP, on every interface (see the package comment); 0 turns it off
	UDPPort    int // UDP port of all media; 0 picks a free one

	APIKey    string // required
	APISecret string // required

	Logger *zap.Logger // nil discards; the server's errors go here, named "livekit"
	Debug  bool        // also log what livekit-server says at debug and info
}

// Server is a running LiveKit server. Its methods are safe for concurrent use.
type Server struct {
	opts    Options
	livekit *service.LivekitServer
	front   *front
	stopped chan struct{} // closed by run when livekit-server has returned
	runErr  error         // how livekit-server returned; read after stopped is closed

	closeOnce sync.Once
	closeErr  error
}

// Start brings a server up and returns once it answers; ctx bounds only that. A port that cannot be had is reported as
// *PortError, which names the option. The caller closes the server.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.APIKey == "" || opts.APISecret == "" {
		return nil, errors.New("start LiveKit server: APIKey and APISecret are required")
	}
	if opts.Logger == nil {
		opts.Logger = zap.NewNop()
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	srv, err := launch(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start LiveKit server: %w", err)
	}
	if err := srv.awaitReady(ctx); err != nil {
		closed := srv.Close() //nolint:contextcheck // ctx may be what has ended; closing has a limit of its own
		return nil, fmt.Errorf("start LiveKit server: %w", errors.Join(err, closed))
	}
	opts.Logger.Info("devserver.started", zap.String("url", srv.URL()))
	return srv, nil
}

func launch(ctx context.Context, opts Options) (*Server, error) {
	p, err := claimPorts(ctx, opts)
	if err != nil {
		return nil, err
	}
	lk, err := newLiveKit(p, opts)
	if err != nil {
		return nil, errors.Join(err, p.front.Close())
	}
	target := net.JoinHostPort(thisHost, strconv.Itoa(p.inner))
	srv := &Server{opts: opts, livekit: lk, front: newFront(p.front, target), stopped: make(chan struct{})} //nolint:contextcheck // ctx bounds the start only
	go srv.run()
	return srv, nil
}

// newLiveKit assembles the server as livekit-server's own main does, without its command line.
func newLiveKit(p ports, opts Options) (*service.LivekitServer, error) {
	conf, err := newConfig(p, opts)
	if err != nil {
		return nil, err
	}
	node, err := routing.NewLocalNode(conf)
	if err != nil {
		return nil, fmt.Errorf("describe the node: %w", err)
	}
	if err := initProcess(node, opts); err != nil {
		return nil, err
	}
	lk, err := service.InitializeServer(conf, node)
	if err != nil {
		return nil, fmt.Errorf("initialise: %w", err)
	}
	return lk, nil
}

func (s *Server) run() {
	defer close(s.stopped)
	s.runErr = s.livekit.Start()
}

func (s *Server) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(readyPolling)
	defer tick.Stop()
	for !s.livekit.IsRunning() {
		select {
		case <-s.stopped:
			return fmt.Errorf("server ended while starting: %w", s.runErr)
		case <-ctx.Done():
			return fmt.Errorf("wait until it answers: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
	return nil
}

// URL is the WebSocket address for LIVEKIT_URL.
func (s *Server) URL() string {
	return "ws://" + s.front.Addr()
}

// APIKey is the key the server accepts.
func (s *Server) APIKey() string { return s.opts.APIKey }

// APISecret is the secret that belongs to APIKey.
func (s *Server) APISecret() string { return s.opts.APISecret }

// Close cuts every connection, stops the server and waits for that, 10 s at most; it reports a server that did not end by
// then. Later calls wait for the first and return the same.
func (s *Server) Close() error {
	s.closeOnce.Do(func() { s.closeErr = s.shutdown() })
	return s.closeErr
}

func (s *Server) shutdown() error {
	frontErr := s.front.Close()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	// livekit-server forgets a Stop that comes before it is up. If it never came up, there is nothing to stop.
	if err := s.awaitReady(ctx); err == nil {
		go s.livekit.Stop(true) // returns when run does, which is waited for below
	}
	select {
	case <-s.stopped:
	case <-ctx.Done():
		return fmt.Errorf("stop LiveKit server: still running after %v", closeLimit)
	}
	s.opts.Logger.Info("devserver.stopped", zap.String("url", s.URL()))
	return frontErr
}
