package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vivavoice/viva/state"
)

var (
	// ErrHeld says that somebody else holds the lease of the session.
	ErrHeld = errors.New("another worker holds this interview")
	// ErrLost says that the lease has changed hands: what its former holder writes is refused. It is an ErrConflict.
	ErrLost = fmt.Errorf("the interview was handed to another worker: %w", ErrConflict)
)

// maxTakes is how often an interview may change hands: one that ends every worker is left alone in the end.
const maxTakes = 20

// Hold is a session in the hands of a process. Epoch grows whenever it changes hands.
type Hold struct {
	Session string
	Epoch   int64
}

// Call is what it takes to call another interviewer into the room of a session.
type Call struct {
	Room     string
	Identity string // of the interviewer that holds the session
	Agent    string // name by which another is dispatched
	Job      string // what the dispatch said
}

// Orphan is a session whose lease ran out.
type Orphan struct {
	Hold
	Call
}

// Acquire takes the lease of a session for a process, until life has passed by the database's clock. While another holds it the
// error is ErrHeld. From then on whoever held it before can neither renew it nor write the journal.
func (s *Store) Acquire(ctx context.Context, session, holder string, life time.Duration, c Call) (Hold, error) {
	return s.acquire(ctx, session, holder, life, c, "")
}

// Reserve enters a session that is waiting for its candidate, and takes its lease for the process that is about to accept its job. What
// has not begun is taken from whoever reserved it before: LiveKit asks one worker at a time, and the one before has not got the job. Where
// another session is live in the room nothing is entered, and the error is ErrHeld: a lease that ran out longer ago than within is of none.
func (s *Store) Reserve(ctx context.Context, session Session, holder string, life, within time.Duration, c Call) (Hold, error) {
	const doing = "look for live sessions in a room"
	query := `SELECT EXISTS (SELECT 1 FROM sessions AS o WHERE o.room = $1 AND o.id <> $3 AND ` + s.alive() + `)`
	var taken bool
	if err := s.row(ctx, query, []any{clean(session.Room), within.Milliseconds(), clean(session.ID)}, &taken); err != nil {
		return Hold{}, s.fault(doing, err)
	}
	if taken {
		return Hold{}, fmt.Errorf("%s: %w", doing, ErrHeld)
	}
	session.State = Waiting
	if err := s.SaveSession(ctx, session); err != nil {
		return Hold{}, err
	}
	return s.acquire(ctx, session.ID, holder, life, c, " OR EXISTS (SELECT 1 FROM sessions WHERE id = leases.session AND journal = 0)")
}

// acquire takes a lease that ran out, that the same job asks for again since the answer to it was lost, or of which or says so.
func (s *Store) acquire(ctx context.Context, session, holder string, life time.Duration, c Call, or string) (Hold, error) {
	now := s.now
	query := `INSERT INTO leases (session, epoch, holder, expires, room, identity, agent, job)
		VALUES ($1, 1, $2, ` + now + ` + $3, $4, $5, $6, $7)
		ON CONFLICT (session) DO UPDATE SET epoch = leases.epoch + 1, holder = excluded.holder, expires = excluded.expires,
			room = excluded.room, identity = excluded.identity, agent = excluded.agent, job = excluded.job,
			takes = leases.takes + 1, called = 0, calls = 0
		WHERE leases.expires <= ` + now + ` OR leases.holder = excluded.holder AND leases.identity = excluded.identity` + or + `
		RETURNING session, epoch`
	doing := fmt.Sprintf("take the lease of session %q", session)
	if err := checkID(holder); err != nil {
		return Hold{}, fmt.Errorf("%s: the holder: %w", doing, err)
	}
	got, err := collect(ctx, s.write, scanHold, query, clean(session), holder, life.Milliseconds(), clean(c.Room), clean(c.Identity), clean(c.Agent), strings.ToValidUTF8(strings.ReplaceAll(c.Job, "\x00", ""), ""))
	switch {
	case err != nil:
		return Hold{}, s.fault(doing, err)
	case len(got) == 0:
		return Hold{}, fmt.Errorf("%s: %w", doing, ErrHeld)
	}
	return got[0], nil
}

// Renew prolongs all leases of a process, and returns those that it still holds: the others have changed hands. One that ran out
// without anybody taking it is renewed, too.
func (s *Store) Renew(ctx context.Context, holder string, life time.Duration) ([]Hold, error) {
	// The order is that of commit, so that none waits for the other.
	query := `UPDATE leases SET expires = ` + s.now + ` + $2 WHERE session IN
		(SELECT session FROM leases WHERE holder = $1 AND holder <> '' AND expires > 0 ORDER BY session` + s.locking("NO KEY UPDATE") + `)
		RETURNING session, epoch`
	held, err := collect(ctx, s.write, scanHold, query, holder, life.Milliseconds())
	return held, s.fault("renew leases", err)
}

// Release gives a lease back: nobody is called. Of a lease that has changed hands it changes nothing: the error is ErrLost.
func (s *Store) Release(ctx context.Context, h Hold) error {
	n, err := s.exec(ctx, "UPDATE leases SET expires = 0, holder = '', job = '' WHERE session = $1 AND epoch = $2", clean(h.Session), h.Epoch)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return s.fault("give back a lease", err)
}

// Abandon lets a lease run out now, so that somebody else is called; its holder writes nothing any more. Of one that has changed hands
// it changes nothing.
func (s *Store) Abandon(ctx context.Context, h Hold) error {
	_, err := s.exec(ctx, "UPDATE leases SET epoch = epoch + 1, expires = "+s.now+", holder = '' WHERE session = $1 AND epoch = $2", clean(h.Session), h.Epoch)
	return s.fault("abandon a lease", err)
}

