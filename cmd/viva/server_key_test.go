package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// The embedded server's secret is another one at each start, unless it was set.
func TestServerKeyIsNobodysToGuess(t *testing.T) {
	first, second := &settings.Settings{}, &settings.Settings{}
	ensureServerKey(first)
	ensureServerKey(second)
	if a, b := first.LiveKit.APISecret.Reveal(), second.LiveKit.APISecret.Reveal(); a == b || len(a) < 64 || first.LiveKit.APIKey == "" {
		t.Errorf("%d and %d characters, the same: %t", len(a), len(b), a == b)
	}
	set := &settings.Settings{LiveKit: settings.LiveKit{APIKey: "mine", APISecret: liveKitSecret}}
	ensureServerKey(set)
	if set.LiveKit.APIKey != "mine" || set.LiveKit.APISecret != liveKitSecret {
		t.Errorf("%+v", set.LiveKit)
	}
}

// Other commands of the same user learn the server by a settings file; nobody else can read it, and it goes with the server.
func TestServerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "dev-server.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("left by one that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &settings.Settings{LiveKit: settings.LiveKit{URL: "ws://127.0.0.1:7880"}, Dev: settings.Dev{ServerFile: path}}
	ensureServerKey(s)
	forget, err := tellServer(s)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v, want 0600", info.Mode(), err)
	}
	got, err := settings.Load(settings.LoadOptions{Command: settings.CommandLoadTest, File: path})
	if err != nil || got.LiveKit != s.LiveKit {
		t.Errorf("%v %v", got, err)
	}
	again := &settings.Settings{LiveKit: s.LiveKit, Dev: s.Dev}
	again.LiveKit.APISecret = ""
	ensureServerKey(again)
	forgetAgain, err := tellServer(again)
	if err != nil {
		t.Fatal(err)
	}
	if err := forget(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("the file of a later start was removed:", err)
	}
	if err := forgetAgain(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
