package room

import (
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"go.uber.org/zap"
)

// Limits of the mailbox: facts about the room, and below that what participants send.
const (
	mailboxLimit  = 1024
	receivedLimit = 256
)

// post leaves a fact for the event goroutine. If too many wait, the fact is replaced by a look around, later.
func (r *Room) post(fact any) {
	if !r.mailbox.put(mailboxLimit, fact) && !r.mailbox.isClosed() {
		r.overflowed.Store(true)
	}
}

// postAbout is post for a fact about one participant. Half of the room is kept for those about the candidate.
func (r *Room) postAbout(identity string, fact any) {
	limit := mailboxLimit / 2
	if r.hears(identity) {
		limit = mailboxLimit
	}
	if !r.mailbox.put(limit, fact) && !r.mailbox.isClosed() {
		r.overflowed.Store(true)
	}
}

// postVital is for the few facts that no look around can make good: connection and readers. They have room to themselves.
func (r *Room) postVital(fact any) {
	r.mailbox.put(2*mailboxLimit, fact)
}

// postReceived leaves what a participant sent; if too much waits, it is dropped.
func (r *Room) postReceived(ev Event) {
	if r.mailbox.put(receivedLimit, any(received{event: ev})) || r.mailbox.isClosed() {
		return
	}
	if r.dropped.Add(1) == 1 {
		r.log.Warn("room.received_dropped", zap.Int("limit", receivedLimit))
	}
}

// callbacks is what the SDK calls, on goroutines of its own. None of it waits for anything.
//
// Stream, data and RPC handlers are missing on purpose, see tap.
func (r *Room) callbacks() *lksdk.RoomCallback {
	return &lksdk.RoomCallback{
		ParticipantCallback:       r.participantCallbacks(),
		OnParticipantConnected:    func(p *lksdk.RemoteParticipant) { r.post(somebodyChanged{identity: p.Identity()}) },
		OnParticipantDisconnected: func(p *lksdk.RemoteParticipant) { r.post(somebodyChanged{p.Identity(), p.DisconnectReason()}) },
		OnReconnecting:            func() { r.postVital(connectionBroke{}) },
		OnReconnected:             r.reconnected,
		OnDisconnected:            r.lost,
		OnLocalTrackSubscribed: func(pub *lksdk.LocalTrackPublication, _ *lksdk.LocalParticipant) {
			r.voices.subscribed(pub)
		},
	}
}

func (r *Room) participantCallbacks() lksdk.ParticipantCallback {
	return lksdk.ParticipantCallback{
		OnTrackPublished: func(_ *lksdk.RemoteTrackPublication, p *lksdk.RemoteParticipant) {
			r.postAbout(p.Identity(), somebodyChanged{identity: p.Identity()})
		},
		OnTrackUnpublished: func(pub *lksdk.RemoteTrackPublication, p *lksdk.RemoteParticipant) {
			r.postAbout(p.Identity(), unpublished{sid: pub.SID()})
		},
		OnTrackSubscribed: r.trackSubscribed,
		OnTrackMuted: func(pub lksdk.TrackPublication, p lksdk.Participant) {
			r.postAbout(p.Identity(), muteChanged{sid: pub.SID(), muted: true})
		},
		OnTrackUnmuted: func(pub lksdk.TrackPublication, p lksdk.Participant) {
			r.postAbout(p.Identity(), muteChanged{sid: pub.SID()})
		},
		OnAttributesChanged: func(changed map[string]string, p lksdk.Participant) {
			r.postAbout(p.Identity(), attributesChanged{identity: p.Identity(), changed: changed})
		},
		OnLocalTrackPublished: func(pub *lksdk.LocalTrackPublication, _ *lksdk.LocalParticipant) {
			r.voices.published(pub)
		},
	}
}

func (r *Room) reconnected() {
	r.attributes.again()
	r.postVital(connectionBack{})
}

func (r *Room) lost() {
	if r.goodbye.answer() {
		return // it was left
	}
	r.outbox.packets.close()
	r.postVital(connectionLost{reason: r.sdk.DisconnectReason()})
}

func (r *Room) trackSubscribed(track *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, p *lksdk.RemoteParticipant) {
	if track.Kind() != webrtc.RTPCodecTypeAudio {
		return
	}
	rd := &reader{log: r.log, track: describeTrack(pub, p), source: track, raw: r.opts.Audio, hear: r.hear}
	r.postVital(readingStarted{reader: rd})
	r.readers.start(rd, func() { r.postVital(readingEnded{reader: rd}) })
}

// sdkView is the view of an SDK room.
type sdkView struct{ room *lksdk.Room }

var _ view = sdkView{}

func (v sdkView) everybody() []string {
	var all []string
	for _, p := range v.room.GetRemoteParticipants() {
		all = append(all, p.Identity())
	}
	return all
}

func (v sdkView) look(identity string) (Participant, []publication, bool) {
	p := v.room.GetParticipantByIdentity(identity)
	if p == nil {
		return Participant{}, nil, false
	}
	var tracks []publication
	for _, t := range p.TrackPublications() {
		if pub, ok := t.(*lksdk.RemoteTrackPublication); ok && pub.Kind() == lksdk.TrackKindAudio {
			tracks = append(tracks, publication{
				track: describeTrack(pub, p), muted: pub.IsMuted(), id: pub,
				subscribe: func() error { return pub.SetSubscribed(true) },
			})
		}
	}
	return Participant{
		Identity: identity, SID: p.SID(), Name: p.Name(), Metadata: p.Metadata(),
		Kind: livekit.ParticipantInfo_Kind(p.Kind()), Attributes: p.Attributes(),
	}, tracks, true
}

func describeTrack(pub *lksdk.RemoteTrackPublication, p *lksdk.RemoteParticipant) Track {
	return Track{
		SID: pub.SID(), Name: pub.Name(), Source: pub.Source(),
		Identity: p.Identity(), Kind: livekit.ParticipantInfo_Kind(p.Kind()),
	}
}

// deliverEvents is the event goroutine: the only one that touches the roster and calls the handler.
func (r *Room) deliverEvents(ros *roster) {
	grace := time.NewTimer(0)
	defer grace.Stop()
	var facts []any
	for {
		facts, _ = r.mailbox.take(facts)
		for _, f := range facts {
			if !ros.handle(f, time.Now()) {
				r.mailbox.close()
				return
			}
		}
		if r.overflowed.Swap(false) {
			r.log.Warn("room.mailbox_overflowed", zap.Int("limit", mailboxLimit))
			ros.handle(lookAround{}, time.Now())
		}
		var expired <-chan time.Time
		if wait, ok := ros.link.wait(time.Now()); ok {
			grace.Reset(wait)
			expired = grace.C
		}
		select {
		case <-r.mailbox.wake:
		case <-expired:
			ros.expire(time.Now())
		case <-r.done:
			return
		}
	}
}
