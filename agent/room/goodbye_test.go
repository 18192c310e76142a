package room

import (
	"testing"
	"testing/synctest"
	"time"
)

// The end of a connection waits for the answer to a leave, and for nothing else.
func TestGoodbyeHoldsTheEndUp(t *testing.T) {
	const limit, never = time.Second, time.Duration(0)
	for name, tc := range map[string]struct {
		say           bool
		answer, ended time.Duration // after the leave: the server's own leave; the end of a peer connection by the server
		took          time.Duration
		want          bool
	}{
		"nobody leaves: a full reconnect":    {false, never, never, 0, true},
		"the server answers":                 {true, 20 * time.Millisecond, never, 20 * time.Millisecond, true},
		"the server ends a peer connection":  {true, never, 30 * time.Millisecond, 30 * time.Millisecond, true},
		"the answer comes after that":        {true, 40 * time.Millisecond, 30 * time.Millisecond, 30 * time.Millisecond, true},
		"the server is silent":               {true, never, never, limit, false},
		"the server answers, but much later": {true, 2 * limit, never, limit, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &goodbye{limit: limit}
				publisher, subscriber := &doorstop{bye: g}, &doorstop{bye: g}
				began := time.Now()
				if tc.say {
					g.say()
					g.say() // idempotent
				}
				if tc.answer > 0 {
					time.AfterFunc(tc.answer, func() {
						for range 2 { // idempotent
							if !g.answer() {
								t.Error("the answer to a leave passes for a disconnection")
							}
						}
					})
				}
				if tc.ended > 0 {
					time.AfterFunc(tc.ended, func() { _ = subscriber.Close() })
				}
				signalling := make(chan time.Duration, 1)
				go func() { // as the SDK does
					_ = publisher.Close()
					_ = subscriber.Close()
					signalling <- time.Since(began)
				}()
				if got := g.wait(); got != tc.want || time.Since(began) != tc.took {
					t.Errorf("over after %v, answered %v, want %v and %v", time.Since(began), got, tc.took, tc.want)
				}
				if took := <-signalling; took != tc.took {
					t.Errorf("signalling ended after %v, want %v", took, tc.took)
				}
				time.Sleep(3 * limit)
			})
		})
	}
}

// A server that parts by itself is not answering anything.
func TestGoodbyeOfTheServer(t *testing.T) {
	g := &goodbye{limit: time.Second}
	if g.answer() {
		t.Error("an answer to what was not said")
	}
	if !g.wait() {
		t.Error("there is something to wait for")
	}
}
