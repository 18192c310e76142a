package agent_test

import (
	"testing"
	"testing/synctest"
)

// Through the whole chain, with a provider of fixed latencies at the other end of a connection, every answered turn has its
// record, and our own share of the silence is a few frames at most.
func TestTracesOfTheWholeChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, answers...)
		if r := s.hold(); r.reason != "done" {
			t.Fatalf("ended with %q", r.reason)
		}
		answered := 0
		for _, e := range s.logs.FilterMessage("turn.trace").All() {
			x := e.ContextMap()
			own, ok := x["own_ms"].(float64)
			if !ok {
				continue
			}
			answered++
			gap, _ := x["gap_ms"].(float64)
			if own > 60 || gap < 500 || gap > 3500 {
				t.Errorf("a gap of %v ms, %v of them our own: %v", gap, own, x)
			}
			if x["at_first_sound"] == nil || x["at_first_packet"] == nil || x["at_last_packet"] == nil {
				t.Errorf("times are missing: %v", x)
			}
		}
		if answered < 4 {
			t.Errorf("%d answered turns have a record", answered)
		}
	})
}
