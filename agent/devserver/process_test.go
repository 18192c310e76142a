package devserver

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/logger"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func say(log logger.Logger, where string) {
	log.Debugw(where + " debug")
	log.Infow(where + " info")
	log.Warnw(where+" warn", nil)
	log.Errorw(where+" error", errors.New("broken"), "room", "hall")
}

func TestBridgeIsQuietUnlessDebugging(t *testing.T) {
	for _, tc := range []struct {
		name  string
		debug bool
		level zapcore.Level
		want  []string
	}{
		{"quiet", false, zap.DebugLevel, []string{"server error", "pion error"}},
		{"strict target", false, zap.ErrorLevel, []string{"server error", "pion error"}},
		{"debug", true, zap.InfoLevel, []string{
			"server info", "server warn", "server error", "pion info", "pion warn", "pion error",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			core, seen := observer.New(tc.level)
			log := newBridge(zap.New(core), tc.debug)
			say(log, "server")
			say(log.WithComponent("pion.ice"), "pion")
			var got []string
			for _, e := range seen.All() {
				got = append(got, e.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBridgeKeepsFieldsAndWaitsForDeferredOnes(t *testing.T) {
	core, seen := observer.New(zap.DebugLevel)
	log, late := newBridge(zap.New(core), false).WithName("livekit").WithValues("node", "n1").WithDeferredValues()
	log.Errorw("gone", errors.New("broken"), "room", "hall")
	if seen.Len() != 0 {
		t.Fatal("logged before its values were known")
	}
	late.Resolve("participant", "guest")
	if seen.Len() != 1 {
		t.Fatalf("entries = %d, want 1", seen.Len())
	}
	want := map[string]any{"node": "n1", "room": "hall", "error": "broken", "participant": "guest"}
	if diff := cmp.Diff(want, seen.All()[0].ContextMap()); diff != "" {
		t.Error(diff)
	}
}
