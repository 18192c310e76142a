package e2e

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"github.com/pion/rtp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/e2e/marked"
	"github.com/vivavoice/viva/agent/room"
)

// guest is a candidate in a room: ears, a mouth, and all that the room reported.
type guest struct {
	*room.Room
	t     *testing.T
	ear   *ear
	mouth *mouth

	mu     sync.Mutex
	events []room.Event // guarded by mu
	met    time.Time    // guarded by mu; when the first agent was there
}

// visit is a seat in a room.
type visit struct {
	server   address // nil: the shared one
	room     string  // "": the test's
	identity string  // "": candidate
	config   *livekit.RoomConfiguration
	tape     *marked.Tape // nil: none; takes down the agent's marked voice
	recorder *recorder    // nil: none; keeps the agent's voice
}

// address is where a LiveKit server is.
type address interface{ URL() string }

// enter takes the seat and opens the microphone. It is left when the test ends, if it was not before.
func enter(t *testing.T, v visit) *guest {
	t.Helper()
	if v.server == nil {
		v.server = server
	}
	if v.room == "" {
		v.room = roomName(t)
	}
	if v.identity == "" {
		v.identity = "candidate"
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	g := &guest{t: t, ear: newEar()}
	g.ear.recorder = v.recorder
	join := func() (*room.Room, error) {
		return room.Join(ctx, room.Options{
			URL: v.server.URL(), Token: token(t, v), Logger: zap.NewNop(), Handler: g.note, Everybody: true, Transcripts: true,
			Audio: func(tr room.Track, p *rtp.Packet, at time.Time) {
				if tr.Kind != livekit.ParticipantInfo_AGENT {
					return
				}
				g.ear.hear(tr.SID, p, at)
				if v.tape != nil {
					v.tape.Hear(p.Payload, p.SequenceNumber, p.Timestamp, at)
				}
			},
		})
	}
	r, err := join()
	if err != nil { // a browser tries again, too: on a busy machine the server can be late
		t.Log(err)
		if r, err = join(); err != nil {
			t.Fatal(err)
		}
	}
	g.Room = r
	t.Cleanup(g.leave)
	microphone, err := r.PublishMicrophone(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	g.mouth = newMouth(t, microphone)
	return g
}

func token(t *testing.T, v visit) string {
	t.Helper()
	access := auth.NewAccessToken(apiKey, apiSecret).SetIdentity(v.identity).SetName("Jordan Lee").
		SetVideoGrant(&auth.VideoGrant{RoomJoin: true, Room: v.room})
	if v.config != nil {
		access.SetRoomConfig(v.config)
	}
	jwt, err := access.ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	return jwt
}

// leave says goodbye to the server, as closing the page does. It may be repeated.
func (g *guest) leave() {
	if g.mouth != nil {
		g.mouth.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := g.Leave(ctx); err != nil && !errors.Is(err, room.ErrLeft) {
		g.t.Errorf("leave: %v", err)
	}
}

func (g *guest) note(e room.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = append(g.events, e)
	if p, ok := e.(room.ParticipantJoined); ok && p.Participant.Kind == livekit.ParticipantInfo_AGENT && g.met.IsZero() {
		g.met = time.Now()
	}
}

// all are the events of one type so far.
func all[E room.Event](g *guest) []E {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []E
	for _, ev := range g.events {
		if e, ok := ev.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// await waits for an event that ok accepts.
func await[E room.Event](g *guest, what string, ok func(E) bool) E {
	g.t.Helper()
	var found E
	eventually(g.t, what, func() bool {
		for _, e := range all[E](g) {
			if ok(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// agents are the agents that have come, each once.
func (g *guest) agents() []string {
	var ids []string
	for _, e := range all[room.ParticipantJoined](g) {
		if e.Participant.Kind == livekit.ParticipantInfo_AGENT {
			ids = append(ids, e.Participant.Identity)
		}
	}
	return ids
}

// awaitAgentLeft waits until the agent has gone, so that the candidate is not kept by somebody who says nothing.
func (g *guest) awaitAgentLeft() {
	g.t.Helper()
	await(g, "departure of the agent", func(e room.ParticipantLeft) bool {
		return e.Participant.Kind == livekit.ParticipantInfo_AGENT
	})
}

// attribute gives the values that an attribute of the agent has had, in order.
func (g *guest) attribute(name string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var values []string
	for _, ev := range g.events {
		var v string
		var ok bool
		switch e := ev.(type) {
		case room.ParticipantJoined:
			v, ok = e.Participant.Attributes[name]
		case room.ParticipantAttributes:
			v, ok = e.Changed[name]
		}
		if ok && (len(values) == 0 || values[len(values)-1] != v) {
			values = append(values, v)
		}
	}
	return values
}

func (g *guest) awaitAttribute(name, value string) {
	g.t.Helper()
	eventually(g.t, name+" = "+value, func() bool {
		values := g.attribute(name)
		return len(values) > 0 && values[len(values)-1] == value
	})
}

// transcript is one segment as it stood last.
type transcript struct {
	room.TranscriptReceived
	interim int // updates that were not final
}

// transcripts are the segments of the candidate's words, or of everybody else's, in order of appearance.
func (g *guest) transcripts(own bool) []transcript {
	var segments []transcript
	index := map[string]int{}
	for _, e := range all[room.TranscriptReceived](g) {
		if (e.From == g.Identity()) != own {
			continue
		}
		i, known := index[e.Segment]
		if !known {
			i = len(segments)
			index[e.Segment] = i
			segments = append(segments, transcript{})
		}
		segments[i].TranscriptReceived = e
		if !e.Final {
			segments[i].interim++
		}
	}
	return segments
}

// awaitWords waits until the agent's transcript has the words, whatever their case.
func (g *guest) awaitWords(words string) {
	g.t.Helper()
	eventually(g.t, "words "+words, func() bool { return g.said(words) > 0 })
}

// said counts the agent's segments with the words.
func (g *guest) said(words string) int {
	n := 0
	for _, s := range g.transcripts(false) {
		if strings.Contains(strings.ToLower(s.Text), strings.ToLower(words)) {
			n++
		}
	}
	return n
}

// types sends a message as the page's input does.
func (g *guest) types(text string) {
	g.t.Helper()
	if err := g.SendText("lk.chat", text); err != nil {
		g.t.Fatal(err)
	}
}
