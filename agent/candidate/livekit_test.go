package candidate

import (
	"errors"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/rtp"

	"github.com/vivavoice/viva/agent/room"
)

// notes keeps what a listener is told.
type notes struct {
	packets []Packet
	events  []Event
}

func (n *notes) Packet(p Packet) { n.packets = append(n.packets, p) }
func (n *notes) Event(e Event)   { n.events = append(n.events, e) }

// Only agents concern a candidate, whoever else is in the room.
func TestForwardsAgentsOnly(t *testing.T) {
	var n notes
	agent := room.Participant{Identity: "agent", Kind: livekit.ParticipantInfo_AGENT}
	person := room.Participant{Identity: "person", Kind: livekit.ParticipantInfo_STANDARD}
	for _, e := range []room.Event{
		room.ParticipantJoined{Participant: person}, room.ParticipantJoined{Participant: agent}, room.Reconnecting{},
		room.ParticipantAttributes{Identity: "agent", Changed: map[string]string{"lk.agent.state": "thinking"}},
		room.ParticipantLeft{Participant: person}, room.ParticipantLeft{Participant: agent},
	} {
		forwardEvent(e, &n)
	}
	if len(n.events) != 3 {
		t.Fatalf("events %+v, want the agent's three", n.events)
	}
	if joined, ok := n.events[0].(AgentJoined); !ok || joined.Identity != "agent" || joined.At.IsZero() {
		t.Errorf("first event %+v, want AgentJoined", n.events[0])
	}
	if told, ok := n.events[1].(AgentAttributes); !ok || told.Identity != "agent" || told.Changed[stateAttribute] != thinking {
		t.Errorf("second event %+v, want AgentAttributes", n.events[1])
	}
	if left, ok := n.events[2].(AgentLeft); !ok || left.Identity != "agent" {
		t.Errorf("third event %+v, want AgentLeft", n.events[2])
	}
	agent.Attributes = map[string]string{"stage": "ONE"}
	forwardEvent(room.ParticipantJoined{Participant: agent}, &n)
	if told, ok := n.events[len(n.events)-1].(AgentAttributes); !ok || told.Changed["stage"] != "ONE" {
		t.Errorf("last event %+v, want what the agent told before it was seen", n.events[len(n.events)-1])
	}

	forwardEvent(room.TranscriptReceived{From: "agent", Segment: "SG_1", Text: "Hello.", Final: true, Closed: true}, &n)
	if w, ok := n.events[len(n.events)-1].(Words); !ok || w.From != "agent" || w.Segment != "SG_1" || w.Text != "Hello." || !w.Final || !w.Closed || w.At.IsZero() {
		t.Errorf("last event %+v, want the words", n.events[len(n.events)-1])
	}

	packet := &rtp.Packet{Header: rtp.Header{SequenceNumber: 7, Timestamp: 960, Marker: true}, Payload: []byte{1}}
	forwardPacket(room.Track{SID: "TR_1", Kind: livekit.ParticipantInfo_STANDARD}, packet, time.Now(), &n)
	forwardPacket(room.Track{SID: "TR_2", Kind: livekit.ParticipantInfo_AGENT}, packet, epoch, &n)
	if len(n.packets) != 1 {
		t.Fatalf("%d packets, want the agent's one", len(n.packets))
	}
	if p := n.packets[0]; p.Track != "TR_2" || p.Sequence != 7 || p.Timestamp != 960 || !p.Marker || !p.At.Equal(epoch) {
		t.Errorf("packet %+v", p)
	}
}

func TestForwardsDisconnects(t *testing.T) {
	for reason, closed := range map[livekit.DisconnectReason]bool{
		livekit.DisconnectReason_ROOM_DELETED:        true,
		livekit.DisconnectReason_DUPLICATE_IDENTITY:  false,
		livekit.DisconnectReason_SERVER_SHUTDOWN:     false,
		livekit.DisconnectReason_PARTICIPANT_REMOVED: false,
	} {
		var n notes
		forwardEvent(room.Disconnected{Reason: reason}, &n)
		d, ok := n.events[0].(Disconnected)
		if !ok || errors.Is(d.Err, ErrRoomClosed) != closed {
			t.Errorf("%v: event %+v, room closed: want %v", reason, n.events[0], closed)
		}
	}
}
