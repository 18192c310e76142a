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

// one guards a callback of the SDK, which comes on a goroutine of the SDK's. A look around makes good what a panic lost.
func one[A any](r *Room, f func(A)) func(A) {
	return func(a A) {
		err := r.opts.Guard.Try("room", func() error {
			f(a)
			return nil
		})
		if err != nil {
			r.overflowed.Store(true)
			r.mailbox.signal()
		}
	}
}

// none is one for a callback without arguments, two for one with two, three for one with three.
func none(r *Room, f func()) func() {
	guarded := one(r, func(struct{}) { f() })
	return func() { guarded(struct{}{}) }
}

func two[A, B any](r *Room, f func(A, B)) func(A, B) {
	return func(a A, b B) { one(r, func(a A) { f(a, b) })(a) }
}

func three[A, B, C any](r *Room, f func(A, B, C)) func(A, B, C) {
	return func(a A, b B, c C) { two(r, func(a A, b B) { f(a, b, c) })(a, b) }
}

// callbacks is what the SDK calls, on goroutines of its own, all of it guarded. None of it waits for anything.
//
// Stream, data and RPC handlers are missing on purpose, see tap.
func (r *Room) callbacks() *lksdk.RoomCallback {
	return &lksdk.RoomCallback{
		ParticipantCallback: r.participantCallbacks(),
		OnParticipantConnected: one(r, func(p *lksdk.RemoteParticipant) {
			r.post(somebodyChanged{identity: p.Identity()})
		}),
		OnParticipantDisconnected: one(r, func(p *lksdk.RemoteParticipant) {
			r.post(somebodyChanged{p.Identity(), p.DisconnectReason()})
		}),
		OnReconnecting: none(r, func() { r.postVital(connectionBroke{}) }),
		OnReconnected:  none(r, r.reconnected),
		OnDisconnected: none(r, r.lost),
		OnLocalTrackSubscribed: two(r, func(pub *lksdk.LocalTrackPublication, _ *lksdk.LocalParticipant) {
			r.voices.subscribed(pub)
		}),
	}
}

func (r *Room) participantCallbacks() lksdk.ParticipantCallback {
	return lksdk.ParticipantCallback{
		OnTrackPublished: two(r, func(_ *lksdk.RemoteTrackPublication, p *lksdk.RemoteParticipant) {
			r.postAbout(p.Identity(), somebodyChanged{identity: p.Identity()})
		}),
		OnTrackUnpublished: two(r, func(pub *lksdk.RemoteTrackPublication, p *lksdk.RemoteParticipant) {
			r.postAbout(p.Identity(), unpublished{sid: pub.SID()})
		}),
		OnTrackSubscribed: three(r, r.trackSubscribed),
		OnAttributesChanged: two(r, func(changed map[string]string, p lksdk.Participant) {
			r.postAbout(p.Identity(), attributesChanged{identity: p.Identity(), changed: changed})
		}),
		OnLocalTrackPublished: two(r, func(pub *lksdk.LocalTrackPublication, _ *lksdk.LocalParticipant) {
			r.voices.published(pub)
		}),
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
	rd := &reader{log: r.log, guard: r.opts.Guard, track: describeTrack(pub, p), source: track, raw: r.opts.Audio, hear: r.hear}
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
				track: describeTrack(pub, p), id: pub,
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

// take has the roster handle a fact; false: it was the last. One that makes it panic is lost, and a look around makes good what
// it was about.
func (r *Room) take(ros *roster, fact any) (more bool) {
	err := r.opts.Guard.Try("room", func() error {
		more = ros.handle(fact, time.Now())
		return nil
	})
	if err != nil {
		r.overflowed.Store(true)
		return true
	}
	return more
}

// deliverEvents is the event goroutine: the only one that touches the roster and calls the handler.
func (r *Room) deliverEvents(ros *roster) {
	grace := time.NewTimer(0)
	defer grace.Stop()
	var facts []any
	for {
		facts, _ = r.mailbox.take(facts)
		for _, f := range facts {
			if !r.take(ros, f) {
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
