package devserver

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// upgrade asks for a WebSocket, after which a connection is anything.
const upgrade = "GET /rtc HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

// echo is a server that answers a request with its host and body, and, once upgraded, with what it is sent.
func echo(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			_, _ = io.WriteString(w, r.Host+" ")
			_, _ = io.Copy(w, r.Body)
			return
		}
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, buffered)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func openFront(t *testing.T, target string) (*front, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(ln, target)
	t.Cleanup(func() { _ = f.Close() })
	conn, err := net.Dial("tcp", f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return f, conn
}

// ask sends a request and returns the answer's status and words, and what comes behind it.
func ask(t *testing.T, conn net.Conn, request string) (status int, words string, behind *bufio.Reader) {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), r
}

func TestClosingCutsWebSocketsAndWaits(t *testing.T) {
	target := echo(t)
	before := goleak.IgnoreCurrent()
	f, conn := openFront(t, target)
	status, _, r := ask(t, conn, upgrade)
	if status != http.StatusSwitchingProtocols {
		t.Fatal(status)
	}
	const talk = "viva voce"
	if _, err := io.WriteString(conn, talk); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(talk))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != talk {
		t.Fatalf("%q, %v", got, err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := r.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes after Close", n)
	}
	_ = conn.Close()
	goleak.VerifyNone(t, before)
}

// A client that has not noticed that the server hung up holds nothing up: closing took until it did, minutes later.
func TestClosingCutsWhoWasHungUpOn(t *testing.T) {
	target := hangsUp(t)
	f, conn := openFront(t, target)
	if status, _, r := ask(t, conn, upgrade); status != http.StatusSwitchingProtocols {
		t.Fatal(status)
	} else if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		t.Fatalf("%v, want the server's end of it", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- f.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the front waits for its client")
		_ = conn.Close()
		<-closed
	}
}

// hangsUp is a server that agrees to a WebSocket and closes it.
func hangsUp(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = out.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		if err := errors.Join(out.Flush(), conn.Close()); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestClientsOfAnAbsentServerAreCutOff(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	_, conn := openFront(t, target)
	if _, err := io.WriteString(conn, upgrade); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); len(got) > 0 {
		t.Errorf("answered with %q, %v", got, err)
	}
}

// A page of another site, opened in the developer's own browser, reaches nothing: neither by its own name for 127.0.0.1 nor
// by ours.
func TestPagesFromElsewhereAreTurnedAway(t *testing.T) {
	for name, head := range map[string]string{
		"another origin":      "Host: 127.0.0.1:7880\r\nOrigin: https://evil.example\r\n",
		"no name":             "Host: 127.0.0.1:7880\r\nOrigin: null\r\n",
		"a rebound name":      "Host: evil.example:7880\r\n",
		"a rebound page":      "Host: evil.example:7880\r\nOrigin: http://evil.example:7880\r\n",
		"a name like ours":    "Host: localhost.evil.example\r\n",
		"two origins":         "Host: localhost\r\nOrigin: http://localhost:7890\r\nOrigin: https://evil.example\r\n",
		"another's WebSocket": "Host: 127.0.0.1:7880\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://evil.example\r\n",
	} {
		_, conn := openFront(t, echo(t))
		status, words, _ := ask(t, conn, "GET /rtc?access_token=x HTTP/1.1\r\n"+head+"\r\n")
		if status != http.StatusForbidden || !strings.Contains(words, "LIVEKIT_URL") {
			t.Errorf("%s: %d, %q", name, status, words)
		}
	}
}

func TestOwnPagesAndProgramsAreServed(t *testing.T) {
	for name, c := range map[string]struct{ host, head string }{
		"a program":    {"127.0.0.1:7880", ""},
		"the page":     {"127.0.0.1:7880", "Origin: http://127.0.0.1:7890\r\n"},
		"its name":     {"localhost:7880", "Origin: http://LOCALHOST:7890\r\n"},
		"IPv6":         {"[::1]:7880", "Origin: http://[::1]:7890\r\n"},
		"another page": {"127.0.0.1", "Origin: https://127.0.0.1\r\n"},
	} {
		_, conn := openFront(t, echo(t))
		status, words, _ := ask(t, conn, "POST /twirp HTTP/1.1\r\nConnection: close\r\nContent-Length: 5\r\nHost: "+c.host+"\r\n"+c.head+"\r\nhello")
		if words != c.host+" hello" {
			t.Errorf("%s: %d, %q", name, status, words)
		}
	}
}

// What is no request is passed on to nobody, and a head without an end is not read for ever.
func TestNoiseIsRefused(t *testing.T) {
	for _, noise := range []string{"viva voce\r\n\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 2*maxHead)} {
		_, conn := openFront(t, echo(t))
		if status, _, _ := ask(t, conn, noise); status/100 != 4 {
			t.Errorf("%.20q was answered with %d", noise, status)
		}
	}
}
