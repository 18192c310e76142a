package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/state"
)

// commit writes the batch in one statement. Entries that are there already must be the same.
func (s *Store) commit(ctx context.Context, batch []*pending) error {
	query, args := s.insertion(batch)
	result, err := s.write.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == int64(len(batch)) {
		return err
	}
	for _, p := range batch {
		if err := s.compare(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// insertion leaves out the entries whose leases have changed hands. It locks the leases until the entries are committed: who takes one
// over afterwards reads all that its former holder wrote.
func (s *Store) insertion(batch []*pending) (query string, args []any) {
	fenced := slices.ContainsFunc(batch, func(p *pending) bool { return p.epoch != 0 })
	rows := make([]string, 0, len(batch))
	for _, p := range batch {
		n := len(args)
		row := fmt.Sprintf("(CAST($%d AS TEXT), CAST($%d AS BIGINT), CAST($%d AS BIGINT), CAST($%d AS TEXT), CAST($%d AS %s)",
			n+1, n+2, n+3, n+4, n+5, s.blob)
		args = append(args, p.session, int64(p.entry.Seq), int64(p.entry.At), p.entry.Type, document(p.entry.Data))
		if fenced {
			row += fmt.Sprintf(", CAST($%d AS BIGINT)", n+6)
			args = append(args, p.epoch)
		}
		rows = append(rows, row+")")
	}
	if !fenced {
		return "INSERT INTO journal (session, seq, at, type, data) VALUES " + strings.Join(rows, ", ") +
			" ON CONFLICT (session, seq) DO NOTHING", args
	}
	return `WITH new (session, seq, at, type, data, epoch) AS (VALUES ` + strings.Join(rows, ", ") + `),
		held AS (SELECT session, epoch FROM leases WHERE session IN (SELECT session FROM new WHERE epoch > 0) ORDER BY session` + s.locking("SHARE") + `)
		INSERT INTO journal (session, seq, at, type, data)
		SELECT session, seq, at, type, data FROM new
		WHERE epoch = 0 OR EXISTS (SELECT 1 FROM held WHERE held.session = new.session AND held.epoch = new.epoch)
		ON CONFLICT (session, seq) DO NOTHING`, args
}

func (s *Store) compare(ctx context.Context, p *pending) error {
	kept, err := scanEntry(s.write.QueryRowContext(ctx,
		"SELECT seq, at, type, data FROM journal WHERE session = $1 AND seq = $2", p.session, int64(p.entry.Seq)))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s.refused(ctx, p)
	case err != nil:
		return err
	case kept.At != p.entry.At || kept.Type != p.entry.Type || !bytes.Equal(kept.Data, p.entry.Data):
		return ErrConflict
	}
	return nil
}

// refused says why an entry was not written.
func (s *Store) refused(ctx context.Context, p *pending) error {
	var epoch int64
	err := s.write.QueryRowContext(ctx, "SELECT epoch FROM leases WHERE session = $1", p.session).Scan(&epoch)
	switch {
	case err == nil && epoch != p.epoch:
		return ErrLost
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	}
	return ErrNoSession // it was deleted in this very moment
}

// document is a JSON value for the database: nothing is NULL.
func document(data []byte) any {
	if len(data) == 0 {
		return nil
	}
	return data
}

func scanEntry(row scanner) (e state.Entry, err error) {
	var seq, at int64
	var data []byte
	if err := row.Scan(&seq, &at, &e.Type, &data); err != nil {
		return e, err
	}
	e.Seq, e.At = uint64(seq), state.Millis(at)
	if len(data) > 0 {
		e.Data = data
	}
	return e, nil
}
