package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/state"
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

// devKey names the embedded server's secret where nobody has chosen a name.
const devKey = "devkey"

// ensureServerKey makes a secret for this start of the embedded server unless one was set. Whoever knows it can join any room
// and dispatch the interviewer, also from a web page in the developer's browser: it must be nobody's to guess.
func ensureServerKey(s *settings.Settings) {
	if s.LiveKit.APISecret != "" {
		return
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	s.LiveKit.APIKey, s.LiveKit.APISecret = devKey, settings.Secret(hex.EncodeToString(secret))
}

// tellServer writes the embedded server's address, key and secret into a settings file that only this user can read, for other
// commands of the same user: `viva loadtest --config FILE`. forget removes the file, unless a later start has put its own there.
func tellServer(s *settings.Settings) (forget func() error, err error) {
	path := s.Dev.ServerFile
	if path == "" {
		return func() error { return nil }, nil
	}
	text, err := yaml.Marshal(map[string]any{"livekit": map[string]string{
		"url": s.LiveKit.URL, "api_key": s.LiveKit.APIKey, "api_secret": s.LiveKit.APISecret.Reveal(),
	}})
	if err == nil {
		text = append([]byte("# The LiveKit server of `viva dev`, while it runs: viva loadtest --config THIS-FILE\n"), text...)
		err = state.WriteFile(path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("write the embedded server's key (another file: --dev-server-file, none: --dev-server-file=): %w", err)
	}
	return func() error {
		now, err := os.ReadFile(path) //nolint:gosec // the file that was written above
		if errors.Is(err, os.ErrNotExist) || err == nil && !bytes.Equal(now, text) {
			return nil
		}
		return errors.Join(err, os.Remove(path))
	}, nil
}
