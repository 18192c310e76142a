package room

import (
	"maps"
	"sync"
)

// SetState publishes the agent's state, one of those that LiveKit's clients know: initializing, listening, thinking, speaking, idle. It
// does not wait; of several states set while one is being sent, the latest wins.
func (r *Room) SetState(s string) {
	r.attributes.set(map[string]string{"lk.agent.state": s})
}

// SetAttributes changes the own attributes named in attrs and leaves the others; an empty value removes one. It keeps no
// reference to attrs and does not wait. Changes arrive in the order of the calls; those that come while one is being sent
// are merged, the latest value wins. They are sent again after a reconnect.
func (r *Room) SetAttributes(attrs map[string]string) {
	r.attributes.set(attrs)
}

// attributeWriter sends attributes from one goroutine. What waits is bounded by the number of distinct keys.
type attributeWriter struct {
	send func(map[string]string)
	wake chan struct{} // holds a token when something changed

	mu      sync.Mutex
	all     map[string]string // guarded by mu; everything set, for sending again
	pending map[string]string // guarded by mu; not sent yet
}

func newAttributeWriter(send func(map[string]string)) *attributeWriter {
	return &attributeWriter{
		send: send, wake: make(chan struct{}, 1),
		all: map[string]string{}, pending: map[string]string{},
	}
}

func (w *attributeWriter) set(attrs map[string]string) {
	w.mu.Lock()
	maps.Copy(w.all, attrs)
	maps.Copy(w.pending, attrs)
	w.mu.Unlock()
	w.signal()
}

// again sends everything once more: what was sent to a broken connection is lost, and a full rejoin starts with the
// attributes of the token.
func (w *attributeWriter) again() {
	w.mu.Lock()
	maps.Copy(w.pending, w.all)
	w.mu.Unlock()
	w.signal()
}

func (w *attributeWriter) signal() {
	select {
	case w.wake <- struct{}{}:
	default: // a token is there already
	}
}

// run sends until done is closed.
func (w *attributeWriter) run(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-w.wake:
		}
		if attrs := w.take(); len(attrs) > 0 {
			w.send(attrs)
		}
	}
}

func (w *attributeWriter) take() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	attrs := w.pending
	w.pending = map[string]string{}
	return attrs
}
