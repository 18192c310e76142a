package room

import (
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/vivavoice/viva/pipeline/guard"
)

// rpcUnsupported is LiveKit's code for a method that nobody registered.
const rpcUnsupported = 1400

// rpcOutboxLimit keeps refusals of RPC calls from filling the outbox.
const rpcOutboxLimit = outboxLimit / 8

// inbound decodes the data packets that other participants send. It is safe for concurrent use: each data channel has a
// reading goroutine of its own.
type inbound struct {
	log     *zap.Logger
	guard   *guard.Guard               // the interview's; may be nil
	self    func() string              // own identity
	hears   func(identity string) bool // whether what this participant sends is wanted
	admit   func(Event) bool           // whether one more message is; nil = yes
	post    func(Event)
	reply   func(...*livekit.DataPacket)
	texts   *streams
	files   *streams
	bad     atomic.Uint64 // packets that could not be decoded
	strange atomic.Uint64 // messages of others than those who are heard
}

// receive handles one message of a data channel. One that makes it panic is lost; raw is not kept.
func (in *inbound) receive(raw []byte, reliable bool) {
	err := in.guard.Try("room", func() error {
		in.packet(raw, reliable)
		return nil
	})
	if err != nil {
		in.bad.Add(1)
	}
}

func (in *inbound) packet(raw []byte, reliable bool) {
	var packet livekit.DataPacket
	if err := proto.Unmarshal(raw, &packet); err != nil {
		in.bad.Add(1)
		return
	}
	if ev := in.decode(&packet, reliable); ev != nil && in.admits(ev) {
		in.post(ev)
	}
}

func (in *inbound) admits(ev Event) bool {
	switch ev.(type) {
	case Text, Data, File:
		return in.admit == nil || in.admit(ev)
	}
	return true
}

// wanted reports whether a participant is heard. Nothing of anybody else waits anywhere: neither a message nor a part of one.
func (in *inbound) wanted(from string) bool {
	if in.hears(from) {
		return true
	}
	if in.strange.Add(1) == 1 {
		in.log.Debug("room.message_of_other_dropped", zap.String("identity", from))
	}
	return false
}

func (in *inbound) decode(p *livekit.DataPacket, reliable bool) Event {
	from := p.GetParticipantIdentity()
	switch v := p.GetValue().(type) {
	case *livekit.DataPacket_User:
		return in.user(from, v.User)
	case *livekit.DataPacket_RpcRequest:
		in.refuse(from, v.RpcRequest)
		return nil
	}
	if !reliable {
		return nil // streams rely on order
	}
	switch v := p.GetValue().(type) {
	case *livekit.DataPacket_StreamHeader:
		if v.StreamHeader.GetTopic() != topicTranscription && !in.wanted(from) { // transcripts are asked for by Options
			return nil
		}
		ev, is := in.files.header(sender(p), from, v.StreamHeader, time.Now())
		if !is {
			ev, _ = in.texts.header(sender(p), from, v.StreamHeader, time.Now())
		}
		return ev
	case *livekit.DataPacket_StreamChunk:
		ev, is := in.files.chunk(sender(p), v.StreamChunk, time.Now())
		if !is {
			ev, _ = in.texts.chunk(sender(p), v.StreamChunk, time.Now())
		}
		return ev
	case *livekit.DataPacket_StreamTrailer:
		ev, is := in.files.trailer(sender(p), v.StreamTrailer)
		if !is {
			ev, _ = in.texts.trailer(sender(p), v.StreamTrailer)
		}
		return ev
	}
	return nil
}

// sender is who really sent the packet. Servers before sids on packets give the identity only.
func sender(p *livekit.DataPacket) string {
	if sid := p.GetParticipantSid(); sid != "" {
		return sid
	}
	return p.GetParticipantIdentity()
}

func (in *inbound) user(from string, u *livekit.UserPacket) Event {
	if from == "" {
		from = u.GetParticipantIdentity() //nolint:staticcheck // the only place in packets of older servers
	}
	if from == in.self() || len(u.GetPayload()) > MaxData || !in.wanted(from) {
		return nil
	}
	return Data{Topic: u.GetTopic(), From: from, Payload: u.GetPayload()}
}

// refuse answers a remote procedure call at once, as the SDK does for a method without handler: the caller would wait for
// its timeout otherwise.
func (in *inbound) refuse(from string, call *livekit.RpcRequest) {
	to := []string{from}
	in.reply(
		&livekit.DataPacket{DestinationIdentities: to, Value: &livekit.DataPacket_RpcAck{
			RpcAck: &livekit.RpcAck{RequestId: call.GetId()},
		}},
		&livekit.DataPacket{DestinationIdentities: to, Value: &livekit.DataPacket_RpcResponse{
			RpcResponse: &livekit.RpcResponse{RequestId: call.GetId(), Value: &livekit.RpcResponse_Error{
				Error: &livekit.RpcError{Code: rpcUnsupported, Message: "Method not supported at destination"},
			}},
		}},
	)
}
