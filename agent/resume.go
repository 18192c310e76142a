package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// resumeWithin is how long after its last event an interview may be taken up by another worker.
const resumeWithin = 30 * time.Minute

// maxInterview is longer than any interview, to tell those that cannot be under way any more without reading their journals.
const maxInterview = 6 * time.Hour

// beginning is an interview that is about to be held: a new one, or one that another worker began.
type beginning struct {
	start   engine.Started
	journal state.Journal
	resume  *session.Resumption // nil: a new one
	size    int64               // bytes in the journal so far
}

// open takes up what a worker that died left of this interview, or opens a new journal.
func (a *attendance) open(ctx context.Context, who state.Candidate) (beginning, error) {
	a.filing.Wait()
	o, found, err := a.takeUp(ctx, who)
	if err == nil && !found {
		o, err = a.begin(ctx, who)
	}
	if err == nil && o.start.Session != a.job.ID {
		a.saveUnheld(ctx, errTaken) // nobody is called for it when its lease runs out
	}
	if err == nil && o.resume != nil {
		taken := lastSaid(o.resume.State)
		a.taken.Store(&taken)
	}
	if err != nil || o.resume != nil {
		return o, err
	}
	s := a.filed(&o.start)
	s.State, s.Began = store.Live, time.Now()
	a.guard.Beside(&a.filing.WaitGroup, "filing", func() { a.save(ctx, s) })
	return o, nil
}

// begin opens a new journal.
func (a *attendance) begin(ctx context.Context, who state.Candidate) (o beginning, err error) {
	if a.late != nil {
		return o, a.late
	}
	o = beginning{start: a.start(who)}
	if o.journal, err = a.i.o.Store.Create(ctx, o.start.Session); err != nil {
		return o, fmt.Errorf("open the journal: %w", err)
	}
	if err := a.takeLease(ctx, o.start.Session); err != nil {
		return o, errors.Join(err, o.journal.Close())
	}
	a.fence(o.journal)
	return o, nil
}

// inherit lets a job that does not say which interview is meant go on with the one that was left in its room.
func (a *attendance) inherit(ctx context.Context) {
	if a.i.o.Archive == nil || a.meta.Interview != "" {
		return
	}
	for _, s := range a.leftBehind(ctx) {
		if s.State == store.Live && time.Since(s.Began) < resumeWithin+maxInterview {
			a.meta.Interview, a.meta.Locale = s.Kind, s.Locale
			return
		}
	}
}

// takeUp looks for an interview of the same kind, with the same candidate, in this room, whose worker died less than half
// an hour ago; or for the one that dispatch names. What stands in the way is logged, and a new interview is held; unless another
// worker holds it at this moment.
func (a *attendance) takeUp(ctx context.Context, who state.Candidate) (o beginning, found bool, err error) {
	if a.i.o.Archive == nil {
		return o, false, nil
	}
	for _, s := range a.leftBehind(ctx) {
		o, err := a.resumption(ctx, &s, who)
		if err == nil {
			took := []zap.Field{zap.String("session", s.ID)}
			if r := o.resume; r != nil {
				took = append(took, zap.Duration("gap", r.Gap), zap.Uint64("entries", r.Entries))
			}
			a.log.Info("session.taken_up", took...)
			return o, true, nil
		}
		a.log.Warn("session.not_resumed", zap.String("session", s.ID), zap.Error(err))
		if errors.Is(err, errTaken) {
			return beginning{}, false, err
		}
		if s.ID != a.meta.Resume {
			continue
		}
		a.dropLease(ctx, s.ID)
		if errors.Is(err, errOver) { // perhaps the store has only now heard of it: nobody is interviewed twice for that
			return beginning{}, false, err
		}
	}
	return beginning{}, false, nil
}

// leftBehind are the interviews that may be this one.
func (a *attendance) leftBehind(ctx context.Context) []store.Session {
	if id := a.meta.Resume; id != "" {
		s, err := a.i.o.Archive.Session(ctx, id)
		if err != nil {
			a.log.Warn("session.not_resumed", zap.String("session", id), zap.Error(err))
			return nil
		}
		return []store.Session{s}
	}
	all, err := a.i.o.Archive.LiveIn(ctx, a.job.RoomName)
	if err != nil {
		a.log.Warn("session.not_resumed", zap.Error(err))
	}
	return all
}

