package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/twitchtv/twirp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/state/store"
)

const (
	// watches of leases that ran out fit in the life of one.
	watches = 8
	// rescueLimit bounds the calls that bring an interviewer into one room.
	rescueLimit = 5 * time.Second
	// rescueHold is how long whoever was called may take to hold the interview, before somebody else is called. LiveKit asks one
	// worker for 3 s, also one that stands still, and then nobody else.
	rescueHold = 4 * time.Second
	// absentWait is how often it is looked whether a candidate has come back into a room that has no interviewer.
	absentWait = 2 * time.Second
	rescues    = 16 // at a time
)

// Rooms calls interviewers into rooms, and removes those who died there. It is safe for concurrent use.
type Rooms interface {
	// Present are those who are in the room; nobody if there is no such room.
	Present(ctx context.Context, room string) ([]Seat, error)
	// Remove takes a participant out of the room. It is no error if they are not there.
	Remove(ctx context.Context, room, identity string) error
	// Dispatch calls an interviewer by the name that its workers have registered.
	Dispatch(ctx context.Context, room, agent, metadata string) error
}

// Seat is somebody's place in a room.
type Seat struct {
	Identity    string
	Interviewer bool // it was called to hold an interview
	Person      bool // it may be a candidate
}

// Rescue says whose interviews are rescued, and how. All fields are required.
type Rescue struct {
	Rooms Rooms
	Agent string      // the name under which the workers are registered; "" is one
	Ready func() bool // whether a worker would take a job
}

// Rescue calls another interviewer into every room whose interviewer's lease ran out, until ctx ends; without leases it returns at
// once. Of all workers that watch, one calls. When the candidate has left it waits for them, as long as the interview may be resumed.
func (i *Interviewer) Rescue(ctx context.Context, r Rescue) error {
	if i.leaseholder == nil {
		return nil
	}
	ticker := time.NewTicker(leaseLife / watches)
	defer ticker.Stop()
	g := guard.New(i.o.Logger, i.o.Metrics.panicked)
	var calls sync.WaitGroup
	defer calls.Wait()
	w := watch{leases: i.o.Leases, seen: time.Now()}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if !r.Ready() || i.leaseholder.yields() {
			continue
		}
		left, err := w.look(ctx, r.Agent)
		if err != nil && ctx.Err() == nil {
			i.o.Logger.Warn("lease.unwatched", zap.Error(err))
		}
		for _, o := range left {
			g.Beside(&calls, "rescue", func() { i.rescue(ctx, r.Rooms, &o) })
		}
	}
}

// watch looks for leases that ran out. After the database was away it leaves time to renew them to whoever lives: all of them ran out, and
// an interview that changes hands for that is silent for two seconds.
type watch struct {
	leases Leases
	blind  bool      // the database did not answer
	seen   time.Time // when it last did
	from   time.Time // nothing is claimed before
}

// look claims what ran out. Its error is told once for each time that the database is away.
func (w *watch) look(ctx context.Context, agent string) ([]store.Orphan, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseLife/2)
	defer cancel()
	if w.blind {
		if w.leases.Ping(ctx) != nil {
			return nil, nil
		}
		if time.Since(w.seen) > leaseLife/2 {
			w.from = time.Now().Add(leaseLife)
		}
		w.blind, w.seen = false, time.Now()
	}
	if time.Now().Before(w.from) {
		return nil, nil
	}
	left, err := w.leases.ClaimOrphans(ctx, agent, resumeWithin, rescueHold, rescues)
	if w.blind = err != nil; !w.blind {
		w.seen = time.Now()
	}
	return left, err
}

// rescue calls an interviewer for one session. What fails is tried again when the claim has run out.
func (i *Interviewer) rescue(ctx context.Context, rooms Rooms, o *store.Orphan) {
	ctx, cancel := context.WithTimeout(ctx, rescueLimit)
	defer cancel()
	log := i.o.Logger.With(zap.String("session", o.Session), zap.String("room", o.Room))
	switch called, err := i.call(ctx, rooms, o); {
	case err != nil:
		log.Warn("rescue.failed", zap.Error(err))
		i.o.Metrics.rescued(rescueFailed)
	case called:
		log.Info("rescue.called", zap.Int64("epoch", o.Epoch))
		i.o.Metrics.rescued(rescueCalled)
	}
}

