package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

const (
	// leaseLife is how long after its last sign of life a worker's interviews may be taken from it. Five renewals may fail
	// or be late before it ends, which a busy machine and a database that is checkpointed do not take; and with the second that
	// another worker needs to come and to speak, a candidate waits less than three.
	leaseLife = 1500 * time.Millisecond
	// renewals are tried so often in the life of a lease.
	renewals = 5
	// leaseMargin is the part of a lease's life, at its end, in which who has not looked after it sends nothing any more: the last
	// packet is heard before anybody else's first one.
	leaseMargin = 10
	// reserveLimit bounds how long an offered job waits for its lease: half of what the worker has for its answer.
	reserveLimit = worker.AnswerBudget / 2
)

// Leases say which process holds which interview, by the database's clock. A *store.Store is one. It is safe for concurrent use.
type Leases interface {
	Reserve(ctx context.Context, s store.Session, holder string, life, within time.Duration, c store.Call) (store.Hold, error)
	Acquire(ctx context.Context, session, holder string, life time.Duration, c store.Call) (store.Hold, error)
	Renew(ctx context.Context, holder string, life time.Duration) ([]store.Hold, error)
	Release(ctx context.Context, h store.Hold) error
	Abandon(ctx context.Context, h store.Hold) error
	Offer(ctx context.Context, h store.Hold) error
	Retake(ctx context.Context, h store.Hold, holder string, life time.Duration) error
	Fence(j state.Journal, h store.Hold)
	ClaimOrphans(ctx context.Context, agent string, within, hold time.Duration, n int) ([]store.Orphan, error)
	Postpone(ctx context.Context, h store.Hold, by time.Duration) error
	Ping(ctx context.Context) error
}

var _ Leases = (*store.Store)(nil)

// errLeaseLost ends a session that another worker goes on with.
const errLeaseLost = session.Reason("handed_over")

// leaseholder holds the leases of all interviews of this process, and renews them together. A nil one holds none.
type leaseholder struct {
	leases Leases
	id     string // of the process
	guard  *guard.Guard
	log    *zap.Logger
	tell   func(event string) // counts what befalls leases

	mu      sync.Mutex
	held    map[string]*lease // guarded by mu, by session
	running bool              // guarded by mu: renew is
	offered time.Time         // guarded by mu: when a lease was last offered
	idle    chan struct{}     // one slot: none is held any more
	tasks   sync.WaitGroup    // renew
}

func newLeaseholder(o *Options) *leaseholder {
	if o.Leases == nil {
		return nil
	}
	return &leaseholder{leases: o.Leases, id: rand.Text(), guard: guard.New(o.Logger, o.Metrics.panicked), log: o.Logger, tell: o.Metrics.leased, idle: make(chan struct{}, 1), held: make(map[string]*lease)}
}

// lease is the right to speak and to write in one interview. The zero value is of an interview without one: it may do both. It
// is the last gate before the track.
type lease struct {
	of   *leaseholder            // set before anybody else knows of the interview
	hold store.Hold              // guarded by of.mu
	lost context.CancelCauseFunc // guarded by of.mu; called once when another has it; nil: the interview has not begun

	until  atomic.Int64 // ns since epoch0: who has not looked after the lease by then, as a process that stood still, is silent; 0 = never
	unsure atomic.Bool  // the room was lost for a moment; whether another was called is not known
	offers atomic.Bool  // it is anybody's: the room has been lost for long
	gone   atomic.Bool  // another has it
}

// epoch0 makes times out of the monotonic clock, which nobody sets.
var epoch0 = time.Now() //nolint:gochecknoglobals // a constant of the process

// acquire takes the lease of a session. It is renewed until end is called; lost is called when another process has it, and after that
// nothing is sent. An error other than store.ErrHeld says that the database has none to give.
func (h *leaseholder) acquire(ctx context.Context, l *lease, id string, c store.Call, lost context.CancelCauseFunc) error {
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	asked := time.Now()
	hold, err := h.leases.Acquire(ctx, id, h.id, leaseLife, c)
	if err == nil {
		h.keep(l, hold, asked, lost)
	}
	return err
}

// reserve takes the lease of a session that waits for its candidate, in the time that ctx leaves.
func (h *leaseholder) reserve(ctx context.Context, l *lease, s store.Session, c store.Call) error {
	asked := time.Now()
	hold, err := h.leases.Reserve(ctx, s, h.id, leaseLife, resumeWithin, c)
	if err == nil {
		h.keep(l, hold, asked, nil)
	}
	return err
}

// keep renews from now on a lease that was asked for at that time.
func (h *leaseholder) keep(l *lease, hold store.Hold, asked time.Time, lost context.CancelCauseFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.of, l.hold, l.lost = h, hold, lost
	l.gone.Store(false)
	l.extend(asked)
	h.held[hold.Session] = l
	if !h.running {
		h.running = true
		h.guard.Beside(&h.tasks, "lease", h.renew)
	}
}

