package e2e

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/agent/room"
)

const (
	testKey    = "room-test"
	testSecret = "a secret of at least thirty-two bytes"
	testLimit  = 20 * time.Second
)

// server is shared by all tests that do not restart it; every test has a room of its own.
var server *devserver.Server

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	room.LogSDK(testLogger("process"))
	srv, err := devserver.Start(context.Background(), devserver.Options{
		APIKey: testKey, APISecret: testSecret, Logger: testLogger("server"), Debug: os.Getenv("ROOM_TEST_LOG") != "",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server = srv
	code := m.Run()
	if err := srv.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func token(t *testing.T, roomName, identity string, kind livekit.ParticipantInfo_Kind, secret string) string {
	t.Helper()
	grant := &auth.VideoGrant{RoomJoin: true, Room: roomName, Agent: kind == livekit.ParticipantInfo_AGENT}
	grant.SetCanUpdateOwnMetadata(true)
	jwt, err := auth.NewAccessToken(testKey, secret).SetIdentity(identity).SetName("Name of " + identity).
		SetVideoGrant(grant).SetKind(kind).ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	return jwt
}

// guest is a joined room with what it reported.
type guest struct {
	*room.Room
	events *log
}

func join(t *testing.T, url, identity string, kind livekit.ParticipantInfo_Kind, opts room.Options) guest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	events := newLog()
	opts.URL, opts.Token = url, token(t, t.Name(), identity, kind, testSecret)
	opts.Handler = events.add
	opts.Logger = testLogger(identity)
	r, err := room.Join(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leave(t, r) })
	return guest{Room: r, events: events}
}

func leave(t *testing.T, r *room.Room) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	if err := r.Leave(ctx); err != nil {
		t.Error(err)
	}
}

func testLogger(name string) *zap.Logger {
	if os.Getenv("ROOM_TEST_LOG") == "" {
		return zap.NewNop()
	}
	conf := zap.NewDevelopmentConfig()
	conf.Level = zap.NewAtomicLevelAt(zapcore.DebugLevel)
	l, err := conf.Build()
	if err != nil {
		return zap.NewNop()
	}
	return l.Named(name)
}

// log keeps events and lets tests wait for them.
type log struct {
	mu   sync.Mutex
	all  []room.Event
	more chan struct{} // closed and replaced with each event
}

func newLog() *log { return &log{more: make(chan struct{})} }

func (l *log) add(ev room.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, ev)
	close(l.more)
	l.more = make(chan struct{})
}

// await returns the first event of type E that pred (nil: any) accepts.
func await[E room.Event](t *testing.T, g guest, pred func(E) bool) E {
	t.Helper()
	limit := time.NewTimer(testLimit)
	defer limit.Stop()
	for i := 0; ; {
		g.events.mu.Lock()
		all, more := g.events.all, g.events.more
		g.events.mu.Unlock()
		for ; i < len(all); i++ {
			if ev, ok := all[i].(E); ok && (pred == nil || pred(ev)) {
				return ev
			}
		}
		select {
		case <-more:
		case <-limit.C:
			var zero E
			t.Fatalf("no %T in time; events of %s: %+v", zero, g.Identity(), all)
		}
	}
}

func count[E room.Event](g guest) int {
	g.events.mu.Lock()
	defer g.events.mu.Unlock()
	n := 0
	for _, ev := range g.events.all {
		if _, ok := ev.(E); ok {
			n++
		}
	}
	return n
}
