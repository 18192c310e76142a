package room

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/vivavoice/viva/pipeline/guard"
)

// wire feeds packets as a data channel would.
type wire struct {
	*inbound
	events  []Event
	replies []*livekit.DataPacket
}

func newWire() *wire {
	w := &wire{}
	w.inbound = &inbound{
		log: zap.NewNop(), self: func() string { return "me" }, hears: func(string) bool { return true }, texts: newStreams(ofTexts, topicChat, topicTranscription), files: newStreams(ofFiles, "papers"),
		post:  func(ev Event) { w.events = append(w.events, ev) },
		reply: func(p ...*livekit.DataPacket) { w.replies = append(w.replies, p...) },
	}
	return w
}

func (w *wire) from(t *testing.T, identity string, packets ...*livekit.DataPacket) {
	t.Helper()
	for _, p := range packets {
		p = proto.CloneOf(p)
		p.ParticipantSid = "PA_" + identity
		if p.ParticipantIdentity == "" {
			p.ParticipantIdentity = identity
		}
		raw, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		w.receive(raw, true)
	}
}

func (w *wire) expect(t *testing.T, want ...Event) {
	t.Helper()
	if diff := cmp.Diff(want, w.events); diff != "" {
		t.Error(diff)
	}
	w.events = nil
}

func text(stream, content string) []*livekit.DataPacket {
	packets := []*livekit.DataPacket{headerPacket(stream, topicChat, "", nil)}
	packets = append(packets, chunkPackets(stream, 0, content)...)
	return append(packets, trailerPacket(stream, nil))
}

func TestTextArrivesWhole(t *testing.T) {
	w := newWire()
	long := strings.Repeat("面试官", 5000) // 45 kB in several chunks
	w.from(t, "ann", text("s1", long)...)
	w.from(t, "ann", text("s2", "")...)
	w.expect(t, Text{ID: "s1", From: "ann", Text: long}, Text{ID: "s2", From: "ann"})
}

// What a client sends a second time says so.
func TestTextSentAgain(t *testing.T) {
	w := newWire()
	w.from(t, "ann", headerPacket("s1", topicChat, "", map[string]string{attributeAgain: "true"}), trailerPacket("s1", nil))
	w.expect(t, Text{ID: "s1", From: "ann", Again: true})
}