// Reasons for not resuming an interview.
var (
	errOver        = errors.New("it is over")
	errOther       = errors.New("it is another interview")
	errOtherPerson = errors.New("it was held with somebody else")
	errChanged     = errors.New("its definition has changed since")
	errUnbegun     = errors.New("it had not begun")
	errLongAgo     = fmt.Errorf("it stopped more than %s ago", resumeWithin)
)

// resumption opens the journal of an interview that was left behind, and folds it. One that has not begun begins under its name: its
// job came in time, whatever a ticket says now.
func (a *attendance) resumption(ctx context.Context, s *store.Session, who state.Candidate) (beginning, error) {
	switch def := a.interview.Def; {
	case s.State != store.Live && s.State != store.Waiting:
		return beginning{}, errOver
	case s.Kind != def.Kind || s.Locale != a.interview.Words.Locale():
		return beginning{}, errOther
	case s.Identity != who.Identity && s.Identity != "":
		return beginning{}, errOtherPerson
	case s.Definition != def.Hash():
		return beginning{}, errChanged
	}
	if err := a.takeLease(ctx, s.ID); err != nil { // first: what its former holder writes after that is refused
		return beginning{}, err
	}
	journal, entries, err := a.i.o.Archive.Resume(ctx, s.ID)
	if errors.Is(err, state.ErrNoJournal) {
		journal, err = a.i.o.Archive.Create(ctx, s.ID)
	}
	if err != nil {
		a.lease.end(ctx, true)
		return beginning{}, err
	}
	start := a.start(who)
	start.Session = s.ID
	if len(entries) == 0 && (s.Began.IsZero() || time.Since(s.Began) < resumeWithin) {
		a.fence(journal)
		return beginning{start: start, journal: journal}, nil
	}
	r, err := a.refold(s, entries)
	if err != nil {
		a.lease.end(ctx, true)
		return beginning{}, errors.Join(err, journal.Close())
	}
	a.fence(journal)
	start = a.start(r.State.Candidate)
	start.Session = s.ID
	return beginning{start: start, journal: journal, resume: r, size: sizesOf(entries)}, nil
}

func sizesOf(entries []state.Entry) (bytes int64) {
	for _, e := range entries {
		bytes += sizeOf(e)
	}
	return bytes
}

func (a *attendance) refold(s *store.Session, entries []state.Entry) (*session.Resumption, error) {
	if len(entries) == 0 {
		return nil, errUnbegun
	}
	last := entries[len(entries)-1].At
	gap := max(0, time.Since(s.Began)-last.Duration())
	if gap > resumeWithin {
		return nil, errLongAgo
	}
	var u *state.UserData
	err := a.guard.Try("resume", func() (err error) {
		u, err = a.interview.Fold(entries)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case u.Stage == "":
		return nil, errUnbegun
	case u.Ended != "":
		return nil, errOver
	}
	return &session.Resumption{State: u, Entries: uint64(len(entries)), Last: last, Gap: gap}, nil
}

// againWithin bounds what of the candidate's a client may send again: clients keep what no interviewer has spoken after.
const againWithin = 5

// lastSaid are the candidate's last turns.
func lastSaid(u *state.UserData) (said []string) {
	for i := len(u.Turns) - 1; i >= 0 && len(said) < againWithin; i-- {
		if t := &u.Turns[i]; t.Speaker == state.SpeakerCandidate {
			said = append(said, oneLine(t.Text))
		}
	}
	return said
}

// hasTaken reports whether an interviewer that died had taken what is sent again.
func (a *attendance) hasTaken(text string) bool {
	taken := a.taken.Load()
	is := taken != nil && slices.Contains(*taken, oneLine(text))
	a.log.Info("typed.again", zap.Bool("taken", is))
	return is
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
