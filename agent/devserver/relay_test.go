package devserver

import (
	"io"
	"net"
	"testing"

	"go.uber.org/goleak"
)

// upgrade asks for a WebSocket, after which a connection is anything.
const upgrade = "GET /rtc HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

// echo answers every connection with what it sends.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(conn, conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
	})
	return ln.Addr().String()
}

func openRelay(t *testing.T, target string) (*relay, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := newRelay(ln, target)
	t.Cleanup(func() { _ = r.Close() })
	conn, err := net.Dial("tcp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return r, conn
}

func TestRelayPassesBothWaysAndKeepsHalfCloses(t *testing.T) {
	_, conn := openRelay(t, echo(t))
	const talk = upgrade + "viva voce"
	if _, err := conn.Write([]byte(talk)); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != talk {
		t.Errorf("answer = %q, %v", got, err)
	}
}

func TestRelayCloseCutsConnectionsAndWaits(t *testing.T) {
	target := echo(t)
	before := goleak.IgnoreCurrent()
	r, conn := openRelay(t, target)
	if _, err := conn.Write([]byte(upgrade)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len(upgrade))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	goleak.VerifyNone(t, before)
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes after Close", n)
	}
}

func TestRelayWithoutServerClosesTheClient(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	_, conn := openRelay(t, target)
	if _, err := conn.Write([]byte(upgrade)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("a client of an absent server was not cut off")
	}
}
