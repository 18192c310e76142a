package candidate

import (
	"errors"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/rtp"

	"github.com/vivavoice/viva/agent/room"
)

// notes keeps the packets that a listener is told of.
type notes struct{ packets []Packet }

func (n *notes) Packet(p Packet) { n.packets = append(n.packets, p) }
func (n *notes) Event(Event)     {}

// Only agents concern a candidate, whoever else is in the room.
func TestHeedsAgentsOnly(t *testing.T) {
	talker := newTestTalker(&script{})
	talker.stageAttribute = "stage"
	agent := room.Participant{Identity: "agent", Kind: livekit.ParticipantInfo_AGENT, Attributes: map[string]string{"stage": "ONE"}}
	person := room.Participant{Identity: "person", Kind: livekit.ParticipantInfo_STANDARD}
	note := func(events ...room.Event) {
		t.Helper()
		for _, e := range events {
			if outcome, err := talker.note(Event{e, epoch}); outcome != "" || err != nil {
				t.Errorf("%+v: %q, %v", e, outcome, err)
			}
		}
	}
	said := func(who, text string) room.Event { return room.TranscriptReceived{From: who, Segment: who, Text: text} }
	note(room.ParticipantJoined{Participant: person}, said("person", "Hello."), room.ParticipantAttributes{Identity: "person", Changed: map[string]string{"stage": "TWO"}})
	if talker.met || len(talker.minutes.lines) > 0 || talker.minutes.stage != "" {
		t.Errorf("a person was taken for an agent: %+v", talker.minutes)
	}
	note(room.ParticipantJoined{Participant: agent}, room.Reconnecting{}, said("agent", "Good day."),
		room.ParticipantAttributes{Identity: "agent", Changed: map[string]string{"lk.agent.state": "thinking"}}, room.ParticipantLeft{Participant: person})
	if !talker.met || len(talker.agents) != 1 || len(talker.minutes.lines) != 1 || talker.minutes.stage != "ONE" || talker.state != thinking {
		t.Errorf("met %t, agents %v, minutes %+v, state %q", talker.met, talker.agents, talker.minutes, talker.state)
	}
	note(room.ParticipantLeft{Participant: agent})
	if len(talker.agents) > 0 || !talker.alone.Equal(epoch) {
		t.Errorf("agents %v, alone since %v", talker.agents, talker.alone)
	}

	var n notes
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

// An agent may close the room to end the conversation.
func TestDisconnects(t *testing.T) {
	for reason, closed := range map[livekit.DisconnectReason]bool{
		livekit.DisconnectReason_ROOM_DELETED:        true,
		livekit.DisconnectReason_DUPLICATE_IDENTITY:  false,
		livekit.DisconnectReason_SERVER_SHUTDOWN:     false,
		livekit.DisconnectReason_PARTICIPANT_REMOVED: false,
	} {
		for _, met := range []bool{false, true} {
			talker := newTestTalker(&script{})
			talker.met = met
			want := OutcomeFailed
			if closed && met {
				want = OutcomeAgentLeft
			}
			outcome, err := talker.note(Event{room.Disconnected{Reason: reason}, epoch})
			if outcome != want || (err == nil) != (want == OutcomeAgentLeft) || errors.Is(err, ErrRoomClosed) != (closed && !met) {
				t.Errorf("%v, met %t: %s, %v", reason, met, outcome, err)
			}
		}
	}
}
