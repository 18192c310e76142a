package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// ForgetRecording takes a file out of the index, once it is gone. One that is not there changes nothing.
func (s *Store) ForgetRecording(ctx context.Context, path string) error {
	_, err := s.exec(ctx, "DELETE FROM recordings WHERE path = $1", clean(path))
	return s.fault("forget a recording", err)
}

// PurgeRecordings takes the recordings of all sessions that ended before the given time out of the index, and leaves the
// sessions as they are. Those that never ended count a day after they began. What it returns is to be deleted, and then
// reported as Removed, like the Recordings of a Purge.
func (s *Store) PurgeRecordings(ctx context.Context, before time.Time) ([]string, error) {
	const old = "(SELECT id FROM sessions WHERE (ended > 0 AND ended < $1) OR (ended = 0 AND since < $2))"
	const keep = "INSERT INTO leftovers (path, since) SELECT path, CAST($3 AS BIGINT) FROM recordings WHERE session IN " + old +
		" ON CONFLICT (path) DO NOTHING"
	const drop = "DELETE FROM recordings WHERE session IN " + old
	doing := "purge recordings"
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
	return s.leftovers(ctx, doing)
}

// Expired counts what a Purge with this time would delete: sessions, and the recordings that belong to them.
func (s *Store) Expired(ctx context.Context, before time.Time) (sessions, recordings int, err error) {
	const old = "FROM sessions WHERE (ended > 0 AND ended < $1) OR (ended = 0 AND since < $2)"
	type count struct{ sessions, recordings int }
	found, err := collect(ctx, s.read, func(row scanner) (c count, err error) {
		err = row.Scan(&c.sessions, &c.recordings)
		return c, err
	}, "SELECT (SELECT COUNT(*) "+old+"), (SELECT COUNT(*) FROM recordings WHERE session IN (SELECT id "+old+"))",
		millis(before), millis(before.Add(-abandoned)))
	if err != nil || len(found) == 0 {
		return 0, 0, s.fault("count old sessions", err)
	}
	return found[0].sessions, found[0].recordings, nil
}

// leftovers are the files that nobody needs any more.
func (s *Store) leftovers(ctx context.Context, doing string) ([]string, error) {
	paths, err := collect(ctx, s.read, scanText, "SELECT path FROM leftovers ORDER BY path")
	if err != nil {
		return nil, s.fault(doing, fmt.Errorf("list files: %w", err))
	}
	return paths, nil
}