// reserved reports whether l is the lease of this session, and has lost called from now on; errTaken: another has got it since.
func (h *leaseholder) reserved(l *lease, id string, lost context.CancelCauseFunc) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.holdsLocked(l) || l.hold.Session != id {
		return false, nil
	}
	if l.gone.Load() {
		return false, errTaken
	}
	l.lost = lost
	return true, nil
}

// extend notes that the lease was given, or renewed, at a moment not before asked.
func (l *lease) extend(asked time.Time) {
	l.until.Store(int64(asked.Add(leaseLife - leaseLife/leaseMargin).Sub(epoch0)))
}

// speaks reports whether nobody else can hold the interview now.
func (l *lease) speaks() bool {
	until := l.until.Load()
	return !l.gone.Load() && !l.unsure.Load() && !l.offers.Load() && (until == 0 || int64(time.Since(epoch0)) < until)
}

// doubt silences the voice until the database says that nobody else has the lease.
func (l *lease) doubt() {
	if l.until.Load() != 0 {
		l.unsure.Store(true)
	}
}

// end gives the lease up: for good when the interview is over, and otherwise so that somebody else is called. It reports whether the
// interview was in this process's hands until then.
func (l *lease) end(ctx context.Context, over bool) bool {
	h := l.of
	if h == nil {
		return false
	}
	hold, held := h.drop(l)
	if !held {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	give := h.leases.Release
	if over {
		l.until.Store(0)
		l.unsure.Store(false)
		l.offers.Store(false)
	} else {
		l.gone.Store(true)
		give = h.leases.Abandon
	}
	err := give(ctx, hold)
	if err != nil && !errors.Is(err, store.ErrLost) { // it runs out by itself
		h.log.Warn("lease.kept", zap.String("session", hold.Session), zap.Error(err))
	}
	return err == nil
}

// close waits for the renewals of leases that have ended.
func (h *leaseholder) close() {
	if h != nil {
		h.tasks.Wait()
	}
}

// renew keeps all leases until none is left.
func (h *leaseholder) renew() {
	every := leaseLife / renewals
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-h.idle:
		}
		mine := h.mine()
		if mine == nil {
			return
		}
		_ = h.guard.Try("lease", func() error { // it is logged; the next round may do better
			h.renewAll(mine)
			return nil
		})
	}
}

// tenure is one lease as it was given.
type tenure struct {
	lease *lease
	hold  store.Hold
}

// mine are the leases held now; nil: none, and renew is to end.
func (h *leaseholder) mine() []tenure {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.held) == 0 {
		h.running = false
		return nil
	}
	all := make([]tenure, 0, len(h.held))
	for _, l := range h.held {
		all = append(all, tenure{l, l.hold})
	}
	return all
}

// renewAll renews the leases. While the database does not answer, none is lost, and the talk goes on: whoever takes one over takes its
// former holder out of the room first. Only who may have come back into the room after that is silent until the database answers.
func (h *leaseholder) renewAll(mine []tenure) {
	ctx, cancel := context.WithTimeout(context.Background(), leaseLife/2)
	defer cancel()
	asked := time.Now()
	kept, err := h.leases.Renew(ctx, h.id, leaseLife)
	if err != nil {
		h.log.Warn("lease.unrenewed", zap.Int("leases", len(mine)), zap.Error(err))
		h.tell(leaseUnrenewed)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range mine {
		switch {
		case !h.holdsLocked(t.lease) || t.lease.hold != t.hold: // it was given up meanwhile
		case t.lease.offers.Load(): // nor is it renewed
		case err != nil:
			if !t.lease.unsure.Load() {
				t.lease.extend(asked)
			}
		case slices.Contains(kept, t.hold):
			t.lease.unsure.Store(false)
			t.lease.extend(asked)
		default:
			h.lostLocked(t.lease)
		}
	}
}

// lostLocked silences the voice, and ends the session: another process has the interview.
func (h *leaseholder) lostLocked(l *lease) {
	if l.gone.Swap(true) {
		return
	}
	h.tell(leaseLost)
	h.log.Warn("lease.lost", zap.String("session", l.hold.Session), zap.Int64("epoch", l.hold.Epoch))
	if l.lost != nil {
		l.lost(errLeaseLost)
	}
}

// drop renews the lease no more. It reports whether it was held.
func (h *leaseholder) drop(l *lease) (hold store.Hold, held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.holdsLocked(l) {
		return hold, false
	}
	delete(h.held, l.hold.Session)
	if len(h.held) == 0 {
		select {
		case h.idle <- struct{}{}:
		default:
		}
	}
	return l.hold, true
}

// holds reports whether the lease was not given up.
func (h *leaseholder) holds(l *lease) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.holdsLocked(l)
}

func (h *leaseholder) holdsLocked(l *lease) bool { return h.held[l.hold.Session] == l }

// fenced is a track that takes nothing from who does not hold the interview.
type fenced struct {
	playout.FrameWriter
	lease *lease
}

