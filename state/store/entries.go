package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/vivavoice/viva/state"
)

// commit writes the batch in one statement. Entries that are there already must be the same.
func (s *Store) commit(ctx context.Context, batch []*pending) error {
	query, args := insertion(batch)
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

func insertion(batch []*pending) (query string, args []any) {
	rows := make([]string, 0, len(batch))
	for _, p := range batch {
		n := len(args)
		rows = append(rows, fmt.Sprintf("($%d, $%d, $%d, $%d, $%d)", n+1, n+2, n+3, n+4, n+5))
		args = append(args, p.session, int64(p.entry.Seq), int64(p.entry.At), p.entry.Type, document(p.entry.Data))
	}
	return "INSERT INTO journal (session, seq, at, type, data) VALUES " + strings.Join(rows, ", ") +
		" ON CONFLICT (session, seq) DO NOTHING", args
}

func (s *Store) compare(ctx context.Context, p *pending) error {
	kept, err := scanEntry(s.write.QueryRowContext(ctx,
		"SELECT seq, at, type, data FROM journal WHERE session = $1 AND seq = $2", p.session, int64(p.entry.Seq)))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrNoSession // it was deleted in this very moment
	case err != nil:
		return err
	case kept.At != p.entry.At || kept.Type != p.entry.Type || !bytes.Equal(kept.Data, p.entry.Data):
		return ErrConflict
	}
	return nil
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
