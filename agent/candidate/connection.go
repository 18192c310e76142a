package candidate

import (
	"context"
	"time"

	"github.com/vivavoice/viva/agent/room"
)

// Server is where rooms are. LiveKit is the real one.
type Server interface {
	// Connect joins the room as a standard participant and starts to deliver to the listener, possibly before it returns. An agent
	// that is already there is reported as having joined. Deliveries end before Connection.Close returns.
	Connect(ctx context.Context, who Identity, to Listener) (Connection, error)
	// Dispatch asks for an agent in the room, with job metadata.
	Dispatch(ctx context.Context, room, agentName, metadata string) error
	// Delete ends the room for everyone in it.
	Delete(ctx context.Context, room string) error
}

// Identity says who joins which room.
type Identity struct {
	Room     string
	Identity string
	Name     string
	// Transcripts asks for what is said in words. Whom they do not concern is spared the work.
	Transcripts bool
	// DTX says that most of the silence will not be sent.
	DTX bool
}

// Connection is one participant's presence in a room.
type Connection interface {
	// Publish announces a microphone track and returns where to write its frames. The track ends with the connection.
	Publish(ctx context.Context) (Microphone, error)
	// SendText sends a text stream to everybody; topic lk.chat is what people type. It does not wait for the network.
	SendText(topic, text string) error
	// SendData sends a user packet of at most 15 000 bytes to everybody. It does not wait for the network and keeps the payload,
	// which must not be changed afterwards.
	SendData(topic string, payload []byte) error
	// Close leaves the room and waits for the connection's goroutines, bounded by ctx. It may be called more than once.
	Close(ctx context.Context) error
}

// Microphone takes the frames of a published track from one goroutine.
type Microphone interface {
	// WritePacket sends 20 ms of Opus at once. The payload stays the caller's and is not kept after the call.
	WritePacket(payload []byte, p room.Packet) error
}

// Listener receives what happens in a room.
type Listener interface {
	// Packet hands over one RTP packet of an agent's audio track. It never blocks; the payload is copied.
	Packet(p Packet)
	// Event hands over one event, in order. It may wait for the candidate, which is quick, and is always released by its end.
	Event(e Event)
}

// Packet is one RTP packet with an agent's voice.
type Packet struct {
	Track     string    // the track's id
	Sequence  uint16    // RTP sequence number
	Timestamp uint32    // RTP timestamp, 48 kHz samples
	Marker    bool      // RTP marker: first packet of a talk spurt
	Payload   []byte    // one Opus packet; empty for padding
	At        time.Time // arrival
}

// Event is something that happened in the room, and when the candidate was told.
type Event struct {
	room.Event
	At time.Time
}
