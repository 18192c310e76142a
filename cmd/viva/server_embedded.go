//go:build devserver

package main

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// The key of the embedded server. It guards nothing: the server listens on this machine only, and its data dies with it.
const (
	devKey    = "devkey"
	devSecret = "viva-development-secret-on-loopback-only"
)

// embed starts the LiveKit server inside this process and points the settings at it.
func embed(ctx context.Context, s *settings.Settings, log *zap.Logger) (stop func(), err error) {
	server, err := devserver.Start(ctx, devserver.Options{
		SignalPort: s.Dev.SignalPort, TCPPort: s.Dev.TCPPort, UDPPort: s.Dev.UDPPort, APIKey: devKey, APISecret: devSecret, Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("start the embedded LiveKit server (ports: --dev-signal-port, --dev-tcp-port, --dev-udp-port): %w", err)
	}
	s.LiveKit = settings.LiveKit{URL: server.URL(), APIKey: devKey, APISecret: settings.Secret(devSecret)}
	return func() {
		if err := server.Close(); err != nil {
			log.Warn("devserver.close", zap.Error(err))
		}
	}, nil
}
