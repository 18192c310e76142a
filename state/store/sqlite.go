package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite" // registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is the number of connections that only read. They never wait for the writer, nor it for them (WAL).
const readers = 4

// patience is how long a statement waits for another process, in ms.
const patience = "busy_timeout(5000)"

// Settings of connections. With synchronous=FULL what was acknowledged outlives a loss of power; with NORMAL the end of the
// write-ahead log may not.
var (
	common  = []string{patience, "foreign_keys(1)", "synchronous(full)"}
	writing = append([]string{"journal_mode(wal)", "secure_delete(1)"}, common...)
	reading = append([]string{"query_only(1)"}, common...)
)

// sqliteIn is the dialect of a file. Its clock is the host's, which all processes with this file share. What is forgotten is taken out
// of the write-ahead log, too: when a reader is in its way for longer than journals should wait, a later checkpoint does it.
func sqliteIn(path string) dialect {
	return dialect{
		name: "sqlite", schema: goose.DialectSQLite3, now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)", blob: "BLOB",
		forgotten: "PRAGMA busy_timeout(100); PRAGMA wal_checkpoint(TRUNCATE); PRAGMA " + patience,
		transient: func(err error) bool {
			return slices.Contains([]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}, primary(err))
		},
		orphan: func(err error) bool { return code(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY },
		advice: func(err error) string { return sqliteAdvice(path, err) },
	}
}

func dialSQLite(ctx context.Context, path string) (*Store, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("a database in memory would forget everything; name a file")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	d := sqliteIn(path)
	write, err := sql.Open("sqlite", source(path, writing, "&_txlock=immediate"))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	if err := ready(ctx, write, d.transient); err != nil {
		return nil, errors.Join(d.fault("read "+path, err), write.Close())
	}
	read, err := sql.Open("sqlite", source(path, reading, ""))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	return &Store{write: write, read: read, dialect: d}, nil
}

// ready waits until a database answers. A file that several processes open for the first time is locked while one of them puts it into WAL
// mode, and for that SQLite's own patience does not hold.
func ready(ctx context.Context, db *sql.DB, transient func(error) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := db.PingContext(ctx)
		if err == nil || !transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-again.C:
		}
	}
}

// prepare makes the file and its folder, readable by their owner only, and finds out now what would be hard to say later.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the database: %w; choose another place, or give this user the right to write there", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the operator chose the path
	switch info, _ := os.Stat(path); {
	case err != nil && info != nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file in it", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; choose another file, or give this user the right to read and write it", err)
	case err != nil:
		return err
	}
	return f.Close()
}

// source is the driver's name for the file with these pragmas.
func source(path string, pragmas []string, more string) string {
	name := url.URL{Scheme: "file", OmitHost: true, Path: path}
	return name.String() + "?" + url.Values{"_pragma": pragmas}.Encode() + more
}

func sqliteAdvice(path string, err error) string {
	switch primary(err) {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Sprintf("%s is no SQLite database, or is damaged; name another file, or restore it from a backup", path)
	case sqlite3.SQLITE_FULL:
		return "the disk is full; make room, or purge old sessions"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Sprintf("give this user the right to write to %s and to its folder", path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "another program holds the database; close it, or use PostgreSQL for several"
	case sqlite3.SQLITE_IOERR:
		return "the disk does not do what it is asked; is it a network folder? SQLite wants a local one"
	}
	return ""
}

// code returns SQLite's extended result code, 0 for other errors.
func code(err error) int {
	if fault, ok := errors.AsType[*sqlite.Error](err); ok {
		return fault.Code()
	}
	return 0
}

func primary(err error) int { return code(err) & 0xff }