// call dispatches an interviewer if the candidate is there.
func (i *Interviewer) call(ctx context.Context, rooms Rooms, o *store.Orphan) (called bool, err error) {
	s, err := i.o.Archive.Session(ctx, o.Session)
	if err != nil {
		return false, err
	}
	if s.State == store.Waiting {
		if over, err := i.superseded(ctx, o); over || err != nil {
			return false, err
		}
	}
	metadata, err := resuming(o, &s)
	if err != nil {
		return false, errors.Join(err, i.o.Leases.Release(ctx, o.Hold))
	}
	present, err := rooms.Present(ctx, o.Room)
	switch {
	case err != nil:
		return false, fmt.Errorf("look who is in the room: %w", err)
	case !slices.ContainsFunc(present, func(p Seat) bool { return p.Identity == s.Identity || s.Identity == "" && p.Person }):
		return false, i.o.Leases.Postpone(ctx, o.Hold, absentWait)
	}
	for _, p := range present {
		// The former one may be alive, and speak. One that died before it held the interview would have the next one wait until LiveKit
		// has noticed, some 20 s later.
		if p.Identity != o.Identity && !p.Interviewer {
			continue
		}
		if err := rooms.Remove(ctx, o.Room, p.Identity); err != nil {
			return false, fmt.Errorf("take the former interviewer out of the room: %w", err)
		}
	}
	if err := rooms.Dispatch(ctx, o.Room, o.Agent, metadata); err != nil {
		return false, fmt.Errorf("dispatch an interviewer: %w", err)
	}
	return true, nil
}

// superseded gives up a session that has not begun where another one has come in its place.
func (i *Interviewer) superseded(ctx context.Context, o *store.Orphan) (is bool, err error) {
	if is, err = i.o.Archive.Superseded(ctx, o.Session, resumeWithin); !is || err != nil {
		return false, err
	}
	over := store.Session{ID: o.Session, State: store.Failed, Ended: time.Now(), Reason: reasonTaken}
	return true, errors.Join(i.o.Leases.Release(ctx, o.Hold), i.o.Archive.SaveSession(ctx, over))
}

// resuming is what the dispatch said, with the session and the candidate to go on with.
func resuming(o *store.Orphan, s *store.Session) (string, error) {
	m, err := ParseMetadata(o.Job)
	if err != nil {
		return "", err
	}
	m.Resume, m.Candidate.Identity = o.Session, s.Identity
	text, err := json.Marshal(m)
	if s.State == store.Waiting && len(text) <= maxMetadata {
		return string(text), err
	}
	m.Materials = Materials{} // the journal has them; an interview that has not begun does better without than not at all
	text, err = json.Marshal(m)
	return string(text), err
}

// liveKit is a LiveKit server's API.
type liveKit struct {
	rooms      *lksdk.RoomServiceClient
	dispatches *lksdk.AgentDispatchClient
}

// LiveKitRooms are the rooms of the LiveKit server at url (ws, wss, http or https), with one of its API keys.
func LiveKitRooms(url, key, secret string) Rooms {
	return liveKit{lksdk.NewRoomServiceClient(url, key, secret), lksdk.NewAgentDispatchServiceClient(url, key, secret)}
}

// Present implements Rooms.
func (l liveKit) Present(ctx context.Context, room string) ([]Seat, error) {
	all, err := l.rooms.ListParticipants(ctx, &livekit.ListParticipantsRequest{Room: room})
	if missing(err) {
		return nil, nil
	}
	var present []Seat
	for _, p := range all.GetParticipants() {
		if p.GetState() != livekit.ParticipantInfo_DISCONNECTED {
			_, called := p.GetAttributes()[attributeFloor]
			present = append(present, Seat{
				Identity: p.GetIdentity(), Interviewer: called && p.GetKind() == livekit.ParticipantInfo_AGENT, Person: isPerson(p),
			})
		}
	}
	return present, err
}

func isPerson(p *livekit.ParticipantInfo) bool {
	return room.Participant{Kind: p.GetKind(), Attributes: p.GetAttributes()}.IsPerson()
}

// Remove implements Rooms.
func (l liveKit) Remove(ctx context.Context, room, identity string) error {
	_, err := l.rooms.RemoveParticipant(ctx, &livekit.RoomParticipantIdentity{Room: room, Identity: identity})
	if missing(err) {
		return nil
	}
	return err
}

// Dispatch implements Rooms.
func (l liveKit) Dispatch(ctx context.Context, room, agent, metadata string) error {
	_, err := l.dispatches.CreateDispatch(ctx, &livekit.CreateAgentDispatchRequest{Room: room, AgentName: agent, Metadata: metadata})
	return err
}

func missing(err error) bool {
	fault, ok := errors.AsType[twirp.Error](err)
	return ok && fault.Code() == twirp.NotFound
}
