package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/cmd/viva/settings"
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
		err = writePrivate(path, text)
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

// writePrivate puts a file in its place at once, readable by its owner only, whatever stood there before.
func writePrivate(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // for its owner only
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
