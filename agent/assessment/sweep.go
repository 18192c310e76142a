package assessment

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// WorkerLost is the reason of an interview that ended because its worker died and nobody took it up.
const WorkerLost = "worker_lost"

// What became of an interview that was left, for Sweep.Count.
const (
	SweptEnded  = "ended"  // with its report, where it makes one
	SweptFailed = "failed" // its journal cannot be used, so that there is none
	SweptKept   = "kept"   // somebody has taken it up after all
)

// Times of a sweep.
const (
	sweepEvery  = 5 * time.Minute
	sweepLease  = 15 * time.Minute // longer than all that is claimed at once takes
	sweepAtOnce = 4
	sweepJitter = 0.2 // of each pause, more or less: workers that start together do not look together
)

// Left is where sweepers find what dead workers left; *store.Store is one.
type Left interface {
	// ClaimLeft hands sessions out to one caller at a time.
	ClaimLeft(ctx context.Context, now, quiet time.Time, lease time.Duration, n int) ([]store.Session, error)
	// Resume opens a session's journal. An entry that differs from one that somebody else wrote fails with store.ErrConflict.
	Resume(ctx context.Context, session string) (state.Journal, []state.Entry, error)
	SaveSession(ctx context.Context, s store.Session) error
	// SettleLeft says that there is nothing left to do for the session.
	SettleLeft(ctx context.Context, session string) error
}

// Sweep says where to look for interviews that nobody holds any more, and who can read them. All but Count is required.
type Sweep struct {
	Left Left
	// Quiet is how long nothing was written into the journal of an interview that was left: longer than the time in which
	// another worker may take it up.
	Quiet time.Duration
	// Find returns the interview that a journal is of; an error: there is none in that language.
	Find func(kind, locale string) (*engine.Interview, error)
	// Case describes the interview to the assessor that reports it.
	Case func(s *store.Session, iv *engine.Interview) Case
	// Count is told what became of each session. It must not block.
	Count func(outcome string)
}

// Sweep ends what dead workers left, at once and then every few minutes, until ctx ends: such an interview is over with its
// last event, what is out is judged, and its report is made and delivered once (R002-63). An interview that somebody holds is
// left alone. What is under way when ctx ends is finished by Close, or by the next sweep.
func (s *Service) Sweep(ctx context.Context, o Sweep) error {
	if o.Left == nil || o.Find == nil || o.Case == nil || o.Quiet <= 0 {
		return errors.New("a sweep needs to know where to look, after which time, and who can read what it finds")
	}
	if o.Count == nil {
		o.Count = func(string) {}
	}
	w := sweeper{Sweep: o, service: s}
	pause := time.Duration(rand.Float64() * sweepJitter * float64(sweepEvery)) //nolint:gosec // spreads load; nothing rests on it
	for fault.Sleep(ctx, pause) {
		w.round(ctx)
		pause = sweepEvery + time.Duration((2*rand.Float64()-1)*sweepJitter*float64(sweepEvery)) //nolint:gosec // the same
	}
	return nil
}

type sweeper struct {
	Sweep
	service *Service
}

// round takes what was left, one interview after the other, until there is no more.
func (w *sweeper) round(ctx context.Context) {
	for claimed := sweepAtOnce; claimed == sweepAtOnce && ctx.Err() == nil; {
		now := time.Now()
		left, err := w.Left.ClaimLeft(ctx, now, now.Add(-w.Quiet), sweepLease, sweepAtOnce)
		if err != nil {
			if ctx.Err() == nil {
				w.service.o.Logger.Warn("sweep.claim", zap.Error(err))
			}
			return
		}
		claimed = len(left)
		for i := range left {
			if ctx.Err() != nil {
				return // their lease runs out
			}
			w.take(ctx, &left[i])
		}
	}
}

// take deals with one session and tells what became of it. Without an outcome it is left to the next sweep.
func (w *sweeper) take(ctx context.Context, s *store.Session) {
	log := w.service.o.Logger.With(zap.String("session", s.ID))
	end, err := w.settle(ctx, s)
	lost := &unreadable{}
	switch {
	case errors.Is(err, store.ErrConflict):
		w.Count(SweptKept)
		log.Info("session.kept", zap.String("why", "somebody has taken it up"))
		return
	case errors.As(err, &lost) && s.State == store.Live:
		end.Reason = lost.reason
		w.Count(SweptFailed)
	case errors.As(err, &lost): // it ended long before; perhaps it makes no report at all
		end = store.Session{}
		log.Info("report.impossible", zap.Error(err))
	case err != nil:
		log.Warn("session.unswept", zap.Error(err))
		return
	case end.ID == "":
		log.Debug("report.unwanted")
	default:
		w.Count(SweptEnded)
	}
	if end.ID != "" {
		log.Warn("session.swept", zap.String("state", end.State), zap.String("reason", end.Reason), zap.Error(err))
	}
	w.close(ctx, s, end, log)
}

// close ends the session in the store, which is the last thing: whoever dies before leaves it to the next sweep.
func (w *sweeper) close(ctx context.Context, s *store.Session, end store.Session, log *zap.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), archiveLimit)
	defer cancel()
	var err error
	if end.ID != "" {
		err = w.Left.SaveSession(ctx, end)
	}
	if err == nil {
		err = w.Left.SettleLeft(ctx, s.ID)
	}
	if err != nil {
		log.Error("session.unsaved", zap.Error(err))
	}
}
