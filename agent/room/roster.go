package room

import (
	"maps"
	"slices"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
)

// Facts are what the SDK's call-backs report. They say where to look, not what is there: the SDK runs call-backs on
// several goroutines, so the roster compares what it knows with what the SDK shows at the moment of handling.
type (
	somebodyChanged struct {
		identity string
		reason   livekit.DisconnectReason
	}
	attributesChanged struct {
		identity string
		changed  map[string]string
	}
	unpublished     struct{ sid string }
	readingStarted  struct{ reader *reader }
	readingEnded    struct{ reader *reader }
	connectionBroke struct{}
	connectionBack  struct{}
	connectionLost  struct{ reason livekit.DisconnectReason }
	lookAround      struct{} // compare everything
	received        struct{ event Event }
)

// view is the SDK's picture of the others.
type view interface {
	// look returns a participant and their audio tracks; false if they are not in the room.
	look(identity string) (Participant, []publication, bool)
	// everybody returns the identities of all others.
	everybody() []string
}

// publication is one audio track that somebody publishes.
type publication struct {
	track     Track
	id        any          // identifies the publication within the SDK; a rejoin makes a new one
	subscribe func() error // asks the server for it
}

// candidate is what other goroutines may know of the linked participant.
type candidate struct {
	identity   string
	microphone string // SID of the track that is listened to; empty without
}

// roster knows who is in the room and which tracks are received, and turns facts into events. It belongs to the room's
// event goroutine.
type roster struct {
	log          *zap.Logger
	view         view
	emit         func(Event)
	setCandidate func(candidate)
	everybody    bool // everybody is heard

	link    link
	known   map[string]Participant // reported as present, by identity
	asked   map[string]publication // subscribed to, by track SID
	readers []*reader              // being read, oldest first
	mic     *reader                // the candidate's microphone among them
}

func newRoster(o *Options, v view, setCandidate func(candidate)) *roster {
	emit := func(ev Event) { // an event that the handler breaks on is lost, and no other
		_ = o.Guard.Try("room", func() error {
			o.Handler(ev)
			return nil
		})
	}
	return &roster{
		log: o.Logger, view: v, emit: emit, setCandidate: setCandidate, everybody: o.Everybody,
		link:  link{want: o.CandidateIdentity, grace: o.ReconnectGrace},
		known: map[string]Participant{}, asked: map[string]publication{},
	}
}

// handle takes one fact. It reports false after the last one.
func (r *roster) handle(fact any, now time.Time) bool {
	switch f := fact.(type) {
	case somebodyChanged:
		r.compare(f.identity, f.reason, now)
	case attributesChanged:
		r.attributes(f)
	case unpublished:
		r.forget(f.sid)
	case readingStarted:
		r.readers = append(r.readers, f.reader)
		r.emit(TrackSubscribed{Track: f.reader.track})
		r.chooseMicrophone()
	case readingEnded:
		r.ended(f.reader)
	case received:
		r.deliver(f.event)
	case lookAround:
		r.compareAll(now)
	default:
		return r.connection(fact, now)
	}
	return true
}

func (r *roster) connection(fact any, now time.Time) bool {
	switch f := fact.(type) {
	case connectionBroke:
		r.link.suspend()
		r.emit(Reconnecting{})
	case connectionBack:
		r.link.resume(now)
		r.compareAll(now)
		r.emit(Reconnected{})
	case connectionLost:
		r.emit(Disconnected{Reason: f.reason})
		return false
	}
	return true
}

// compareAll reports every difference between what is known and what the SDK shows.
func (r *roster) compareAll(now time.Time) {
	all := maps.Clone(r.known)
	for _, identity := range r.view.everybody() {
		all[identity] = Participant{}
	}
	for identity := range all {
		r.compare(identity, livekit.DisconnectReason_UNKNOWN_REASON, now)
	}
}

func (r *roster) compare(identity string, reason livekit.DisconnectReason, now time.Time) {
	p, tracks, here := r.view.look(identity)
	switch {
	case here:
		r.present(p)
		r.subscribe(p, tracks)
	case !r.link.suspended:
		r.absent(identity, reason, now)
	}
}

