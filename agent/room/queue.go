package room

import "sync"

// queue is a bounded first-in-first-out between any number of writers and one reader. Nobody waits to put something in;
// the policy for a full queue is the writer's.
type queue[T any] struct {
	wake chan struct{} // holds a token when there may be something to take

	mu     sync.Mutex
	items  []T  // guarded by mu
	closed bool // guarded by mu
}

func newQueue[T any]() *queue[T] {
	return &queue[T]{wake: make(chan struct{}, 1)}
}

// put appends all items, or none and false if the queue would then be longer than limit or is closed.
func (q *queue[T]) put(limit int, items ...T) bool {
	q.mu.Lock()
	fits := !q.closed && len(q.items)+len(items) <= limit
	if fits {
		q.items = append(q.items, items...)
	}
	q.mu.Unlock()
	if fits {
		q.signal()
	}
	return fits
}

// take returns everything, in order, and whether the queue is closed. It keeps spare's array for later items.
func (q *queue[T]) take(spare []T) ([]T, bool) {
	clear(spare)
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = spare[:0]
	return items, q.closed
}

// close refuses further items; those inside can still be taken. It is idempotent.
func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

func (q *queue[T]) isClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

func (q *queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default: // a token is there already
	}
}
