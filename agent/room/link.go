package room

import (
	"time"

	"github.com/livekit/protocol/livekit"
)

// attributePublishOnBehalf marks a participant that speaks for another one, such as an avatar.
const attributePublishOnBehalf = "lk.publish_on_behalf"

type linkState int

const (
	linkNone linkState = iota // nobody yet
	linkHere
	linkAway // left, may come back until the deadline
	linkGone // left for good; nobody else is linked afterwards
)

// link decides who the candidate is and whether they are still there. It is a pure state machine: facts and the time in,
// at most one event out (nil for none). It belongs to one goroutine.
//
// The rules are those of LiveKit's agent frameworks: link to the configured identity, else to the first participant of a
// human kind; end at once when the candidate left on purpose or the room was deleted, wait for a return otherwise.
type link struct {
	want  string // identity to link to; empty: the first eligible one
	grace time.Duration

	state     linkState
	identity  string // of the candidate, once linked
	deadline  time.Time
	reason    livekit.DisconnectReason // why the candidate is away
	suspended bool                     // own connection is down: absences mean nothing
}

// present takes note of somebody who is in the room.
func (l *link) present(p Participant) Event {
	switch {
	case l.state == linkNone && l.eligible(p):
		l.state, l.identity = linkHere, p.Identity
		return CandidateJoined{Participant: p}
	case l.state == linkAway && p.Identity == l.identity:
		l.state = linkHere
		return CandidateBack{Participant: p}
	}
	return nil
}

// absent takes note of somebody who is no longer in the room.
func (l *link) absent(identity string, reason livekit.DisconnectReason, now time.Time) Event {
	if l.suspended || identity != l.identity || l.state != linkHere && l.state != linkAway {
		return nil
	}
	switch {
	case isFinal(reason):
		l.state = linkGone
		return CandidateGone{Reason: reason}
	case l.state == linkAway:
		if reason != livekit.DisconnectReason_UNKNOWN_REASON { // it may come after the absence was seen
			l.reason = reason
		}
		return nil
	}
	l.state, l.reason, l.deadline = linkAway, reason, now.Add(l.grace)
	return CandidateAway{Reason: reason}
}

// expire takes note of the time.
func (l *link) expire(now time.Time) Event {
	if l.suspended || l.state != linkAway || now.Before(l.deadline) {
		return nil
	}
	l.state = linkGone
	return CandidateGone{Reason: l.reason}
}

// suspend says that the own connection is down. A full rejoin makes everybody seem to leave; none of that counts.
func (l *link) suspend() { l.suspended = true }

// resume says that the own connection is back. A candidate who was away gets the whole grace again, because a return in
// between could not be seen.
func (l *link) resume(now time.Time) {
	l.suspended = false
	if l.state == linkAway {
		l.deadline = now.Add(l.grace)
	}
}

// wait is how long until expire has something to say; false if it never has.
func (l *link) wait(now time.Time) (time.Duration, bool) {
	if l.suspended || l.state != linkAway {
		return 0, false
	}
	return max(0, l.deadline.Sub(now)), true
}

// interviews says whether the identity is that of the candidate, who has not gone.
func (l *link) interviews(identity string) bool {
	return (l.state == linkHere || l.state == linkAway) && identity == l.identity
}

// hears says whether what a participant types counts: everybody's before there is a candidate, then only the candidate's.
func (l *link) hears(identity string) bool {
	return l.state == linkNone || identity == l.identity
}

func (l *link) eligible(p Participant) bool {
	if l.want != "" {
		return p.Identity == l.want
	}
	return p.IsPerson()
}

// IsPerson reports whether this may be a candidate: neither a program, nor who speaks for another participant.
func (p Participant) IsPerson() bool {
	switch p.Kind {
	case livekit.ParticipantInfo_STANDARD, livekit.ParticipantInfo_SIP, livekit.ParticipantInfo_CONNECTOR:
		return p.Attributes[attributePublishOnBehalf] == ""
	}
	return false
}

// isFinal tells a departure on purpose from a dropped connection.
func isFinal(reason livekit.DisconnectReason) bool {
	switch reason {
	case livekit.DisconnectReason_CLIENT_INITIATED,
		livekit.DisconnectReason_ROOM_DELETED,
		livekit.DisconnectReason_USER_REJECTED:
		return true
	}
	return false
}
