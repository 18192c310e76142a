package agent

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
)

// attributeFloor is when an interviewer accepted its job, in ns of Unix time. It is in the participant's attributes from
// the moment it joins. Of two interviewers in one room, dispatched by mistake or after a restart, the older one speaks.
const attributeFloor = "viva.floor"

// claimWait is how long a younger interviewer waits in silence for the older to go: longer than the 20 s after which
// LiveKit gives up a participant whose process died.
const claimWait = 25 * time.Second

// errTaken says that the room has an interviewer already.
var errTaken = errors.New("another interviewer holds the floor of this room")

// claim is an interviewer's right to speak in its room: nobody older is there.
type claim struct {
	since int64 // when the own job was accepted, ns

	mu      sync.Mutex
	elders  map[string]bool // guarded by mu: identities of older interviewers in the room
	held    bool            // guarded by mu: an elder has held the interview to its end
	changed chan struct{}   // one slot: look again
}

func newClaim(since int64) *claim {
	return &claim{since: since, elders: make(map[string]bool), changed: make(chan struct{}, 1)}
}

// accepted is when the own job was accepted.
func (c *claim) accepted() time.Time { return time.Unix(0, c.since) }

// joined notes somebody who is in the room.
func (c *claim) joined(p room.Participant) {
	since, err := strconv.ParseInt(p.Attributes[attributeFloor], 10, 64)
	if err != nil || p.Kind != livekit.ParticipantInfo_AGENT || since >= c.since {
		return
	}
	c.update(func() { c.elders[p.Identity] = true })
	c.attributes(p.Identity, p.Attributes)
}

// attributes notes that an elder's interview is over.
func (c *claim) attributes(identity string, changed map[string]string) {
	c.update(func() { c.held = c.held || c.elders[identity] && changed[attributeState] == "done" })
}

func (c *claim) left(p room.Participant) { c.update(func() { delete(c.elders, p.Identity) }) }

func (c *claim) update(f func()) {
	c.mu.Lock()
	f()
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (c *claim) state() (free, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.elders) == 0, c.held
}

// await returns nil once no older interviewer is in the room, and errTaken when one stays, or has held the interview.
func (c *claim) await(ctx context.Context, log *zap.Logger) error {
	free, held := c.state()
	if free && !held {
		return nil
	}
	log.Warn("floor.taken", zap.Duration("waiting", claimWait))
	timer := time.NewTimer(claimWait)
	defer timer.Stop()
	for {
		switch free, held := c.state(); {
		case held:
			return errTaken
		case free:
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return errTaken
		case <-c.changed:
		}
	}
}