func (r *roster) present(p Participant) {
	was, known := r.known[p.Identity]
	if known && was.SID != p.SID {
		r.emit(ParticipantLeft{Participant: was, Reason: livekit.DisconnectReason_DUPLICATE_IDENTITY})
	}
	r.known[p.Identity] = p
	if !known || was.SID != p.SID {
		r.emit(ParticipantJoined{Participant: p})
	}
	if ev := r.link.present(p); ev != nil {
		r.log.Info("room.candidate_present", zap.String("identity", p.Identity), zap.Stringer("kind", p.Kind))
		r.publishCandidate()
		r.emit(ev)
		r.chooseMicrophone()
	}
}

func (r *roster) absent(identity string, reason livekit.DisconnectReason, now time.Time) {
	was, known := r.known[identity]
	if !known {
		r.emitLink(r.link.absent(identity, reason, now)) // the absence was seen before its reason came
		return
	}
	delete(r.known, identity)
	for sid, pub := range r.asked {
		if pub.track.Identity == identity {
			r.forget(sid)
		}
	}
	r.emit(ParticipantLeft{Participant: was, Reason: reason})
	r.emitLink(r.link.absent(identity, reason, now))
}

// expire takes note of the time: a candidate who is away may be gone now.
func (r *roster) expire(now time.Time) {
	r.emitLink(r.link.expire(now))
}

func (r *roster) emitLink(ev Event) {
	switch e := ev.(type) {
	case nil:
		return
	case CandidateAway:
		r.log.Info("room.candidate_away", zap.Stringer("reason", e.Reason))
	case CandidateGone:
		r.log.Info("room.candidate_gone", zap.Stringer("reason", e.Reason))
	}
	r.emit(ev)
}

func (r *roster) attributes(f attributesChanged) {
	p, known := r.known[f.identity]
	if !known {
		return // ParticipantJoined will carry them
	}
	if now, _, here := r.view.look(f.identity); here {
		p.Attributes = now.Attributes
		r.known[f.identity] = p
	}
	r.emit(ParticipantAttributes{Identity: f.identity, Changed: f.changed})
}

// deliver passes on what a participant sent.
func (r *roster) deliver(ev Event) {
	if text, ok := ev.(Text); ok && !r.everybody && !r.link.hears(text.From) {
		r.log.Debug("room.text_of_other_dropped", zap.String("identity", text.From))
		return
	}
	r.emit(ev)
}

// subscribe asks for the wanted tracks that were not asked for yet.
func (r *roster) subscribe(p Participant, tracks []publication) {
	for _, pub := range tracks {
		sid := pub.track.SID
		if asked, ok := r.asked[sid]; ok && asked.id == pub.id || !r.wants(p, pub.track) {
			continue
		}
		if err := pub.subscribe(); err != nil {
			r.log.Warn("room.subscribe_failed", zap.String("track", sid), zap.Error(err))
			continue // the next comparison tries again
		}
		r.asked[sid] = pub
	}
}

func (r *roster) wants(p Participant, t Track) bool {
	return r.everybody || r.link.interviews(p.Identity) && t.Source == livekit.TrackSource_MICROPHONE
}

// forget drops a track that is published no longer; its reader ends by itself or is stopped here.
func (r *roster) forget(sid string) {
	delete(r.asked, sid)
	for _, rd := range r.readers {
		if rd.track.SID == sid {
			rd.stop()
		}
	}
}

func (r *roster) ended(rd *reader) {
	r.readers = slices.DeleteFunc(r.readers, func(have *reader) bool { return have == rd })
	r.chooseMicrophone()
}

// chooseMicrophone listens to the newest microphone of the candidate.
func (r *roster) chooseMicrophone() {
	var mic *reader
	for _, rd := range r.readers {
		if r.link.interviews(rd.track.Identity) && rd.track.Source == livekit.TrackSource_MICROPHONE {
			mic = rd
		}
	}
	if mic == r.mic {
		return
	}
	if r.mic != nil {
		r.mic.heard.Store(false)
	}
	r.mic = mic
	if mic != nil {
		mic.heard.Store(true)
	}
	r.publishCandidate()
}

func (r *roster) publishCandidate() {
	c := candidate{identity: r.link.identity}
	if r.mic != nil {
		c.microphone = r.mic.track.SID
	}
	r.setCandidate(c)
}
