package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state"
)

const (
	queued    = 1 << 14 // entries of all sessions that wait for the scribe
	together  = 64      // entries in one statement
	heavy     = 1 << 20 // bytes in one statement, give or take one entry
	firstWait = 10 * time.Millisecond
	lastWait  = 500 * time.Millisecond // between two tries
	tryLimit  = 5 * time.Second        // one of them
	awayLimit = 10 * time.Minute       // how long the database may be away until what waits is given up
)

// errGap says that an entry before was refused.
var errGap = errors.New("an entry before it was refused")

// errCrowded says that more entries wait than are kept.
var errCrowded = errors.New("the database takes no entries, and no more can wait")

// pending is an entry on its way. The scribe answers it once.
type pending struct {
	session string
	epoch   int64 // of the lease it is written under; 0 = none
	entry   state.Entry
	until   time.Time
	answer  chan error // of length 1: nobody need listen

	// before is the entry of the same journal that waited when this one came; nil for none. Where that is refused, so is this one: what
	// follows a gap may belong to somebody else's entries. Both fields are the scribe's, once the entry is in its queue.
	before  *pending
	refused bool
}

// answered returns why the entry was not committed, or nil, once that is known; it waits for so long.
func (p *pending) answered(wait time.Duration) (err error, known bool) { //nolint:revive // the error is the answer
	select {
	case err := <-p.answer:
		return err, true
	default:
	}
	if wait <= 0 {
		return nil, false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-p.answer:
		return err, true
	case <-timer.C:
		return nil, false
	}
}

// scribe writes the entries of all journals. It is one goroutine, owned by the Store.
type scribe struct {
	commit    func(context.Context, []*pending) error // all of the batch or nothing; a second time changes nothing
	transient func(error) bool                        // the same batch may be taken a moment later
	log       *zap.Logger
	queue     chan *pending      // never closed
	next      *pending           // of the goroutine: the first of the next batch; nil for what comes
	stopping  chan struct{}      // closed by stop
	stopped   chan struct{}      // closed by the goroutine
	end       context.CancelFunc // ends what is being tried
	once      sync.Once
	mu        sync.RWMutex // held for writing by stop, so that nothing enters the queue behind it
}

func newScribe(commit func(context.Context, []*pending) error, transient func(error) bool, log *zap.Logger) *scribe {
	s := &scribe{
		commit: commit, transient: transient, log: log, queue: make(chan *pending, queued),
		stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	ctx, end := context.WithCancel(context.Background())
	s.end = end
	go s.run(ctx)
	return s
}

// stop ends the scribe when it has written what it was given, or cannot within some seconds, and waits for that.
func (s *scribe) stop() {
	s.once.Do(func() {
		s.mu.Lock()
		close(s.stopping)
		s.mu.Unlock()
	})
	late := time.AfterFunc(stopLimit, s.end)
	defer late.Stop()
	<-s.stopped
}

// take has an entry written, unless the one before it is refused. Its answer follows: within awayLimit, or when the scribe ends.
func (s *scribe) take(session string, epoch int64, e state.Entry, before *pending) (*pending, error) {
	p := &pending{session: session, epoch: epoch, entry: e, until: time.Now().Add(awayLimit), answer: make(chan error, 1), before: before}
	s.mu.RLock()
	defer s.mu.RUnlock()
	select {
	case <-s.stopping:
		return nil, ErrClosed
	default:
	}
	select {
	case s.queue <- p:
		return p, nil
	default:
		return nil, errCrowded
	}
}

func (s *scribe) run(ctx context.Context) {
	defer close(s.stopped)
	defer s.end()
	for {
		if s.next != nil {
			s.write(ctx, s.gather(s.next))
			continue
		}
		select {
		case p := <-s.queue:
			s.write(ctx, s.gather(p))
		case <-s.stopping:
			s.drain(ctx)
			return
		}
	}
}

func (s *scribe) drain(ctx context.Context) {
	for {
		select {
		case p := <-s.queue:
			for s.next = p; s.next != nil; {
				s.write(ctx, s.gather(s.next))
			}
		default:
			return
		}
	}
}

// gather takes what waits besides the first, of each journal one, and does not wait for more.
func (s *scribe) gather(first *pending) []*pending {
	batch, size := []*pending{first}, len(first.entry.Data)
	s.next = nil
	for len(batch) < together && size < heavy {
		select {
		case p := <-s.queue:
			if slices.ContainsFunc(batch, func(o *pending) bool { return o.session == p.session }) {
				s.next = p
				return batch
			}
			batch, size = append(batch, p), size+len(p.entry.Data)
		default:
			return batch
		}
	}
	return batch
}

// write commits the batch and answers each of its entries. An entry that is refused does not take the others with it, except those
// behind it in its journal.
func (s *scribe) write(ctx context.Context, batch []*pending) {
	batch = slices.DeleteFunc(batch, func(p *pending) bool {
		gap := p.before != nil && p.before.refused
		if p.before = nil; gap {
			p.settle(errGap)
		}
		return gap
	})
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, batch[len(batch)-1].until)
	defer cancel()
	err := s.insist(ctx, batch)
	if err == nil || len(batch) == 1 {
		for _, p := range batch {
			p.settle(err)
		}
		return
	}
	for i := range batch {
		batch[i].settle(s.insist(ctx, batch[i:i+1]))
	}
}

// settle answers the entry.
func (p *pending) settle(err error) {
	p.refused = err != nil
	p.answer <- err
}

// insist tries until the batch is committed, is refused, or its time is over.
func (s *scribe) insist(ctx context.Context, batch []*pending) error {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		try, cancel := context.WithTimeout(ctx, tryLimit)
		err := s.commit(try, batch)
		hung := try.Err() != nil
		cancel()
		if err == nil || !hung && !s.transient(err) {
			return err
		}
		s.log.Warn("store.retry", zap.Int("entries", len(batch)), zap.Error(err))
		if pause(ctx, wait) != nil {
			return err
		}
	}
}
