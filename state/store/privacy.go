package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// ErrNoCandidate says that the store has no session of this candidate.
var ErrNoCandidate = errors.New("the store has no session of this candidate")

// expired are the sessions that ended before $1, or began before $2 and never ended.
const expired = "FROM sessions WHERE (ended > 0 AND ended < $1 OR ended = 0 AND since < $2)"

// abandoned is how long after its beginning a session that never ended counts as ended.
const abandoned = 24 * time.Hour

// Purged says what was taken out of the store.
type Purged struct {
	Sessions int
	// Recordings are the files that nobody needs any more, those of earlier calls that were never reported as Removed
	// among them: delete them, then call Removed.
	Recordings []string
}

// Document is one file of an export.
type Document struct {
	Name string // a relative path with slashes, fit for an archive
	JSON []byte
}

// Purge deletes all sessions that ended before the given time, with everything that belongs to them. Those that never
// ended count a day after they began. It works one session at a time, so that live ones hardly wait; when it is cut short
// it has done a part, and the next call does the rest.
func (s *Store) Purge(ctx context.Context, before time.Time) (Purged, error) {
	const query = "SELECT id " + expired + " ORDER BY since, id LIMIT 100"
	return s.forget(ctx, "purge sessions", query, millis(before), millis(before.Add(-abandoned)))
}

// Delete deletes all sessions of one candidate, with everything that belongs to them. Of a candidate whom it does not know
// it deletes nothing, without an error. An interview that is being held fails at its next event.
func (s *Store) Delete(ctx context.Context, identity string) (Purged, error) {
	if clean(identity) == "" {
		return Purged{}, errors.New("delete a candidate: no identity is given")
	}
	return s.forget(ctx, "delete a candidate", "SELECT id FROM sessions WHERE identity = $1 LIMIT 100", clean(identity))
}

// forget deletes the sessions that query finds, until it finds none.
func (s *Store) forget(ctx context.Context, doing string, query string, args ...any) (Purged, error) {
	var done Purged
	for {
		ids, err := collect(ctx, s.write, scanText, query, args...)
		if err != nil {
			return done, s.fault(doing, err)
		}
		if len(ids) == 0 {
			break
		}
		for _, id := range ids {
			if err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return forgetOne(ctx, tx, id) }); err != nil {
				return done, s.fault(fmt.Sprintf("%s: session %q", doing, id), err)
			}
			done.Sessions++
		}
	}
	var err error
	done.Recordings, err = s.leftovers(ctx)
	if err == nil && done.Sessions > 0 && s.forgotten != "" {
		_, err = s.exec(ctx, s.forgotten)
	}
	return done, s.fault(doing, err)
}

func forgetOne(ctx context.Context, tx *sql.Tx, id string) error {
	const keep = "INSERT INTO leftovers (path, since) SELECT path, CAST($2 AS BIGINT) FROM recordings WHERE session = $1 ON CONFLICT (path) DO NOTHING"
	if _, err := tx.ExecContext(ctx, keep, id, time.Now().UnixMilli()); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE id = $1", id)
	return err
}

// Removed says that these files of Purged.Recordings are gone.
func (s *Store) Removed(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if _, err := s.exec(ctx, "DELETE FROM leftovers WHERE path = $1", clean(path)); err != nil {
			return s.fault("forget a recording", err)
		}
	}
	return nil
}

// PurgeRecordings takes the recordings of all sessions that ended before the given time out of the index, and leaves the
// sessions as they are. Those that never ended count a day after they began. What it returns is to be deleted, and then
// reported as Removed, like the Recordings of a Purge.
func (s *Store) PurgeRecordings(ctx context.Context, before time.Time) ([]string, error) {
	const doing = "purge recordings"
	const keep = "INSERT INTO leftovers (path, since) SELECT path, CAST($3 AS BIGINT) FROM recordings WHERE session IN (SELECT id " + expired +
		") ON CONFLICT (path) DO NOTHING"
	const drop = "DELETE FROM recordings WHERE session IN (SELECT id " + expired + ")"
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ended, began := millis(before), millis(before.Add(-abandoned))
		if _, err := tx.ExecContext(ctx, keep, ended, began, time.Now().UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, drop, ended, began)
		return err
	})
	if err != nil {
		return nil, s.fault(doing, err)
	}
	paths, err := s.leftovers(ctx)
	return paths, s.fault(doing, err)
}

