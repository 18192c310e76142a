package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/state"
)

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
