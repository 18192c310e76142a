package agent

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// partitionLimit is how long an interviewer may be without its room before somebody else may be called. LiveKit's client is mostly back
// within a second; it tries for a minute before it says that the room is lost, and a candidate would sit in silence for as long.
const partitionLimit = 3 * time.Second

// broke is called when the room is lost, and restored when it is there again or lost for good; both on the room's goroutine.
func (a *attendance) broke() {
	a.lease.doubt()
	if a.back != nil || a.session.Load() == nil || !a.leased() {
		return
	}
	if a.again != nil {
		close(a.again)
	}
	back, again, lease := make(chan struct{}), make(chan struct{}), &a.lease
	a.back, a.again = back, again
	a.guard.Beside(&a.partitions, "partition", func() { lease.bridge(back, again, a.ended) })
}

func (a *attendance) restored() {
	if a.back != nil {
		close(a.back)
		a.back = nil
	}
}

// bridge offers the lease to all workers when the room has been lost for too long, for this one may be cut off from LiveKit, and not from the
// database. It takes the lease back when the room is there again and nobody was called; otherwise the session ends. It returns when the
// session has ended, at the latest. Once the room is lost again, the lease is its next bridge's to take back.
func (l *lease) bridge(back, again, ended <-chan struct{}) {
	limit := time.NewTimer(partitionLimit)
	defer limit.Stop()
	select {
	case <-ended:
		return
	case <-back:
		return
	case <-limit.C:
	}
	insist(l.offer, back, ended)
	select {
	case <-ended:
	case <-back:
		insist(l.retake, again, ended)
	}
}

// insist tries until it succeeds, or one of the two is closed.
func insist(try func() bool, given, ended <-chan struct{}) {
	retry := time.NewTicker(leaseLife / renewals)
	defer retry.Stop()
	for !try() {
		select {
		case <-given:
			return
		case <-ended:
			return
		case <-retry.C:
		}
	}
}

// offer reports whether it is known whose the lease is: anybody's now, or another one's already.
func (l *lease) offer() bool {
	h := l.of
	hold, held := h.open(l)
	if !held {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaseLife/2)
	defer cancel()
	err := h.leases.Offer(ctx, hold)
	if err != nil && !errors.Is(err, store.ErrLost) {
		h.log.Warn("lease.unoffered", zap.String("session", hold.Session), zap.Error(err))
		return false
	}
	h.tell(leaseOffered)
	h.log.Warn("lease.offered", zap.String("session", hold.Session), zap.Error(err))
	return true
}

// yields reports whether others are to be the first to call somebody: this worker has just offered an interview, and what cut it off from
// the room may keep its calls from LiveKit, too.
func (h *leaseholder) yields() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.offered.IsZero() && time.Since(h.offered) < leaseLife
}

// open renews the lease no more, and silences the voice, but does not give it up.
func (h *leaseholder) open(l *lease) (hold store.Hold, held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.holdsLocked(l) || l.gone.Load() {
		return hold, false
	}
	l.offers.Store(true)
	h.offered = time.Now()
	return l.hold, true
}

// retake reports whether it is known who has the lease: this worker, again, or another one.
func (l *lease) retake() bool {
	h := l.of
	ctx, cancel := context.WithTimeout(context.Background(), leaseLife/2)
	defer cancel()
	h.mu.Lock()
	hold, held := l.hold, h.holdsLocked(l)
	h.mu.Unlock()
	if !held {
		return true
	}
	asked := time.Now()
	err := h.leases.Retake(ctx, hold, h.id, leaseLife)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.holdsLocked(l) || l.hold != hold: // it was given up meanwhile
		return true
	case err == nil:
		l.extend(asked)
		l.unsure.Store(false)
		l.offers.Store(false)
		h.tell(leaseRetaken)
		h.log.Info("lease.retaken", zap.String("session", hold.Session))
		return true
	case errors.Is(err, store.ErrLost):
		h.lostLocked(l)
		return true
	}
	h.log.Warn("lease.unrenewed", zap.Int("leases", 1), zap.Error(err))
	h.tell(leaseUnrenewed)
	return false
}
