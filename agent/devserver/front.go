package devserver

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/vivavoice/viva/agent/loopback"
)

const (
	maxHead   = 64 << 10         // bytes of a request's head; livekit-client's tokens stand in it
	headLimit = 10 * time.Second // for a client to send it
)

// front serves the public port from livekit-server's own. It exists because livekit-server's Stop leaves upgraded sockets open: a
// worker would never learn that its server is gone. Closing the front cuts them all. It also turns away what pages from elsewhere
// send from the person's browser, for livekit-server takes any Origin.
type front struct {
	listener net.Listener
	server   http.Server
	proxy    httputil.ReverseProxy
	pool     http.Transport
	cut      context.CancelFunc // ends the requests under way, WebSockets too
	serving  chan struct{}      // closed when nothing is accepted any more

	under  sync.RWMutex // held for reading by each request
	closed bool         // guarded by under
}

// newFront starts accepting on ln, which it owns from now on.
func newFront(ln net.Listener, target string) *front {
	ctx, cut := context.WithCancel(context.Background())
	f := &front{listener: ln, cut: cut, serving: make(chan struct{})}
	silent := log.New(io.Discard, "", 0) // livekit-server and its clients say themselves what went wrong
	f.proxy = httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: target})
			r.Out.Host = r.In.Host
		},
		Transport: &f.pool, FlushInterval: -1, ErrorLog: silent,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's way to cut a connection, as a server that is down does
		},
	}
	f.server = http.Server{
		Handler: f, ReadHeaderTimeout: headLimit, MaxHeaderBytes: maxHead, ErrorLog: silent,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connection{}, c) },
	}
	go func() {
		defer close(f.serving)
		_ = f.server.Serve(ln) // it ends with Close
	}()
	return f
}

// connection is where a request's context has the client's connection.
type connection struct{}

// Addr is the public host:port.
func (f *front) Addr() string { return f.listener.Addr().String() }

// Close stops accepting, cuts every connection and waits until none is served. It is idempotent.
func (f *front) Close() error {
	f.cut()
	err := f.server.Close()
	<-f.serving
	f.under.Lock()
	f.closed = true
	f.under.Unlock()
	f.pool.CloseIdleConnections()
	return err
}

// ServeHTTP passes a request on, if it is from this machine.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.under.RLock()
	defer f.under.RUnlock()
	switch {
	case f.closed: // and so is the connection
	case foreign(r):
		http.Error(w, foreignWords, http.StatusForbidden)
	default:
		// The proxy closes only livekit-server's end of a WebSocket. Of one that livekit-server has closed, it would wait for the client's.
		if client, is := r.Context().Value(connection{}).(net.Conn); is {
			defer context.AfterFunc(r.Context(), func() { _ = client.Close() })() // whatever it says, it is closed
		}
		f.proxy.ServeHTTP(w, r)
	}
}

const foreignWords = "The embedded LiveKit server answers only pages and programs of this machine, opened as 127.0.0.1 or localhost. " +
	"For pages from elsewhere run a LiveKit server of your own and set LIVEKIT_URL."

// foreign reports whether a request comes from a web page elsewhere, in the person's own browser: its Origin tells, or, where the
// page has made its own name resolve to 127.0.0.1, its Host. Programs send no Origin.
func foreign(r *http.Request) bool {
	if !loopback.Is(r.Host) {
		return true
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !loopback.Is(u.Host) {
			return true
		}
	}
	return false
}
