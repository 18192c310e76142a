package livetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"

	"github.com/vivavoice/viva/agent/devserver"
)

// interviewer stands in for the agent: it joins as one and publishes what an agent publishes.
type interviewer struct {
	t    *testing.T
	room *lksdk.Room

	typed  chan string // texts on lk.chat
	events chan string // "joined", "left REASON", "published", "muted", "unmuted", "data TOPIC TEXT" of the candidate
	sent   int         // streams so far
}

func join(t *testing.T, srv *devserver.Server, room string) *interviewer {
	t.Helper()
	a := &interviewer{t: t, typed: make(chan string, 16), events: make(chan string, 64)}
	grant := &auth.VideoGrant{RoomJoin: true, Room: room, Agent: true}
	grant.SetCanUpdateOwnMetadata(true)
	token, err := auth.NewAccessToken(srv.APIKey(), srv.APISecret()).SetIdentity("agent-standin").
		SetKind(livekit.ParticipantInfo_AGENT).SetVideoGrant(grant).ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	a.room = lksdk.NewRoom(a.callbacks())
	err = a.room.RegisterTextStreamHandler("lk.chat", func(r *lksdk.TextStreamReader, _ string) { a.typed <- r.ReadAll() })
	if err != nil {
		t.Fatal(err)
	}
	if err := a.room.JoinWithToken(srv.URL(), token); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.room.Disconnect)
	return a
}

func (a *interviewer) callbacks() *lksdk.RoomCallback {
	cb := lksdk.NewRoomCallback()
	cb.OnParticipantConnected = func(*lksdk.RemoteParticipant) { a.events <- "joined" }
	cb.OnParticipantDisconnected = func(p *lksdk.RemoteParticipant) { a.events <- "left " + p.DisconnectReason().String() }
	cb.OnTrackSubscribed = func(_ *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
		a.events <- "published"
	}
	cb.OnDataPacket = func(p lksdk.DataPacket, _ lksdk.DataReceiveParams) {
		if user, ok := p.(*lksdk.UserDataPacket); ok {
			a.events <- "data " + user.Topic + " " + string(user.Payload)
		}
	}
	cb.OnTrackMuted = func(lksdk.TrackPublication, lksdk.Participant) { a.events <- "muted" }
	cb.OnTrackUnmuted = func(lksdk.TrackPublication, lksdk.Participant) { a.events <- "unmuted" }
	return cb
}

func (a *interviewer) set(attributes map[string]string) {
	a.room.LocalParticipant.SetAttributes(attributes)
}

// expect waits until event comes and gives those before it.
func (a *interviewer) expect(event string) []string {
	a.t.Helper()
	limit := time.After(patience)
	var others []string
	for {
		select {
		case got := <-a.events:
			if got == event {
				return others
			}
			others = append(others, got)
		case <-limit:
			a.t.Fatalf("%q did not happen; instead %q", event, others)
		}
	}
}

// speak sends the interviewer's own words as one growing stream.
func (a *interviewer) speak(segment string, chunks ...string) {
	a.t.Helper()
	a.transcribe("", segment, map[string]string{"lk.transcription_final": "false"}, chunks...)
}

// hear sends what was recognised, under the candidate's name, as agents may.
func (a *interviewer) hear(candidate, segment, text string, final bool) {
	a.t.Helper()
	a.transcribe(candidate, segment, map[string]string{"lk.transcription_final": fmt.Sprint(final)}, text)
}

// doubt sends what a recogniser took a whole turn for that was not sure of it.
func (a *interviewer) doubt(candidate, segment, text string) {
	a.t.Helper()
	a.transcribe(candidate, segment, map[string]string{"lk.transcription_final": "true", "viva.unsure": "true"}, text)
}

func (a *interviewer) transcribe(sender, segment string, attributes map[string]string, chunks ...string) {
	a.t.Helper()
	a.sent++
	id := fmt.Sprintf("stream-%d", a.sent)
	attributes["lk.segment_id"] = segment
	a.send(&livekit.DataPacket{ParticipantIdentity: sender, Value: &livekit.DataPacket_StreamHeader{
		StreamHeader: &livekit.DataStream_Header{
			StreamId: id, Topic: "lk.transcription", MimeType: "text/plain", Timestamp: time.Now().UnixMilli(),
			Attributes:    attributes,
			ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}},
		},
	}})
	for i, chunk := range chunks {
		a.send(&livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{
			StreamChunk: &livekit.DataStream_Chunk{StreamId: id, ChunkIndex: uint64(i), Content: []byte(chunk)},
		}})
	}
	a.send(&livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{
		StreamTrailer: &livekit.DataStream_Trailer{StreamId: id},
	}})
}

// packet is a data packet as it is, for what the SDK's own writer cannot say: another sender.
type packet struct{ proto *livekit.DataPacket }

func (p packet) ToProto() *livekit.DataPacket { return p.proto }

func (a *interviewer) send(p *livekit.DataPacket) {
	a.t.Helper()
	if err := a.room.LocalParticipant.PublishDataPacket(packet{p}, lksdk.WithDataPublishReliable(true)); err != nil {
		a.t.Fatalf("publish: %v", err)
	}
}