func TestTextInTheHeader(t *testing.T) {
	w := newWire()
	p := headerPacket("s1", topicChat, "", nil)
	p.GetStreamHeader().InlineContent = []byte("short")
	w.from(t, "ann", p)
	w.expect(t, Text{ID: "s1", From: "ann", Text: "short"})
	if len(w.texts.open) != 0 {
		t.Error("the stream stayed open")
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	w := newWire()
	packets := text("s1", "x")
	packets[1].GetStreamChunk().Content = []byte("a\xff\xfeb")
	w.from(t, "ann", packets...)
	w.expect(t, Text{ID: "s1", From: "ann", Text: "a\uFFFDb"})
}

// TestStreamsOfTwoSendersDoNotMix: nobody can write into, or end, another's stream.
func TestStreamsOfTwoSendersDoNotMix(t *testing.T) {
	w := newWire()
	a, b := text("same", "from ann"), text("same", "from bob")
	w.from(t, "ann", a[0])
	w.from(t, "bob", b...)
	w.from(t, "ann", a[1:]...)
	w.expect(t, Text{ID: "same", From: "bob", Text: "from bob"}, Text{ID: "same", From: "ann", Text: "from ann"})
}

func TestTranscriptUpdates(t *testing.T) {
	w := newWire()
	seg := newSegment(func(p ...*livekit.DataPacket) error { w.from(t, "robot", p...); return nil }, "robot", "")
	for _, words := range []string{"Hello", " there"} {
		if err := seg.Append(words); err != nil {
			t.Fatal(err)
		}
	}
	if err := seg.Close(); err != nil {
		t.Fatal(err)
	}
	w.from(t, "robot", userTranscriptPackets("ann", "TR_ann", "SG_1", "hi", true, nil)...)
	w.expect(t,
		TranscriptReceived{From: "robot", Segment: seg.ID(), Text: "Hello"},
		TranscriptReceived{From: "robot", Segment: seg.ID(), Text: "Hello there"},
		TranscriptReceived{From: "robot", Segment: seg.ID(), Text: "Hello there", Final: true, Closed: true},
		TranscriptReceived{From: "ann", Segment: "SG_1", Track: "TR_ann", Text: "hi", Final: true},
		TranscriptReceived{From: "ann", Segment: "SG_1", Track: "TR_ann", Text: "hi", Final: true, Closed: true})
}

func TestStreamLimits(t *testing.T) {
	w := newWire()
	for i := range 3 * maxStreamsPerSender {
		w.from(t, "villain", headerPacket(fmt.Sprint("open", i), topicChat, "", nil))
	}
	if n := len(w.texts.open); n != maxStreamsPerSender {
		t.Errorf("%d open streams of one sender, want %d", n, maxStreamsPerSender)
	}
	w.from(t, "ann", text("s", "I am heard")...)
	w.expect(t, Text{ID: "s", From: "ann", Text: "I am heard"})

	w.from(t, "bob", text("long", strings.Repeat("x", MaxText+1))...)
	huge := text("huge", "x")
	huge[0].GetStreamHeader().TotalLength = proto.Uint64(1 << 62)
	w.from(t, "bob", huge...)
	w.from(t, "bob", text("", "no name")...)
	w.expect(t)

	for s := range 40 {
		sender := fmt.Sprint("sender", s)
		for i := range maxStreamsPerSender {
			id := fmt.Sprint(i)
			w.from(t, sender, headerPacket(id, topicChat, "", nil))
			w.from(t, sender, chunkPackets(id, 0, strings.Repeat("x", MaxText))...)
		}
	}
	total := 0
	for _, s := range w.texts.open {
		total += len(s.Data)
	}
	if len(w.texts.open) > maxStreams || total > maxStreamBytes || total != w.texts.bytes {
		t.Errorf("%d streams, %d bytes, counted %d", len(w.texts.open), total, w.texts.bytes)
	}
}

// TestAbandonedStreamsMakeRoom: a sender who lost some trailers can talk again after a while.
func TestAbandonedStreamsMakeRoom(t *testing.T) {
	s := newStreams(ofTexts, topicChat)
	now := time.Unix(1000, 0)
	open := func(i int) {
		s.header("PA_ann", "ann", headerPacket(fmt.Sprint(i), topicChat, "", nil).GetStreamHeader(), now)
	}
	for i := range maxStreamsPerSender + 1 {
		open(i)
	}
	now = now.Add(maxStreamIdle + time.Second)
	open(99)
	if len(s.open) != 1 || s.bytes != 0 {
		t.Errorf("%d streams open, want the new one", len(s.open))
	}
}

// TestPoison is the pair of packets on which the SDK's own decoding panics, and relatives of it.
func TestPoison(t *testing.T) {
	w := newWire()
	w.from(t, "villain",
		headerPacket("s", topicChat, "", nil), trailerPacket("s", map[string]string{"poison": "yes"}),
		trailerPacket("s", map[string]string{"poison": "yes"}),
		&livekit.DataPacket{},
		&livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{}}},
		&livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{
			Topic: topicChat, StreamId: "b", ContentHeader: &livekit.DataStream_Header_ByteHeader{},
		}}},
	)
	w.expect(t, Text{ID: "s", From: "villain"})
}

func TestUserPackets(t *testing.T) {
	w := newWire()
	packet := func(size int) *livekit.DataPacket {
		return &livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{
			Topic: proto.String("topic"), Payload: make([]byte, size),
		}}}
	}
	w.from(t, "ann", packet(3), packet(MaxData+1))
	w.from(t, "me", packet(3))
	w.expect(t, Data{Topic: "topic", From: "ann", Payload: []byte{0, 0, 0}})
}

func TestRemoteCallsAreRefused(t *testing.T) {
	w := newWire()
	w.from(t, "ann", &livekit.DataPacket{Value: &livekit.DataPacket_RpcRequest{RpcRequest: &livekit.RpcRequest{Id: "r1"}}})
	if len(w.replies) != 2 || w.replies[0].GetRpcAck().GetRequestId() != "r1" ||
		w.replies[1].GetRpcResponse().GetError().GetCode() != rpcUnsupported || w.replies[1].GetDestinationIdentities()[0] != "ann" {
		t.Errorf("replies = %v", w.replies)
	}
}

// TestPanicEndsOnePacketOnly holds the recover that is the last line of defence.
func TestPanicEndsOnePacketOnly(t *testing.T) {
	w := newWire()
	w.guard = guard.New(zap.NewNop(), nil)
	w.post = func(Event) { panic("a bug") }
	w.from(t, "ann", text("s", "x")...)
	if w.bad.Load() != 1 {
		t.Errorf("bad = %d", w.bad.Load())
	}
}

// FuzzInbound: no bytes on a data channel cause a panic, not even a recovered one.
func FuzzInbound(f *testing.F) {
	for _, p := range append(text("s", "hello"), trailerPacket("s", map[string]string{"a": "b"})) {
		raw, err := proto.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := newWire()
		w.guard = guard.New(zap.NewNop(), nil)
		valid := proto.Unmarshal(raw, &livekit.DataPacket{}) == nil
		w.receive(raw, true)
		w.receive(raw, false)
		if valid && w.bad.Load() != 0 {
			t.Error("a packet caused a panic")
		}
	})
}
