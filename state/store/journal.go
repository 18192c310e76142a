package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state"
)

// journal writes one session's entries.
type journal struct {
	s       *Store
	session string
	last    uint64
	epoch   int64 // of the lease that it is written under; 0 = none
	closed  bool

	// The database is away: entries that wait, the oldest first, and their bytes.
	behind []*pending
	weight int
	failed error // one of them was refused: the journal has a gap
}

// mostBehind is how many bytes of a session may wait for a database that is away: more than half an hour of talk.
const mostBehind = 2 << 20

var _ state.Journal = (*journal)(nil)

// Create implements state.Store. The session is made when the store has none under this id; from now on it is live.
func (s *Store) Create(ctx context.Context, session string) (state.Journal, error) {
	doing := fmt.Sprintf("create journal %q", session)
	if err := checkID(session); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	const query = `INSERT INTO sessions (id, state, since, began, search, journal) VALUES ($1, $2, $3, $3, $4, $3)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state, journal = excluded.journal,
			since = CASE WHEN sessions.began = 0 THEN excluded.since ELSE sessions.since END,
			began = CASE WHEN sessions.began = 0 THEN excluded.began ELSE sessions.began END
		WHERE sessions.journal = 0`
	made, err := s.exec(ctx, query, session, Live, time.Now().UnixMilli(), fold(session))
	switch {
	case err != nil:
		return nil, s.fault(doing, err)
	case made == 0:
		return nil, fmt.Errorf("%s: %w", doing, fs.ErrExist)
	}
	return &journal{s: s, session: session}, nil
}

// Resume opens the journal of a session whose worker died: it returns what is in it, and goes on after the last entry.
// Should the other worker live after all, the first entry that differs fails with ErrConflict, for one of the two.
func (s *Store) Resume(ctx context.Context, session string) (state.Journal, []state.Entry, error) {
	entries, err := s.Read(ctx, session)
	if err != nil {
		return nil, nil, fmt.Errorf("resume: %w", err)
	}
	return &journal{s: s, session: session, last: uint64(len(entries))}, entries, nil
}

// Append implements state.Journal: it returns when the entry is committed. Writing the same entry again changes nothing.
// When the database is away, full or does not answer within a second, the entry waits in memory, and with it those that follow, which
// return at once: for ten minutes and two megabytes at most. What was refused then fails the next call.
func (j *journal) Append(e state.Entry) error {
	size := len(e.Type) + len(e.Data)
	switch {
	case j.closed:
		return fmt.Errorf("write journal entry %d: %w", e.Seq, fs.ErrClosed)
	case e.Seq == 0 || e.Seq > j.last+1:
		return fmt.Errorf("journal entry %d cannot follow entry %d", e.Seq, j.last)
	case size > state.MaxEntry:
		return fmt.Errorf("journal entry %d (%s) has %d bytes; at most %d are kept", e.Seq, e.Type, size, state.MaxEntry)
	case len(e.Data) > 0 && !json.Valid(e.Data):
		return fmt.Errorf("journal entry %d (%s) is not JSON", e.Seq, e.Type)
	}
	doing := fmt.Sprintf("write journal entry %d", e.Seq)
	if err := j.settle(0); err != nil {
		return err
	}
	if j.weight+size > mostBehind {
		return fmt.Errorf("%s: %w", doing, errCrowded)
	}
	var before *pending
	if n := len(j.behind); n > 0 {
		before = j.behind[n-1]
	}
	p, err := j.s.scribe.take(j.session, j.epoch, e, before)
	if err != nil {
		return j.s.fault(doing, err)
	}
	if len(j.behind) == 0 {
		err, known := p.answered(appendLimit)
		if err != nil {
			return j.s.fault(doing, err)
		}
		if known {
			j.last = max(j.last, e.Seq)
			return nil
		}
		j.s.log.Warn("journal.behind", zap.String("session", j.session), zap.Uint64("entry", e.Seq))
	}
	j.last = max(j.last, e.Seq)
	j.behind, j.weight = append(j.behind, p), j.weight+size
	return nil
}

// settle takes note of what was committed of what waits; it waits for so long itself. Its error is of the first entry that was refused.
func (j *journal) settle(wait time.Duration) error {
	until := time.Now().Add(wait)
	for j.failed == nil && len(j.behind) > 0 {
		p := j.behind[0]
		err, known := p.answered(time.Until(until))
		if !known {
			return nil
		}
		j.failed = j.s.fault(fmt.Sprintf("write journal entry %d", p.entry.Seq), err)
		j.weight -= len(p.entry.Type) + len(p.entry.Data)
		if j.behind = j.behind[1:]; len(j.behind) == 0 && err == nil {
			j.s.log.Info("journal.caught_up", zap.String("session", j.session), zap.Uint64("entry", p.entry.Seq))
		}
	}
	return j.failed
}

// Close implements state.Journal. What waits is given some seconds; after an error it may still be written.
func (j *journal) Close() error {
	if j.closed {
		return nil
	}
	j.closed = true
	err := j.settle(stopLimit)
	if n := len(j.behind); err == nil && n > 0 {
		err = fmt.Errorf("close journal %q: %d entries wait for the database: %w", j.session, n, context.DeadlineExceeded)
	}
	return err
}

// Read implements state.Store. What is missing in the middle is an error.
func (s *Store) Read(ctx context.Context, session string) ([]state.Entry, error) {
	doing := fmt.Sprintf("read journal %q", session)
	if err := checkID(session); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	entries, err := collect(ctx, s.read, scanEntry, "SELECT seq, at, type, data FROM journal WHERE session = $1 ORDER BY seq", session)
	if err != nil {
		return nil, s.fault(doing, err)
	}
	for i, e := range entries {
		if e.Seq != uint64(i+1) {
			return nil, fmt.Errorf("%s: journal entry %d has number %d", doing, i+1, e.Seq)
		}
	}
	if len(entries) > 0 {
		return entries, nil
	}
	var opened bool
	err = s.row(ctx, "SELECT EXISTS (SELECT 1 FROM sessions WHERE id = $1 AND journal > 0)", []any{session}, &opened)
	if err == nil && !opened {
		err = state.ErrNoJournal
	}
	return nil, s.fault(doing, err)
}

// checkID refuses ids that no part of the product makes: empty, endless, or with characters that cannot be seen.
func checkID(id string) error {
	const longest = 200
	switch {
	case id == "":
		return errors.New("the id is empty")
	case len(id) > longest:
		return fmt.Errorf("the id has %d bytes; at most %d are allowed", len(id), longest)
	case id != clean(id):
		return fmt.Errorf("the id %q has characters that cannot be written", id)
	}
	return nil
}
