package room

import (
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
)

// guarded is a room with a guard and without a server, and how many panics were counted in it.
func guarded(t *testing.T, handler func(Event)) (r *Room, panics *int) {
	t.Helper()
	panics = new(int)
	opts := Options{URL: "ws://there", Token: "t", Handler: handler, Guard: guard.New(zap.NewNop(), func(string) { *panics++ })}
	if err := opts.complete(); err != nil {
		t.Fatal(err)
	}
	return newRoom(opts), panics
}

// An event that the handler breaks on is lost; the next one is handled.
func TestHandlerThatPanics(t *testing.T) {
	var seen []string
	r, panics := guarded(t, func(ev Event) {
		text, is := ev.(Text)
		if !is {
			return
		}
		if text.Text == "poison" {
			panic(text.Text)
		}
		seen = append(seen, text.Text)
	})
	ros := newRoster(&r.opts, nil, func(candidate) {})
	ros.everybody = true
	for _, text := range []string{"a", "poison", "b"} {
		if !r.take(ros, received{event: Text{From: "candidate", Text: text}}) {
			t.Fatal("it was the last event")
		}
	}
	if len(seen) != 2 || *panics != 1 || r.overflowed.Load() {
		t.Errorf("%q were handled, %d panics", seen, *panics)
	}
}

// A fact that the room itself breaks on is lost, and a look around is owed for it.
func TestFactThatPanics(t *testing.T) {
	r, panics := guarded(t, nil)
	ros := newRoster(&r.opts, nil, func(candidate) {}) // without a view it breaks
	if !r.take(ros, somebodyChanged{identity: "candidate"}) || *panics != 1 || !r.overflowed.Load() {
		t.Errorf("%d panics, look around owed: %v", *panics, r.overflowed.Load())
	}
}

// No callback of the SDK's lets a panic through to the SDK's goroutine.
func TestCallbacksThatPanic(t *testing.T) {
	r, panics := guarded(t, nil)
	cb := r.callbacks()
	cb.OnParticipantConnected(nil)
	cb.OnParticipantDisconnected(nil)
	cb.OnLocalTrackSubscribed(nil, nil)
	cb.OnTrackPublished(nil, nil)
	cb.OnTrackUnpublished(nil, nil)
	cb.OnTrackSubscribed(nil, nil, nil)
	cb.OnAttributesChanged(nil, nil)
	cb.OnLocalTrackPublished(nil, nil)
	if *panics < 6 || !r.overflowed.Load() {
		t.Errorf("%d panics were caught", *panics)
	}
	before := *panics
	r.attributes = nil
	cb.OnReconnected()
	if *panics != before+1 {
		t.Error("a callback without arguments is not guarded")
	}
}

// A task of the room's begins anew after a panic.
func TestTaskThatPanics(t *testing.T) {
	r, panics := guarded(t, nil)
	runs := make(chan int, 3)
	n := 0
	r.start(func() {
		n++
		runs <- n
		if n == 1 {
			panic("a bug")
		}
	})
	r.tasks.Wait()
	if len(runs) != 2 || *panics != 1 {
		t.Errorf("it ran %d times, %d panics", len(runs), *panics)
	}
}
