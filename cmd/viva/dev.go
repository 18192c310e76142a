package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

func (p *program) devCommand() *cli.Command {
	return &cli.Command{
		Name: "dev", Usage: "everything on this machine: LiveKit, a worker, and the candidate's page",
		Description: "Starts an embedded LiveKit server on 127.0.0.1 unless LIVEKIT_URL names another one, a worker, and the page.",
		Flags:       flags(settings.CommandDev),
		Action:      logged(settings.CommandDev, p.dev),
	}
}

func (p *program) dev(ctx context.Context, s *settings.Settings, log *zap.Logger) error {
	own := s.EmbeddedServer()
	if own {
		stop, err := p.ownServer(ctx, s, log)
		if err != nil {
			return err
		}
		defer stop()
	}
	made := ensureReportsKey(s)
	return serve(ctx, s, log, func() {
		_, _ = fmt.Fprintf(p.out, "\n  The interviewer is ready:  http://%s\n", s.Web.Address)
		if made { // it is of use until the next start only
			_, _ = fmt.Fprintf(p.out, "  Interviews and reports:    http://%s/reports  ·  key %s\n", s.Web.Address, s.Web.ReportsKey.Reveal())
		}
		if own && s.Dev.ServerFile != "" {
			_, _ = fmt.Fprintf(p.out, "  Its LiveKit for others:    viva loadtest --config %s\n", s.Dev.ServerFile)
		}
		_, _ = fmt.Fprintf(p.out, "  LiveKit: %s  ·  %s  ·  Ctrl-C stops\n\n", s.LiveKit.URL, describe(s))
	})
}

// ownServer starts the embedded server and tells this user's other commands how to reach it.
func (p *program) ownServer(ctx context.Context, s *settings.Settings, log *zap.Logger) (stop func(), err error) {
	ensureServerKey(s)
	end, err := embed(ctx, s, log)
	if err != nil {
		return nil, err
	}
	forget, err := tellServer(s)
	if err != nil {
		end()
		return nil, err
	}
	return func() {
		if err := forget(); err != nil {
			log.Warn("devserver.file", zap.String("path", s.Dev.ServerFile), zap.Error(err))
		}
		end()
	}, nil
}