// Offer lets a lease run out now, so that somebody else is called, but nobody need come: until a caller has claimed it, its holder writes on,
// and can take it back. Of one that has changed hands it changes nothing: the error is ErrLost.
func (s *Store) Offer(ctx context.Context, h Hold) error {
	n, err := s.exec(ctx, "UPDATE leases SET expires = "+s.now+", holder = '' WHERE session = $1 AND epoch = $2 AND expires > 0", clean(h.Session), h.Epoch)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return s.fault("offer a lease", err)
}

// Retake takes back for its holder, until life has passed, a lease that was offered and that nobody claimed; otherwise the error is ErrLost.
func (s *Store) Retake(ctx context.Context, h Hold, holder string, life time.Duration) error {
	const doing = "take back a lease"
	if err := checkID(holder); err != nil {
		return fmt.Errorf("%s: the holder: %w", doing, err)
	}
	n, err := s.exec(ctx, "UPDATE leases SET expires = "+s.now+" + $3, holder = $4 WHERE session = $1 AND epoch = $2 AND expires > 0",
		clean(h.Session), h.Epoch, life.Milliseconds(), holder)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return s.fault(doing, err)
}

// ClaimOrphans returns at most n sessions, begun or not, whose leases ran out, not longer ago than within, and whose interviewers are dispatched by
// this agent's name. The caller is to call another interviewer: no other caller gets the same ones until hold has passed, three times
// as long when it has failed before. Their former holders can renew and write nothing from now on.
func (s *Store) ClaimOrphans(ctx context.Context, agent string, within, hold time.Duration, n int) ([]Orphan, error) {
	const doing = "claim sessions whose leases ran out"
	now := s.now
	due := `expires > 0 AND expires <= ` + now + ` AND expires > ` + now + ` - $2 AND called <= ` + now + ` AND takes < $3 AND agent = $1
		AND EXISTS (SELECT 1 FROM sessions WHERE id = leases.session AND state IN ('` + Live + `', '` + Waiting + `'))`
	args := []any{clean(agent), within.Milliseconds(), maxTakes}
	some, err := collect(ctx, s.read, scanText, "SELECT session FROM leases WHERE "+due+" LIMIT 1", args...) // mostly there are none: keep no writer waiting
	if err != nil || len(some) == 0 {
		return nil, s.fault(doing, err)
	}
	query := `UPDATE leases SET epoch = epoch + 1, holder = '', calls = calls + 1, called = ` + now + ` + $4 * CASE WHEN calls < 2 THEN calls + 1 ELSE 3 END
		WHERE session IN (SELECT session FROM leases WHERE ` + due + ` ORDER BY expires, session LIMIT $5` + s.locking("UPDATE OF leases SKIP LOCKED") + `)
		RETURNING session, epoch, room, identity, agent, job`
	all, err := collect(ctx, s.write, scanOrphan, query, append(args, hold.Milliseconds(), n)...)
	return all, s.fault(doing, err)
}

// Postpone has an orphan claimed again after a while, as if nobody had been called: the candidate is not there.
func (s *Store) Postpone(ctx context.Context, h Hold, by time.Duration) error {
	_, err := s.exec(ctx, "UPDATE leases SET called = "+s.now+" + $3, calls = calls - 1 WHERE session = $1 AND epoch = $2 AND calls > 0",
		clean(h.Session), h.Epoch, by.Milliseconds())
	return s.fault("postpone a call", err)
}

// Superseded reports whether nobody is to be called any more for a session that has not begun: in its room another one is live, as for
// Reserve, waits since later, or has been held meanwhile.
func (s *Store) Superseded(ctx context.Context, session string, within time.Duration) (is bool, err error) {
	query := `SELECT EXISTS (SELECT 1 FROM sessions AS w JOIN sessions AS o ON o.room = w.room AND o.id <> w.id WHERE w.id = $1
		AND (` + s.alive() + ` OR o.state = '` + Waiting + `' AND o.since > w.since OR o.began > 0 AND o.ended > w.since))`
	err = s.row(ctx, query, []any{clean(session), within.Milliseconds()}, &is)
	return is, s.fault("look for what superseded a session", err)
}

// alive says in SQL that the session o is live, and that somebody holds it, or may yet be called for it: its lease was not given back, and
// did not run out longer than $2 ms ago. One without a lease is live as long as the store says so.
func (s *Store) alive() string {
	return fmt.Sprintf(`o.state = '`+Live+`' AND NOT EXISTS (SELECT 1 FROM leases AS l WHERE l.session = o.id
		AND (l.expires <= %[1]s - $2 OR l.expires <= %[1]s AND l.takes >= %[2]d))`, s.now, maxTakes)
}

// Fence has a journal of this store written under the lease: once that has changed hands, Append fails with ErrLost.
func (s *Store) Fence(j state.Journal, h Hold) {
	if mine, ok := j.(*journal); ok && mine.session == h.Session {
		mine.epoch = h.Epoch
	}
}

func scanHold(row scanner) (h Hold, err error) {
	err = row.Scan(&h.Session, &h.Epoch)
	return h, err
}

func scanOrphan(row scanner) (o Orphan, err error) {
	err = row.Scan(&o.Session, &o.Epoch, &o.Room, &o.Identity, &o.Agent, &o.Job)
	return o, err
}
