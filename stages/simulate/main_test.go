package simulate_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// The interviews of this package's tests leave much behind and keep little: collecting less often saves a tenth of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
