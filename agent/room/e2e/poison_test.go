package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"github.com/vivavoice/viva/agent/room"
)

// rawPacket is sent as it is.
type rawPacket struct{ p *livekit.DataPacket }

func (r rawPacket) ToProto() *livekit.DataPacket { return r.p }

func header(id string, h *livekit.DataStream_Header) *livekit.DataPacket {
	h.StreamId, h.Topic = id, "lk.chat"
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: h}}
}

func textHeader() *livekit.DataStream_Header {
	return &livekit.DataStream_Header{
		MimeType: "text/plain", ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}},
	}
}

func byteHeader() *livekit.DataStream_Header {
	return &livekit.DataStream_Header{
		ContentHeader: &livekit.DataStream_Header_ByteHeader{ByteHeader: &livekit.DataStream_ByteHeader{}},
	}
}

func chunk(id string, content []byte) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{
		StreamChunk: &livekit.DataStream_Chunk{StreamId: id, Content: content},
	}}
}

func trailer(id string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: &livekit.DataStream_Trailer{
		StreamId: id, Attributes: map[string]string{"poison": "yes"},
	}}}
}

// poison is what an ill-willed participant can send. The first pair is the one on which the SDK's own decoding panics.
func poison() []*livekit.DataPacket {
	huge := uint64(1) << 62
	endless := textHeader()
	endless.TotalLength = &huge
	packets := []*livekit.DataPacket{
		header("no-attributes", textHeader()), trailer("no-attributes"),
		header("bytes", byteHeader()), chunk("bytes", []byte("x")), trailer("bytes"),
		header("neither", &livekit.DataStream_Header{}), trailer("neither"),
		header("", textHeader()), trailer(""),
		header("huge", endless), trailer("huge"),
		header("twice", textHeader()), header("twice", textHeader()), trailer("twice"), trailer("twice"),
		chunk("unknown", []byte("x")), trailer("unknown"),
		{}, // no value at all
		{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{}}},
		{Value: &livekit.DataPacket_EncryptedPacket{EncryptedPacket: &livekit.EncryptedPacket{}}},
		{Value: &livekit.DataPacket_RpcAck{RpcAck: &livekit.RpcAck{RequestId: "unknown"}}},
		{Value: &livekit.DataPacket_RpcResponse{RpcResponse: &livekit.RpcResponse{RequestId: "unknown"}}},
	}
	for i := range 100 { // many streams at once, never closed
		packets = append(packets, header(fmt.Sprint("open", i), textHeader()))
	}
	packets = append(packets, header("flood", textHeader()))
	for range 20 { // more than a text may have
		packets = append(packets, chunk("flood", make([]byte, 14_000)))
	}
	return append(packets, trailer("flood"))
}

// TestNoPacketBringsTheProcessDown sends an agent's room everything in poison. The SDK would decode it on a goroutine where a
// panic cannot be recovered, so the test's own process would die.
func TestNoPacketBringsTheProcessDown(t *testing.T) {
	host := join(t, server.URL(), "host", agent, room.Options{Everybody: true}) // else the villain's packets are not looked at
	good, _ := joinSpeaking(t, server.URL())
	await[room.CandidateJoined](t, host, nil)
	bad := joinRaw(t, "villain")
	reach(t, bad, host)
	for _, p := range poison() {
		if err := bad.LocalParticipant.PublishDataPacket(rawPacket{p}, lksdk.WithDataPublishReliable(true)); err != nil {
			t.Fatal(err)
		}
	}
	// What the villain sends is ordered: once the marker is here, so is the poison.
	if err := bad.LocalParticipant.PublishDataPacket(&lksdk.UserDataPacket{Topic: "marker"}, lksdk.WithDataPublishReliable(true)); err != nil {
		t.Fatal(err)
	}
	await(t, host, func(d room.Data) bool { return d.Topic == "marker" })

	if err := good.SendText("lk.chat", "still there?"); err != nil {
		t.Fatal(err)
	}
	await(t, host, func(e room.Text) bool { return e.From == "guest" && e.Text == "still there?" })
}

// reach knocks until the host has heard it: what is sent while its data channels open is lost on the way, and poison that
// never arrives proves nothing.
func reach(t *testing.T, from *lksdk.Room, host guest) {
	t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for range int(testLimit / (100 * time.Millisecond)) {
		if err := from.LocalParticipant.PublishDataPacket(&lksdk.UserDataPacket{Topic: "knock"}, lksdk.WithDataPublishReliable(true)); err != nil {
			t.Fatal(err)
		}
		<-again.C
		if count[room.Data](host) > 0 {
			return
		}
	}
	t.Fatal("the host hears nothing")
}

// TestRemoteCallIsRefused: the caller of an unknown method learns it at once, not by a timeout.
func TestRemoteCallIsRefused(t *testing.T) {
	join(t, server.URL(), "host", agent, room.Options{})
	caller := joinRaw(t, "caller")
	_, err := caller.LocalParticipant.PerformRpc(lksdk.PerformRpcParams{DestinationIdentity: "host", Method: "open_the_door"})
	var refused *lksdk.RpcError
	if !errors.As(err, &refused) || refused.Code != lksdk.RpcUnsupportedMethod {
		t.Errorf("error = %v, want unsupported method", err)
	}
}

func joinRaw(t *testing.T, identity string) *lksdk.Room {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	r := lksdk.NewRoom(lksdk.NewRoomCallback())
	if err := r.JoinWithContextAndToken(ctx, server.URL(), token(t, t.Name(), identity, standard, testSecret)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Disconnect)
	return r
}
