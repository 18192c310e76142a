// Package bench holds no Go code: its test runs those of the scripts that measure Viva beside another agent.
package bench

import (
	"os/exec"
	"testing"
)

// TestScripts runs the unit tests of the scripts.
func TestScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the scripts' own tests were not run")
	}
	out, err := exec.CommandContext(t.Context(), node, "--test", "compare.test.mjs").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
