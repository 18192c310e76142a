//go:build devserver

package main

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// embed starts the LiveKit server inside this process, with the key and secret of the settings, and points them at it.
func embed(ctx context.Context, s *settings.Settings, log *zap.Logger) (stop func(), err error) {
	server, err := devserver.Start(ctx, devserver.Options{
		SignalPort: s.Dev.SignalPort, TCPPort: s.Dev.TCPPort, UDPPort: s.Dev.UDPPort,
		APIKey: s.LiveKit.APIKey, APISecret: s.LiveKit.APISecret.Reveal(), Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("start the embedded LiveKit server (ports: --dev-signal-port, --dev-tcp-port, --dev-udp-port): %w", err)
	}
	s.LiveKit.URL = server.URL()
	return func() {
		if err := server.Close(); err != nil {
			log.Warn("devserver.close", zap.Error(err))
		}
	}, nil
}
