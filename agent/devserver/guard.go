package devserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/vivavoice/viva/agent/loopback"
)

const (
	maxHead   = 64 << 10         // bytes of a request's head; livekit-client's tokens stand in it
	headLimit = 10 * time.Second // for a client to send it
)

// errForeign says that a request is not from this machine's own pages and programs.
var errForeign = errors.New("it is not from this machine")

// admit reads the first request of a connection, which is the only one: it is told to be the last unless it asks for a
// WebSocket, so that each request is looked at. It returns what was read, to be passed on.
//
// A web page elsewhere can send requests to this machine from the person's browser. Their Origin tells, or, where the page has
// made its own name resolve to 127.0.0.1, their Host. Programs send no Origin.
func admit(conn net.Conn) ([]byte, error) {
	if err := conn.SetReadDeadline(time.Now().Add(headLimit)); err != nil {
		return nil, err
	}
	var read bytes.Buffer
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(io.LimitReader(conn, maxHead), &read)))
	if err != nil {
		return nil, err
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	if !loopback.Is(r.Host) {
		return nil, fmt.Errorf("host %q: %w", r.Host, errForeign)
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !loopback.Is(u.Host) {
			return nil, fmt.Errorf("origin %q: %w", origin, errForeign)
		}
	}
	if r.Header.Get("Upgrade") != "" {
		return read.Bytes(), nil
	}
	line, rest, _ := bytes.Cut(read.Bytes(), []byte("\n"))
	return bytes.Join([][]byte{line, []byte("Connection: close\r"), rest}, []byte("\n")), nil
}

const foreignWords = "The embedded LiveKit server answers only pages and programs of this machine, opened as 127.0.0.1 or localhost. " +
	"For pages from elsewhere run a LiveKit server of your own and set LIVEKIT_URL.\n"

// turnAway tells a client why it is not served.
func turnAway(conn net.Conn) {
	_ = conn.SetWriteDeadline(time.Now().Add(dialLimit)) // best effort: the connection ends here
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		len(foreignWords), foreignWords)
}
