package devserver

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	dialLimit   = 2 * time.Second
	acceptPause = 50 * time.Millisecond // after a failed accept, usually the process's limit of open files
)

// relay passes the bytes of the public port on to livekit-server's HTTP port. It exists because livekit-server's Stop
// leaves upgraded sockets open: a worker would never learn that its server is gone. Closing the relay cuts them all. It also
// turns away what pages from elsewhere send from the person's browser (admit), for livekit-server takes any Origin.
type relay struct {
	listener net.Listener
	target   string
	tasks    sync.WaitGroup // accept loop and one per connection
	done     chan struct{}  // closed by Close

	mu     sync.Mutex
	open   map[net.Conn]struct{} // guarded by mu
	closed bool                  // guarded by mu
}

// newRelay starts accepting on ln, which it owns from now on.
func newRelay(ln net.Listener, target string) *relay {
	r := &relay{listener: ln, target: target, done: make(chan struct{}), open: make(map[net.Conn]struct{})}
	r.tasks.Go(r.accept)
	return r
}

// Addr is the public host:port.
func (r *relay) Addr() string { return r.listener.Addr().String() }

// Close stops accepting, cuts every connection and waits until none is served. It is idempotent.
func (r *relay) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	conns := r.open
	r.open = nil
	r.mu.Unlock()
	if again {
		r.tasks.Wait()
		return nil
	}
	close(r.done)
	err := r.listener.Close()
	for c := range conns {
		_ = c.Close() // it is being cut; how that went does not matter
	}
	r.tasks.Wait()
	return err
}

func (r *relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err == nil {
			r.tasks.Go(func() { r.serve(client) })
			continue
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		select {
		case <-r.done:
		case <-time.After(acceptPause):
		}
	}
}

// serve owns client and the connection it opens for it.
func (r *relay) serve(client net.Conn) {
	if !r.track(client) {
		return
	}
	defer r.release(client)
	head, err := admit(client)
	if errors.Is(err, errForeign) {
		turnAway(client)
	}
	if err != nil {
		return
	}
	server, err := net.DialTimeout("tcp", r.target, dialLimit)
	if err != nil {
		return // the client sees its connection closed, as with a server that is down
	}
	if !r.track(server) {
		return
	}
	defer r.release(server)
	if _, err := server.Write(head); err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { pass(client, server) })
	pass(server, client)
	back.Wait()
}

// pass copies until src ends and then tells dst, keeping the other direction open; after an error both are cut.
func pass(dst, src net.Conn) {
	_, err := io.Copy(dst, src)
	if half, ok := dst.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_ = dst.Close()
	_ = src.Close()
}

// track reports whether the relay still takes connections; if not, it closes c.
func (r *relay) track(c net.Conn) bool {
	r.mu.Lock()
	taken := !r.closed
	if taken {
		r.open[c] = struct{}{}
	}
	r.mu.Unlock()
	if !taken {
		_ = c.Close()
	}
	return taken
}

func (r *relay) release(c net.Conn) {
	r.mu.Lock()
	delete(r.open, c)
	r.mu.Unlock()
	_ = c.Close()
}
