package candidate

import (
	"context"
	"fmt"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/rtp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
)

// tokenLife is how long a candidate's token may be used to join; it bounds reconnecting, too.
const tokenLife = 6 * time.Hour

// LiveKit is a LiveKit server: candidates join its rooms and agents are dispatched there. It is safe for concurrent use.
type LiveKit struct {
	url, key, secret string
	log              *zap.Logger
	dispatches       *lksdk.AgentDispatchClient
	rooms            *lksdk.RoomServiceClient
}

var _ Server = (*LiveKit)(nil)

// NewLiveKit returns the server at url (ws, wss, http or https) with one of its API keys. logger receives what the connections have to
// say; nil discards.
func NewLiveKit(url, key, secret string, logger *zap.Logger) *LiveKit {
	return &LiveKit{
		url: url, key: key, secret: secret, log: logger,
		dispatches: lksdk.NewAgentDispatchServiceClient(url, key, secret),
		rooms:      lksdk.NewRoomServiceClient(url, key, secret),
	}
}

// Dispatch implements Server.
func (l *LiveKit) Dispatch(ctx context.Context, roomName, agentName, metadata string) error {
	_, err := l.dispatches.CreateDispatch(ctx, &livekit.CreateAgentDispatchRequest{Room: roomName, AgentName: agentName, Metadata: metadata})
	return err
}

// Delete implements Server.
func (l *LiveKit) Delete(ctx context.Context, roomName string) error {
	_, err := l.rooms.DeleteRoom(ctx, &livekit.DeleteRoomRequest{Room: roomName})
	return err
}

// Connect implements Server.
func (l *LiveKit) Connect(ctx context.Context, who Identity, to Listener) (Connection, error) {
	token, err := auth.NewAccessToken(l.key, l.secret).
		SetIdentity(who.Identity).SetName(who.Name).SetValidFor(tokenLife).
		SetVideoGrant(&auth.VideoGrant{RoomJoin: true, Room: who.Room}).
		ToJWT()
	if err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	joined, err := room.Join(ctx, room.Options{
		URL: l.url, Token: token, Logger: l.log, Everybody: true, Transcripts: who.Transcripts,
		Handler: func(e room.Event) { to.Event(Event{e, time.Now()}) },
		Audio:   func(t room.Track, p *rtp.Packet, at time.Time) { forwardPacket(t, p, at, to) },
	})
	if err != nil {
		return nil, err
	}
	return connection{joined, who.DTX}, nil
}

func forwardPacket(t room.Track, p *rtp.Packet, at time.Time, to Listener) {
	if t.Kind != livekit.ParticipantInfo_AGENT {
		return
	}
	to.Packet(Packet{
		Track: t.SID, Sequence: p.SequenceNumber, Timestamp: p.Timestamp, Marker: p.Marker, Payload: p.Payload, At: at,
	})
}

// connection is a joined room.
type connection struct {
	*room.Room
	dtx bool
}

func (c connection) Publish(ctx context.Context) (Microphone, error) {
	return c.PublishMicrophone(ctx, c.dtx)
}

func (c connection) Close(ctx context.Context) error { return c.Leave(ctx) }
