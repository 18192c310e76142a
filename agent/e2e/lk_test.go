package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestDispatchByLiveKitsOwnCommand: operators send the interviewer with `lk dispatch create`.
func TestDispatchByLiveKitsOwnCommand(t *testing.T) {
	t.Parallel()
	lk := findLK(t)
	o := open(t, plan{})
	g := enter(t, visit{})
	asked := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, lk, "dispatch", "create", "--url", o.server.URL(), "--api-key", apiKey,
		"--api-secret", apiSecret, "--room", roomName(t), "--agent-name", o.name, "--metadata", twoStage)
	command.Env = append(os.Environ(), "HOME="+t.TempDir()) // no settings of whoever runs the test
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("lk: %v\n%s", err, output)
	}
	g.awaitWords("Jordan") // the metadata arrived
	g.ear.awaitVoice(t, asked, 500*time.Millisecond)
}

// findLK looks where `make lk` puts it, and in PATH.
func findLK(t *testing.T) string {
	t.Helper()
	built, err := filepath.Abs("../../bin/lk")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{built, "lk"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no lk command found: dispatching with it was not tested; `make lk` builds it")
	return ""
}
