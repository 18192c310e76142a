package devserver

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

// asked sends bytes through a relay to a server that answers with what it got, and returns that.
func asked(t *testing.T, request string) string {
	t.Helper()
	_, conn := openRelay(t, echo(t))
	if _, err := conn.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
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
		if got := asked(t, "GET /rtc?access_token=x HTTP/1.1\r\n"+head+"\r\n"); !strings.HasPrefix(got, "HTTP/1.1 403 ") || !strings.Contains(got, "LIVEKIT_URL") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestOwnPagesAndProgramsAreServed(t *testing.T) {
	for name, head := range map[string]string{
		"a program":    "Host: 127.0.0.1:7880\r\n",
		"the page":     "Host: 127.0.0.1:7880\r\nOrigin: http://127.0.0.1:7890\r\n",
		"its name":     "Host: localhost:7880\r\nOrigin: http://LOCALHOST:7890\r\n",
		"IPv6":         "Host: [::1]:7880\r\nOrigin: http://[::1]:7890\r\n",
		"a body":       "Host: 127.0.0.1\r\nContent-Length: 5\r\n",
		"another page": "Host: 127.0.0.1\r\nOrigin: https://127.0.0.1\r\n",
	} {
		want := "POST /twirp HTTP/1.1\r\nConnection: close\r\n" + head + "\r\nhello"
		if got := asked(t, "POST /twirp HTTP/1.1\r\n"+head+"\r\nhello"); got != want {
			t.Errorf("%s: %q, want the request, and that it is the last", name, got)
		}
	}
}

// What is no request gets nothing, and a head without an end is not read for ever.
func TestNoiseIsCutOff(t *testing.T) {
	for _, noise := range []string{"viva voce\r\n\r\n", "GET / HTTP/1.1\r\nX: " + string(bytes.Repeat([]byte("x"), maxHead))} {
		_, conn := openRelay(t, echo(t))
		if _, err := conn.Write([]byte(noise)); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(conn); err == nil && len(got) > 0 {
			t.Errorf("%.20q was answered with %.40q", noise, got)
		}
	}
}