// Expired counts what a Purge with this time would delete: sessions, and the recordings that belong to them.
func (s *Store) Expired(ctx context.Context, before time.Time) (sessions, recordings int, err error) {
	const query = "SELECT (SELECT COUNT(*) " + expired + "), (SELECT COUNT(*) FROM recordings WHERE session IN (SELECT id " + expired + "))"
	err = s.row(ctx, query, []any{millis(before), millis(before.Add(-abandoned))}, &sessions, &recordings)
	return sessions, recordings, s.fault("count old sessions", err)
}

// leftovers are the files that nobody needs any more.
func (s *Store) leftovers(ctx context.Context) ([]string, error) {
	return collect(ctx, s.read, scanText, "SELECT path FROM leftovers ORDER BY path")
}

// Export gives everything that the store has about one candidate to each, one document at a time and a session at a
// time: candidate.json, and for each session session.json, journal.json, evaluations.json, report.json, recordings.json
// and deliveries.json, where there are such. It stops when each fails. ErrNoCandidate: there is nothing.
func (s *Store) Export(ctx context.Context, identity string, each func(Document) error) error {
	const doing = "export a candidate"
	sessions, err := collect(ctx, s.read, scanSession,
		"SELECT "+sessionColumns+" FROM sessions WHERE identity = $1 ORDER BY since, id", clean(identity))
	switch {
	case err != nil:
		return s.fault(doing, err)
	case len(sessions) == 0 || identity == "":
		return fmt.Errorf("%s: %w", doing, ErrNoCandidate)
	}
	index := struct {
		Identity string   `json:"identity"`
		Sessions []string `json:"sessions"`
	}{Identity: identity}
	for _, one := range sessions {
		index.Sessions = append(index.Sessions, one.ID)
	}
	if err := hand(each, "candidate.json", index); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	for _, one := range sessions {
		if err := s.exportOne(ctx, one, each); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	return nil
}

func (s *Store) exportOne(ctx context.Context, session Session, each func(Document) error) error {
	one := session.ID
	journal, err1 := collect(ctx, s.read, scanEntry, "SELECT seq, at, type, data FROM journal WHERE session = $1 ORDER BY seq", one)
	evaluations, err2 := s.Evaluations(ctx, one)
	recordings, err3 := s.Recordings(ctx, one)
	deliveries, err4 := s.Deliveries(ctx, one)
	report, err5 := s.Report(ctx, one)
	if errors.Is(err5, ErrNoReport) {
		err5 = nil
	}
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	session.Link = "" // a key to the session, and nothing about the candidate
	for _, part := range []struct {
		name  string
		there bool
		value any
	}{
		{"session", true, session},
		{"journal", len(journal) > 0, journal},
		{"evaluations", len(evaluations) > 0, evaluations},
		{"report", len(report) > 0, report},
		{"recordings", len(recordings) > 0, recordings},
		{"deliveries", len(deliveries) > 0, deliveries},
	} {
		if !part.there {
			continue
		}
		if err := hand(each, "sessions/"+folder(one)+"/"+part.name+".json", part.value); err != nil {
			return err
		}
	}
	return nil
}

func hand(each func(Document) error, name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return each(Document{Name: name, JSON: text})
}

// folder is a session's id as the name of a folder, whatever is in it.
func folder(id string) string {
	if name := url.PathEscape(id); name != "." && name != ".." {
		return name
	}
	return "_" + id
}
