package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state"
)

const (
	queued    = 1024    // entries that wait for the scribe; when there are more, Append waits for room
	together  = 64      // entries in one statement
	heavy     = 1 << 20 // bytes in one statement, give or take one entry
	firstWait = 10 * time.Millisecond
	lastWait  = 500 * time.Millisecond // between two tries
)

// pending is an entry on its way. The scribe answers it once.
type pending struct {
	session string
	epoch   int64 // of the lease it is written under; 0 = none
	entry   state.Entry
	until   time.Time
	answer  chan error // of length 1: nobody need listen
}

// scribe writes the entries of all journals. It is one goroutine, owned by the Store.
type scribe struct {
	commit    func(context.Context, []*pending) error // all of the batch or nothing; a second time changes nothing
	transient func(error) bool                        // the same batch may be taken a moment later
	log       *zap.Logger
	queue     chan *pending // never closed
	stopping  chan struct{} // closed by stop
	stopped   chan struct{} // closed by the goroutine
	once      sync.Once
}

func newScribe(commit func(context.Context, []*pending) error, transient func(error) bool, log *zap.Logger) *scribe {
	s := &scribe{
		commit: commit, transient: transient, log: log, queue: make(chan *pending, queued),
		stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	go s.run()
	return s
}

// stop ends the scribe when it has written what it was given, and waits for that.
func (s *scribe) stop() {
	s.once.Do(func() { close(s.stopping) })
	<-s.stopped
}

// append returns when the entry is committed, or why it is not. After an error of time the entry may still be written.
func (s *scribe) append(session string, epoch int64, e state.Entry) error {
	p := &pending{session: session, epoch: epoch, entry: e, until: time.Now().Add(appendLimit), answer: make(chan error, 1)}
	timer := time.NewTimer(appendLimit)
	defer timer.Stop()
	select {
	case <-s.stopping:
		return ErrClosed
	default:
	}
	select {
	case s.queue <- p:
	case <-timer.C:
		return fmt.Errorf("the database takes no entries: %w", context.DeadlineExceeded)
	case <-s.stopping:
		return ErrClosed
	}
	select {
	case err := <-p.answer:
		return err
	case <-timer.C:
		return fmt.Errorf("the database does not answer: %w", context.DeadlineExceeded)
	case <-s.stopped:
	}
	select {
	case err := <-p.answer:
		return err
	default: // it came as the last batch had been taken
		return ErrClosed
	}
}

func (s *scribe) run() {
	defer close(s.stopped)
	for {
		select {
		case p := <-s.queue:
			s.write(s.gather(p))
		case <-s.stopping:
			s.drain()
			return
		}
	}
}

func (s *scribe) drain() {
	for {
		select {
		case p := <-s.queue:
			s.write(s.gather(p))
		default:
			return
		}
	}
}

// gather takes what waits besides the first, and does not wait for more.
func (s *scribe) gather(first *pending) []*pending {
	batch, size := []*pending{first}, len(first.entry.Data)
	for len(batch) < together && size < heavy {
		select {
		case p := <-s.queue:
			batch, size = append(batch, p), size+len(p.entry.Data)
		default:
			return batch
		}
	}
	return batch
}

// write commits the batch and answers each of its entries. An entry that is refused does not take the others with it.
func (s *scribe) write(batch []*pending) {
	ctx, cancel := context.WithDeadline(context.Background(), batch[len(batch)-1].until)
	defer cancel()
	err := s.insist(ctx, batch)
	if err == nil || len(batch) == 1 {
		for _, p := range batch {
			p.answer <- err
		}
		return
	}
	for i := range batch {
		batch[i].answer <- s.insist(ctx, batch[i:i+1])
	}
}

// insist tries until the batch is committed, is refused, or its time is over.
func (s *scribe) insist(ctx context.Context, batch []*pending) error {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		err := s.commit(ctx, batch)
		if err == nil || !s.transient(err) {
			return err
		}
		s.log.Warn("store.retry", zap.Int("entries", len(batch)), zap.Error(err))
		if pause(ctx, wait) != nil {
			return err
		}
	}
}
