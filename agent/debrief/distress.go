package debrief

import (
	"context"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/debrief/webhook"
)

// Distress tells the operator's program at once that the candidate spoke of harming themselves, and nothing of what was said (RM-14). It
// returns once the outbox has it, after a bounded time.
func (d *Desk) Distress(ctx context.Context) {
	if d.service.o.Webhook == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, archiveLimit)
	defer cancel()
	err := d.service.o.Webhook.Tell(ctx, webhook.Notice{
		ID: "distress/" + d.c.Session, Type: webhook.CandidateDistress, Session: d.c.Session, Room: d.c.Room, Interview: d.c.Interview.Def.Kind,
	})
	if err != nil {
		d.log.Error("webhook.unqueued", zap.Error(err))
	}
}
