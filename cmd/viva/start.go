package main

import (
	"context"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

func (p *program) startCommand() *cli.Command {
	return &cli.Command{
		Name: "start", Usage: "run a production worker",
		Description: "Registers with the LiveKit server and holds the interviews that are dispatched to it. SIGTERM drains:\n" +
			"no new jobs, running interviews finish up to --drain-limit; a second signal stops at once.",
		Flags: flags(settings.CommandStart),
		Action: logged(settings.CommandStart, func(ctx context.Context, s *settings.Settings, log *zap.Logger) error {
			return serve(ctx, s, log, nil)
		}),
	}
}
