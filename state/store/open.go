package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/state"
)

// Limits of time, whatever the caller's context says.
const (
	openLimit   = 30 * time.Second // to connect, and to bring the schema up to date
	callLimit   = 10 * time.Second // one call; of Purge, Delete and Export, one session
	appendLimit = time.Second      // one entry of a journal; then the session goes on without it
	stopLimit   = 5 * time.Second  // what still waits when the store is closed
)

// Errors that callers tell apart with errors.Is.
var (
	ErrNoSession = errors.New("the store has no such session")
	ErrNoReport  = errors.New("the session has no report")
	// ErrNoDelivery says that a delivery was made already, or its session was deleted.
	ErrNoDelivery = errors.New("the store has no such delivery that is not made yet")
	// ErrNewer says that a later version of the program has changed the database.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrConflict says that the journal has another entry under this number: somebody else holds the same session.
	ErrConflict = errors.New("another process writes the same journal")
	ErrClosed   = errors.New("the store is closed")
)

// Store is a database of interviews.
type Store struct {
	dialect
	write  *sql.DB // of SQLite a single connection: it has one writer
	read   *sql.DB // the same as write with PostgreSQL
	scribe *scribe
	log    *zap.Logger
	close  func() error
}

var _ state.Store = (*Store)(nil)

// dialect is what differs between the databases.
type dialect struct {
	name      string // also that of the folder of its migrations
	schema    goose.Dialect
	now       string // the database's clock, in ms of Unix time
	blob      string // the type of bytes
	writers   bool   // there may be several at a time
	forgotten string // what is done after rows were deleted for good; empty = nothing
	// transient reports whether the same statement may succeed a moment later, orphan whether a row was refused because its
	// session does not exist.
	transient, orphan func(error) bool
	// advice says what a person can do about an error; "" when nothing is known.
	advice func(error) string
}

// locking is the clause by which a SELECT locks its rows, or nothing where there is one writer anyway.
func (d *dialect) locking(how string) string {
	if !d.writers {
		return ""
	}
	return " FOR " + how
}

// Open opens the database that url names, makes it when it is a file that is missing, and brings its schema up to date:
//
//	interviews.db, sqlite:interviews.db      a file; its folder is made, too
//	postgres://user:password@host/database   PostgreSQL; the database must exist
//
// The error says what to do, and never holds the password. The caller closes the store.
func Open(ctx context.Context, url string, log *zap.Logger) (*Store, error) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	s, err := dial(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s.log = log
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(s.fault("open the store", err), s.disconnect())
	}
	s.scribe = newScribe(s.commit, s.transient, log) //nolint:contextcheck // it outlives the call that opens the store
	s.close = sync.OnceValue(func() error {
		s.scribe.stop()
		return s.disconnect()
	})
	log.Info("store.opened", zap.String("database", s.name))
	return s, nil
}

func dial(ctx context.Context, url string) (*Store, error) {
	scheme, rest, found := strings.Cut(url, ":")
	switch {
	case url == "":
		return nil, errors.New("no database is named; give a file, or postgres://user:password@host/database")
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return dialPostgres(ctx, url)
	case found && scheme == "sqlite":
		return dialSQLite(ctx, strings.TrimPrefix(rest, "//"))
	case found && strings.HasPrefix(rest, "//"):
		return nil, fmt.Errorf("databases of kind %q are not known; give a file, sqlite:file, or postgres://user:password@host/database", scheme)
	}
	return dialSQLite(ctx, url)
}

// Close waits for the entries under way, at most a few seconds, and disconnects. It may be called more than once. No other
// call may follow; an Append that does fails with ErrClosed.
func (s *Store) Close() error { return s.close() }

func (s *Store) disconnect() error {
	err := s.write.Close()
	if s.read != s.write {
		err = errors.Join(err, s.read.Close())
	}
	if err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}

// fault wraps err, when there is one, with what was being done and, where it is known, with what helps.
func (d *dialect) fault(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case d.orphan(err):
		return fmt.Errorf("%s: %w", doing, ErrNoSession)
	}
	if advice := d.advice(err); advice != "" {
		return fmt.Errorf("%s: %w; %s", doing, err, advice)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// inTx runs do in a transaction that is committed when do returns nil.
func (s *Store) inTx(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// exec runs one statement and returns the number of rows it changed.
func (s *Store) exec(ctx context.Context, query string, args ...any) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	result, err := s.write.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// keep runs an insertion that leaves what is there already, unless there is a flaw in what is to be kept. It reports whether that
// was new.
func (s *Store) keep(ctx context.Context, doing string, flaw error, query string, args ...any) (kept bool, err error) {
	if flaw != nil {
		return false, s.fault(doing, flaw)
	}
	n, err := s.exec(ctx, query, args...)
	return n == 1, s.fault(doing, err)
}

// row reads one row into dest; sql.ErrNoRows: there is none.
func (s *Store) row(ctx context.Context, query string, args []any, dest ...any) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return s.read.QueryRowContext(ctx, query, args...).Scan(dest...)
}

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }

// collect reads all rows with scan.
func collect[T any](ctx context.Context, db queryer, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err tells what there is to tell
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

func scanText(row scanner) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}

// millis converts a time for the database: milliseconds since 1970, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
