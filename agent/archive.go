package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// saveLimit bounds how long an interview waits for the archive to take down who it is with, and for a lease; it goes on without.
const saveLimit = 2 * time.Second

// Filed describes an interview that is about to be held to an archive, in a room or without one.
func Filed(iv *engine.Interview, start *engine.Started) store.Session {
	return store.Session{
		ID: start.Session, Kind: iv.Def.Kind, Definition: iv.Def.Hash(), Locale: iv.Words.Locale(),
		Identity: start.Candidate.Identity, Name: start.Candidate.Name,
	}
}

// Over describes to an archive how an interview ended just now: as session.Session.Run tells it, and so that nobody goes on with it.
func Over(session, reason string, err error) store.Session {
	s := store.Session{ID: session, State: store.Ended, Ended: time.Now(), Reason: reason}
	if err != nil {
		s.State = store.Failed
	}
	if reason == "" {
		s.Reason = "failed"
	}
	return s
}

func (a *attendance) filed(start *engine.Started) store.Session {
	s := Filed(a.interview, start)
	s.Room = a.job.RoomName
	if a.i.o.LinkHash != nil {
		s.Link = a.i.o.LinkHash(start.Session)
	}
	return s
}

// filing are the saves under way, so that a slow archive keeps no candidate waiting.
type filing struct {
	sync.WaitGroup
	waiting bool // the archive knows the interview as waiting; read it after Wait
}

// save tells the archive about the session. An interview does not fail for want of it.
func (a *attendance) save(ctx context.Context, s store.Session) {
	if a.i.o.Archive == nil {
		return
	}
	log, write := a.log.With(zap.String("session", s.ID)), func(ctx context.Context) error { return a.i.o.Archive.SaveSession(ctx, s) }
	if s.State != store.Waiting {
		_ = a.i.assessment.Keep(ctx, log, "session.unsaved", 0, write) // it waits
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	if err := write(ctx); err != nil { // tried again, it could come after the session's beginning
		log.Warn("session.unsaved", zap.Error(err))
	}
}

// saveWaiting enters an interview that nobody has come to yet, unless it was entered, or may be one that was begun already.
func (a *attendance) saveWaiting(ctx context.Context) {
	if a.i.o.Archive == nil || a.filing.waiting || len(a.leftBehind(ctx)) > 0 {
		return
	}
	a.filing.waiting = true
	a.save(ctx, a.awaited())
}

// awaited describes an interview that nobody has come to yet.
func (a *attendance) awaited() store.Session {
	start := a.start(state.Candidate{Identity: a.meta.Candidate.Identity})
	s := a.filed(&start)
	s.State = store.Waiting
	return s
}

// reasonTaken is why an interview was not held in whose place there was another one.
const reasonTaken = "taken"

// giveUp ends an interview that was not begun. Where it was only this worker that could not hold it, another one is called; as for one
// that another worker began.
func (a *attendance) giveUp(ctx context.Context, why error) {
	a.filing.Wait()
	elsewhere := errors.Is(why, errAstray) || errors.Is(why, worker.ErrStopped) || errors.Is(why, worker.ErrDrainTimeout)
	if !a.leased() {
		a.saveUnheld(ctx, why)
		return
	}
	over := a.lease.hold.Session == a.job.ID && (!elsewhere || errors.Is(context.Cause(ctx), worker.ErrTerminated))
	if mine := a.lease.end(ctx, over); mine && over { // else it is for another worker to say how it ended
		a.saveUnheld(ctx, why)
	}
}

// saveUnheld enters why an interview was not held.
func (a *attendance) saveUnheld(ctx context.Context, why error) {
	if a.filing.Wait(); !a.filing.waiting {
		return
	}
	reason := "failed"
	switch {
	case errors.Is(why, errNobody):
		reason = "nobody_came"
	case errors.Is(why, errTaken):
		reason = reasonTaken
	case ctx.Err() != nil:
		reason = "shutdown"
	}
	a.save(ctx, store.Session{ID: a.job.ID, State: store.Failed, Ended: time.Now(), Reason: reason})
}

// saveEnd enters how an interview ended. One that could not go on has no reason; it is not over: another worker may take
// it up.
func (a *attendance) saveEnd(ctx context.Context, session, reason string, err error) {
	a.filing.Wait()
	if reason == "" {
		return
	}
	a.save(ctx, Over(session, reason, err))
}
