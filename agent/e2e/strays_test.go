package e2e

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// Whose goroutines must be gone after the tests: ours, and those that the LiveKit client runs for us. What livekit-server
// leaves in the process (caches, timers of rooms, its message bus, and pion underneath; see package devserver) has no frame of
// either, and so do the idle threads of net/http.
var ours = []string{"github.com/vivavoice/viva/", "github.com/livekit/server-sdk-go/v2"}

// noStrays waits for the last goroutines to end, and reports those that do not.
func noStrays() error {
	limit := time.Now().Add(15 * time.Second)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		found := strays()
		if len(found) == 0 {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%d goroutines were left behind:\n\n%s", len(found), strings.Join(found, "\n\n"))
		}
		<-tick.C
	}
}

// strays are the stacks of goroutines in, or started by, code that is ours, except the one that asks.
func strays() []string {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var found []string
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, "e2e.TestMain(") {
			continue
		}
		for _, path := range ours {
			if strings.Contains(stack, path) {
				found = append(found, stack)
				break
			}
		}
	}
	return found
}
