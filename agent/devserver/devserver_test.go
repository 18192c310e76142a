package devserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
)

const (
	testKey    = "devserver-test"
	testSecret = "a secret of at least thirty-two bytes"
	testLimit  = 20 * time.Second
)

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	opts.APIKey, opts.APISecret = testKey, testSecret
	srv, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return srv
}

// TestHostsAParticipant is the embedded server's reason to be (R001: a real server in the end-to-end tests).
func TestHostsAParticipant(t *testing.T) {
	srv := start(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	rooms := lksdk.NewRoomServiceClient(srv.URL(), srv.APIKey(), srv.APISecret())
	if _, err := rooms.CreateRoom(ctx, &livekit.CreateRoomRequest{Name: "hall"}); err != nil {
		t.Fatal(err)
	}

	guest, err := lksdk.ConnectToRoom(srv.URL(), lksdk.ConnectInfo{
		APIKey: srv.APIKey(), APISecret: srv.APISecret(), RoomName: "hall", ParticipantIdentity: "guest",
	}, lksdk.NewRoomCallback())
	if err != nil {
		t.Fatal(err)
	}
	defer guest.Disconnect()

	there, err := rooms.ListParticipants(ctx, &livekit.ListParticipantsRequest{Room: "hall"})
	if err != nil {
		t.Fatal(err)
	}
	if got := there.GetParticipants(); len(got) != 1 || got[0].GetIdentity() != "guest" {
		t.Errorf("participants = %v, want the guest alone", got)
	}
}

func TestRefusesAnotherSecret(t *testing.T) {
	srv := start(t, Options{})
	rooms := lksdk.NewRoomServiceClient(srv.URL(), testKey, "some other secret, thirty-two bytes")
	if _, err := rooms.ListRooms(t.Context(), &livekit.ListRoomsRequest{}); err == nil {
		t.Error("a wrong secret was accepted")
	}
}

// TestRestart cuts a worker's socket on Close and serves the same port again, which is what the tests of
// re-registration need.
func TestRestart(t *testing.T) {
	first := start(t, Options{})
	worker := dialWorker(t, first)
	signalPort := portOf(first.front.listener.Addr())
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := worker.SetReadDeadline(time.Now().Add(testLimit)); err != nil {
		t.Fatal(err)
	}
	_, _, err := worker.ReadMessage()
	if timeout := net.Error(nil); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("worker socket after Close: %v, want it cut", err)
	}

	second := start(t, Options{SignalPort: signalPort})
	if second.URL() != first.URL() {
		t.Errorf("URL = %s, want %s again", second.URL(), first.URL())
	}
	dialWorker(t, second)
	if err := first.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func dialWorker(t *testing.T, srv *Server) *websocket.Conn {
	t.Helper()
	token, err := auth.NewAccessToken(testKey, testSecret).SetVideoGrant(&auth.VideoGrant{Agent: true}).ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Authorization": {"Bearer " + token}}
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), srv.URL()+"/agent", header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = resp.Body.Close()
		_ = conn.Close()
	})
	return conn
}

func TestPortTakenNamesTheOption(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tcp.Close() }()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = udp.Close() }()

	for _, tc := range []struct {
		want string
		opts Options
	}{
		{"SignalPort", Options{SignalPort: portOf(tcp.Addr())}},
		{"TCPPort", Options{TCPPort: portOf(tcp.Addr())}},
		{"UDPPort", Options{UDPPort: portOf(udp.LocalAddr())}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			tc.opts.APIKey, tc.opts.APISecret = testKey, testSecret
			_, err := Start(t.Context(), tc.opts)
			var taken *PortError
			if !errors.As(err, &taken) || taken.Option != tc.want {
				t.Fatalf("error = %v, want a PortError of %s", err, tc.want)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("message %q does not name %s", err, tc.want)
			}
		})
	}
}

func TestKeyIsRequired(t *testing.T) {
	if _, err := Start(t.Context(), Options{APIKey: testKey}); err == nil {
		t.Error("started without a secret")
	}
}

func TestStartObeysItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{APIKey: testKey, APISecret: testSecret}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
}
