package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// reportLimit bounds how long a worker that ends waits for judgements of interviews that are over: as long as reports do by
// default, and a little.
const reportLimit = 35 * time.Second

// startWebhook begins to tell the operator's program of reports; nil: nobody is to be told. The caller closes it after the
// interviewer, and before the store.
func startWebhook(ctx context.Context, s *settings.Settings, k keeping, metrics *agent.Metrics, log *zap.Logger) (assessment.Webhook, func(), error) {
	if s.Report.WebhookURL == "" {
		return nil, func() {}, nil
	}
	o := webhook.Options{
		URL: s.Report.WebhookURL.Reveal(), Secret: s.Report.WebhookSecret.Reveal(),
		Outbox: k.database, Count: metrics.Delivery, Version: version, Logger: log,
	}
	c, err := webhook.Start(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}

// closeInterviewer waits for reports that are being made. With no time to drain there is none to wait for judgements either.
func closeInterviewer(ctx context.Context, i *agent.Interviewer, s *settings.Settings) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(reportLimit, s.Worker.DrainLimit))
	defer cancel()
	i.Close(ctx)
}
