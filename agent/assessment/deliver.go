package assessment

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
)

// Topic is that of the text that carries the report to the candidate's page: Envelope as JSON.
const Topic = "viva.report"

// Envelope is what the candidate's page gets.
type Envelope struct {
	Status string         `json:"status"`
	Spoken string         `json:"spoken"`
	Link   string         `json:"link,omitempty"`
	Report *report.Report `json:"report"`
}

// deliver builds the report, keeps it and hands it out. It reaches the candidate even where it cannot be kept.
func (d *Assessor) deliver(waited time.Duration) error {
	status := "failed"
	defer func() { d.service.o.Metrics.Reported(status, waited) }()
	ctx := context.WithoutCancel(d.judging)
	r, raw, err := d.build(ctx)
	if err != nil {
		return err
	}
	if d.keepsAnother(ctx, raw) {
		r, raw = d.first(ctx, r, raw)
	}
	status = r.Status
	d.own = report.ForCandidate(r, d.reveals)
	d.outcome = engine.ReportDone{Spoken: d.own.Spoken, Status: r.Status, Link: d.link()}
	d.publish(Envelope{Status: r.Status, Spoken: d.own.Spoken, Link: d.outcome.Link, Report: d.own})
	d.tell(ctx, webhook.Notice{ID: "report/" + d.c.Session, Type: webhook.ReportReady, Interview: r.Kind, Status: r.Status, Report: raw})
	d.log.Info("report.made", zap.String("status", r.Status), zap.Int("questions", len(r.Questions)), zap.Duration("waited", waited))
	return nil
}

// build makes the report when it is this interview's turn.
func (d *Assessor) build(ctx context.Context) (r *report.Report, raw []byte, err error) {
	src := d.source(ctx)
	d.service.builder <- struct{}{} // whoever has it asks nobody for anything, so this is no long wait
	defer func() { <-d.service.builder }()
	r = report.Build(src)
	report.Withhold(r, d.reveals)
	if raw, err = json.Marshal(r); err != nil {
		return nil, nil, fmt.Errorf("write the report: %w", err)
	}
	return r, raw, nil
}

// keepsAnother keeps the report, unless there is one already; it reports whether that is so.
func (d *Assessor) keepsAnother(ctx context.Context, raw []byte) bool {
	if d.service.o.Archive == nil {
		d.log.Warn("report.unsaved", zap.String("why", "there is no store"))
		return false
	}
	var saved atomic.Bool
	err := d.service.Keep(ctx, d.log, "report.unsaved", len(raw), func(ctx context.Context) error {
		first, err := d.service.o.Archive.SaveReport(ctx, d.c.Session, raw)
		saved.Store(first)
		return err
	})
	return err == nil && !saved.Load()
}

// first is the report that an earlier worker has made of this interview: that one counts.
func (d *Assessor) first(ctx context.Context, own *report.Report, ownRaw []byte) (*report.Report, []byte) {
	ctx, cancel := context.WithTimeout(ctx, archiveLimit)
	defer cancel()
	raw, err := d.service.o.Archive.Report(ctx, d.c.Session)
	var r report.Report
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		d.log.Warn("report.unread", zap.Error(err))
		return own, ownRaw
	}
	return &r, raw
}

func (d *Assessor) link() string {
	if d.c.Link == nil {
		return ""
	}
	return d.c.Link(d.c.Session)
}

// reveals reports whether a text gives away what the interview hid when it ended (RX-20).
func (d *Assessor) reveals(text string) bool {
	d.mu.Lock()
	u := d.ending
	d.mu.Unlock()
	return d.c.Interview.Reveals(u, text)
}

// publish sends the report to the candidate's page.
func (d *Assessor) publish(e Envelope) {
	if d.c.Publish == nil {
		return
	}
	raw, err := json.Marshal(e)
	if err == nil {
		err = d.c.Publish(Topic, raw)
	}
	if err != nil {
		d.log.Info("report.unpublished", zap.Error(err)) // the candidate may have left
	}
}

// Distress tells the operator's program at once that the candidate spoke of harming themselves, and nothing of what was said (RM-14). It
// returns once the outbox has it, after a bounded time.
func (d *Assessor) Distress(ctx context.Context) {
	d.tell(ctx, webhook.Notice{ID: "distress/" + d.c.Session, Type: webhook.CandidateDistress, Interview: d.c.Interview.Def.Kind})
}

// tell queues what the operator's program is told, once the outbox takes it. It is told once, whoever else tells it the same.
func (d *Assessor) tell(ctx context.Context, n webhook.Notice) {
	if d.service.o.Webhook == nil {
		return
	}
	n.Session, n.Room = d.c.Session, d.c.Room
	_ = d.service.Keep(ctx, d.log, "webhook.unqueued", len(n.Report), func(ctx context.Context) error { // it waits
		return d.service.o.Webhook.Tell(ctx, n)
	})
}
