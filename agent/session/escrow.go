package session

import "sync"

// escrow keeps what a draft has to tell the session until it is adopted: what a model understood on speculation is
// not told before the turn is decided. The draft's goroutines put, the session's opens, at most once.
type escrow struct {
	post   func(Message) bool // must not block
	opened chan struct{}      // closed by open

	mu   sync.Mutex
	kept []Message // bounded by the length of a model's reply
	free bool
}

func newEscrow(post func(Message) bool) *escrow {
	return &escrow{post: post, opened: make(chan struct{})}
}

// put keeps the message, or posts it when the escrow is open.
func (e *escrow) put(m Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.free {
		e.post(m)
		return
	}
	e.kept = append(e.kept, m)
}

// open posts what was kept, in order, and lets through what comes later.
func (e *escrow) open() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.kept {
		e.post(m)
	}
	e.kept, e.free = nil, true
	close(e.opened)
}

// wait blocks until the escrow is open, and says so, or until stop is closed before.
func (e *escrow) wait(stop <-chan struct{}) bool {
	select {
	case <-e.opened:
		return true
	case <-stop:
	}
	select { // both may have happened: what was adopted has to report its end
	case <-e.opened:
		return true
	default:
		return false
	}
}
