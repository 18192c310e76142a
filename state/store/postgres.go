package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// Connections to PostgreSQL: one is busy with journals, the others serve pages and reports.
const (
	maxConnections = 16
	maxIdle        = 4
	idleTime       = 5 * time.Minute
	connectLimit   = 5 * time.Second // unless the URL has a connect_timeout
)

// PostgreSQL's error codes, appendix A of its manual.
const (
	foreignKeyViolation = "23503"
	badPassword         = "28P01"
	badAuthorization    = "28000"
	noDatabase          = "3D000"
	noPrivilege         = "42501"
	noSchema            = "3F000" // none in which it may do anything
	readOnly            = "25006"
	diskFull            = "53100"
	manyConnections     = "53300"
	serialization       = "40001"
	deadlock            = "40P01"
)

// postgres is the dialect of a server. Its clock is that of the statement, not of the transaction; its own vacuum takes deleted rows
// away.
func postgres(c *pgx.ConnConfig) dialect {
	return dialect{
		name: "postgres", schema: goose.DialectPostgres, now: "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
		blob: "BYTEA", writers: true, transient: pgTransient,
		orphan: func(err error) bool { return pgCode(err) == foreignKeyViolation },
		advice: func(err error) string { return pgAdvice(c, err) },
	}
}

func dialPostgres(ctx context.Context, url string) (*Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the URL of the database: %w; it reads postgres://user:password@host:port/database", err)
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectLimit)
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "viva"
	}
	// A primary that became a standby answers: its connections are given up, and others may lead to the new one.
	fatal := config.OnPgError
	config.OnPgError = func(c *pgconn.PgConn, e *pgconn.PgError) bool { return e.Code != readOnly && fatal(c, e) }
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxIdle)
	db.SetConnMaxIdleTime(idleTime)
	s := &Store{write: db, read: db, dialect: postgres(config)}
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(s.fault("connect to PostgreSQL", err), db.Close())
	}
	return s, nil
}

func pgTransient(err error) bool {
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch fault.Code {
		case serialization, deadlock, readOnly:
			return true
		}
		class := func(prefix string) bool { return strings.HasPrefix(fault.Code, prefix) }
		return class("08") || class("53") || class("57P") // connection lost; no room, memory or connections; server restarting
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

func pgAdvice(c *pgx.ConnConfig, err error) string {
	switch pgCode(err) {
	case badPassword, badAuthorization:
		return fmt.Sprintf("the server does not let user %q in; check user and password in the URL, and pg_hba.conf", c.User)
	case noDatabase:
		return "create it: createdb " + c.Database
	case noPrivilege, noSchema:
		return fmt.Sprintf("let the user in: GRANT CREATE, USAGE ON SCHEMA public TO %q, or make it the database's owner", c.User)
	case readOnly:
		return "this server only reads; give the URL of the primary"
	case diskFull:
		return "the server's disk is full; make room, or purge old sessions"
	case manyConnections:
		return "raise max_connections on the server, or put a pooler before it"
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return fmt.Sprintf("is PostgreSQL running at %s, and may this machine reach it?", c.Host)
	}
	return ""
}

func pgCode(err error) string {
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fault.Code
	}
	return ""
}