// WriteFrame implements playout.FrameWriter. What may not be heard is lost, as in a reconnect.
func (f fenced) WriteFrame(opus []byte, info playout.FrameInfo) error {
	if !f.lease.speaks() {
		return nil
	}
	return f.FrameWriter.WriteFrame(opus, info)
}

// reserve takes the lease of the interview that a job is about, before the job is accepted: should this worker die from then on, another
// one is called. It waits for the database only as long as LiveKit may wait for its answer; who could not reserve has no lease until the
// interview begins. Nor has who comes into a room where another one is live: its worker holds it, or somebody is called for it.
func (a *attendance) reserve(ctx context.Context) {
	h := a.i.leaseholder
	if h == nil || a.refusal != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reserveLimit)
	defer cancel()
	var err error
	if a.interview, err = a.i.o.Library.Find(a.meta); err != nil || a.entitled(ctx) != nil {
		return
	}
	id := a.job.ID
	if a.meta.Resume != "" {
		if id = a.meta.Resume; !slices.ContainsFunc(a.leftBehind(ctx), func(s store.Session) bool { return s.Ended.IsZero() }) {
			return
		}
		err = h.acquire(ctx, &a.lease, id, a.call(), nil)
	} else if err = h.reserve(ctx, &a.lease, a.awaited(), a.call()); err == nil {
		a.filing.waiting = true
	}
	if err != nil && !errors.Is(err, store.ErrHeld) {
		h.tell(leaseNone)
		a.log.Warn("lease.none", zap.String("session", id), zap.Error(err))
	}
}

// call is what it takes to call another interviewer in place of this one.
func (a *attendance) call() store.Call {
	return store.Call{Room: a.job.RoomName, Identity: a.job.Identity, Agent: a.job.AgentName, Job: a.job.Metadata}
}

// takeLease takes the interview into this worker's hands. Without a database that says who has it, nobody is asked.
func (a *attendance) takeLease(ctx context.Context, id string) error {
	h := a.i.leaseholder
	if h == nil {
		return nil
	}
	if mine, err := h.reserved(&a.lease, id, a.lost); mine || err != nil {
		return err
	}
	if a.leased() { // of the interview that begins here unless it goes on with this one: it is asked for again, or runs out
		h.drop(&a.lease)
		a.lease.until.Store(0)
		a.lease.unsure.Store(false)
		a.lease.offers.Store(false)
	}
	err := h.acquire(ctx, &a.lease, id, a.call(), a.lost)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrHeld):
		return fmt.Errorf("%w: %w", errTaken, err)
	}
	h.tell(leaseNone)
	a.log.Warn("lease.none", zap.String("session", id), zap.Error(err)) // an interview does not fail for want of it
	return nil
}

// leased reports whether this worker holds the interview by a lease.
func (a *attendance) leased() bool { return a.lease.of != nil && a.lease.of.holds(&a.lease) }

// fence has the journal written under the lease, if there is one.
func (a *attendance) fence(j state.Journal) {
	if a.leased() {
		a.lease.of.leases.Fence(j, a.lease.hold)
	}
}

// dropLease has nobody called any more for an interview that cannot be resumed.
func (a *attendance) dropLease(ctx context.Context, id string) {
	if err := a.takeLease(ctx, id); err == nil {
		a.lease.end(ctx, true)
	}
}

// stop ends the session of a worker that has to stop. Where there are leases another one goes on with the interview, unless it was
// ended on purpose; without, it is over.
func (a *attendance) stop(job context.Context) {
	cause := context.Cause(job)
	defer a.lost(cause)
	if errors.Is(cause, worker.ErrStopped) || errors.Is(cause, worker.ErrDrainTimeout) {
		a.guard.Do("stop", func() { a.lease.end(job, false) }) // first: the session can write no end any more
	}
}

// strayed has somebody else go on with an interview whose room lost only this worker, or all of its participants, and reports whether
// there is anybody to do so.
func (a *attendance) strayed(why livekit.DisconnectReason) bool {
	if a.session.Load() == nil || !a.leased() || !astray(why) {
		return false
	}
	a.guard.Beside(&a.filing.WaitGroup, "filing", func() {
		a.lease.end(context.Background(), false)
		a.lost(session.Reason("disconnected"))
	})
	return true
}

// astray reports whether a room may go on without this worker. Otherwise it is over, or the interviewer was taken out of it.
func astray(why livekit.DisconnectReason) bool {
	switch why {
	case livekit.DisconnectReason_UNKNOWN_REASON, livekit.DisconnectReason_SERVER_SHUTDOWN, livekit.DisconnectReason_STATE_MISMATCH,
		livekit.DisconnectReason_JOIN_FAILURE, livekit.DisconnectReason_MIGRATION, livekit.DisconnectReason_SIGNAL_CLOSE,
		livekit.DisconnectReason_CONNECTION_TIMEOUT, livekit.DisconnectReason_MEDIA_FAILURE:
		return true
	}
	return false
}
