package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

// Ticket limits what a candidate's token may start: it dispatches the interviewer whenever its room opens anew, for as long as it
// is good for coming back. With a ticket that is one interview, begun in time.
type Ticket struct {
	Until time.Time `json:"until"` // no interview begins later; one that was begun goes on
}

// ticketCheck bounds how long a job waits for the archive to say whether its ticket was used.
const ticketCheck = time.Second

// errUsed says that the ticket's interview was held.
var errUsed = errors.New("an interview was held in this room already, and the candidate's token is for one")

// expired says that it is too late for a new interview; nil: it is not, or nothing limits it.
func (t *Ticket) expired(now time.Time) error {
	if t == nil || now.Before(t.Until) {
		return nil
	}
	return fmt.Errorf("the candidate's token was for an interview begun until %s, and it is %s (do the clocks of page and worker agree?)",
		t.Until.UTC().Format(time.TimeOnly), now.UTC().Format(time.TimeOnly))
}

// entitled refuses a job whose ticket is too old or was used, unless it may go on with what a worker left in the room. An archive that
// does not answer refuses nobody.
func (a *attendance) entitled(ctx context.Context) error {
	if a.meta.Ticket == nil {
		return nil
	}
	if a.i.o.Archive == nil {
		return a.meta.Ticket.expired(time.Now())
	}
	ctx, cancel := context.WithTimeout(ctx, ticketCheck)
	defer cancel()
	if len(a.leftBehind(ctx)) > 0 {
		a.late = a.meta.Ticket.expired(time.Now())
		return nil
	}
	if err := a.meta.Ticket.expired(time.Now()); err != nil {
		return err
	}
	held, err := a.i.o.Archive.HeldIn(ctx, a.job.RoomName)
	if err != nil {
		a.log.Warn("ticket.unchecked", zap.Error(err))
	}
	if held {
		return errUsed
	}
	return nil
}
