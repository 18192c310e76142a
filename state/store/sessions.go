package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// States of a session. Ended and Failed are final.
const (
	Waiting = "waiting" // its link was made; nobody has come yet
	Live    = "live"    // its journal is being written, or its worker died
	Ended   = "ended"
	Failed  = "failed"
)

// Session describes one interview.
type Session struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind,omitempty"`
	Definition string    `json:"definition,omitempty"` // hash
	Locale     string    `json:"locale,omitempty"`
	Identity   string    `json:"identity,omitempty"` // of the candidate, in the room
	Name       string    `json:"name,omitempty"`
	Room       string    `json:"room,omitempty"`
	State      string    `json:"state,omitempty"`
	Began      time.Time `json:"began,omitzero"`
	Ended      time.Time `json:"ended,omitzero"`
	Reason     string    `json:"reason,omitempty"` // why it ended
	Link       string    `json:"link,omitempty"`   // hash of the token in its link, never the token
}

// merge fills what later knows into s. What later leaves empty stays; how a session ended is said once.
func (s *Session) merge(later Session) {
	final := !s.Ended.IsZero()
	for _, f := range []struct{ to, from *string }{
		{&s.Kind, &later.Kind}, {&s.Definition, &later.Definition}, {&s.Locale, &later.Locale},
		{&s.Identity, &later.Identity}, {&s.Name, &later.Name}, {&s.Room, &later.Room}, {&s.Link, &later.Link},
	} {
		if *f.from != "" {
			*f.to = clean(*f.from)
		}
	}
	if !later.Began.IsZero() {
		s.Began = later.Began
	}
	if final {
		return
	}
	s.Ended = later.Ended
	if later.State != "" && (later.State != Waiting || s.State != Live) { // what has begun waits no more
		s.State = clean(later.State)
	}
	if later.Reason != "" {
		s.Reason = clean(later.Reason)
	}
}

const sessionColumns = "id, kind, definition, locale, identity, name, room, state, began, ended, reason, link"

func scanSession(row scanner) (Session, error) { return scanSessionAnd(row) }

// scanSessionAnd reads a session, and what else stands in its row.
func scanSessionAnd(row scanner, more ...any) (s Session, err error) {
	var began, ended int64
	err = row.Scan(append([]any{
		&s.ID, &s.Kind, &s.Definition, &s.Locale, &s.Identity, &s.Name, &s.Room, &s.State, &began, &ended, &s.Reason, &s.Link,
	}, more...)...)
	s.Began, s.Ended = moment(began), moment(ended)
	return s, err
}

// SaveSession makes the session, or adds to what is known about it: fields left empty stay as they were. Once Ended is
// set, State, Ended and Reason stay. Times are kept to the millisecond.
func (s *Store) SaveSession(ctx context.Context, session Session) error {
	doing := fmt.Sprintf("save session %q", session.ID)
	if err := checkID(session.ID); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		const made = "INSERT INTO sessions (id, state, since) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING"
		if _, err := tx.ExecContext(ctx, made, session.ID, Waiting, time.Now().UnixMilli()); err != nil {
			return err
		}
		query := "SELECT " + sessionColumns + " FROM sessions WHERE id = $1" + s.locking("UPDATE")
		known, err := scanSession(tx.QueryRowContext(ctx, query, session.ID))
		if err != nil {
			return err
		}
		known.merge(session)
		return update(ctx, tx, known)
	})
	return s.fault(doing, err)
}

func update(ctx context.Context, tx *sql.Tx, s Session) error {
	const query = `UPDATE sessions SET kind = $2, definition = $3, locale = $4, identity = $5, name = $6, room = $7, state = $8,
		began = $9, ended = $10, reason = $11, link = $12, search = $13, since = COALESCE(NULLIF(CAST($9 AS BIGINT), 0), since)
		WHERE id = $1`
	_, err := tx.ExecContext(ctx, query, s.ID, s.Kind, s.Definition, s.Locale, s.Identity, s.Name, s.Room, s.State,
		millis(s.Began), millis(s.Ended), s.Reason, s.Link, fold(strings.Join([]string{s.ID, s.Name, s.Identity, s.Room}, "\n")))
	return err
}

// Session returns what is known about a session, or ErrNoSession.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	return s.one(ctx, "read session", "id", id)
}

// SessionByLink returns the session whose link has a token with this hash, or ErrNoSession.
func (s *Store) SessionByLink(ctx context.Context, hash string) (Session, error) {
	if hash == "" {
		return Session{}, fmt.Errorf("read session by its link: %w", ErrNoSession)
	}
	return s.one(ctx, "read session by its link", "link", hash)
}

// LiveIn returns the sessions that are live in a room, or whose worker died in it, the latest first; at most 8.
func (s *Store) LiveIn(ctx context.Context, room string) ([]Session, error) {
	const query = "SELECT " + sessionColumns + " FROM sessions WHERE room = $1 AND state = '" + Live + "' ORDER BY since DESC, id LIMIT 8"
	all, err := collect(ctx, s.read, scanSession, query, clean(room))
	return all, s.fault("list the live sessions of a room", err)
}

// HeldIn reports whether an interview was begun in a room, and is over.
func (s *Store) HeldIn(ctx context.Context, room string) (held bool, err error) {
	const query = "SELECT EXISTS (SELECT 1 FROM sessions WHERE room = $1 AND began > 0 AND ended > 0)"
	err = s.row(ctx, query, []any{clean(room)}, &held)
	return held, s.fault("look for interviews that were held in a room", err)
}

// Ping reports whether the store can be read and written to, within the time that ctx leaves.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.exec(ctx, "UPDATE sessions SET state = state WHERE id = ''")
	return s.fault("reach the store", err)
}

func (s *Store) one(ctx context.Context, doing, column, value string) (Session, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	found, err := scanSession(s.read.QueryRowContext(ctx, "SELECT "+sessionColumns+" FROM sessions WHERE "+column+" = $1", clean(value)))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoSession
	}
	return found, s.fault(doing, err)
}

// clean takes out what a database refuses in a text: bytes that are no UTF-8, and control characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// fold makes a text as a search compares it: lower case, without marks, so that "nguyen" finds "Nguyễn".
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'đ' || r == 'Đ': // a letter of its own to Unicode, a marked d to people
			return 'd'
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(strings.ToValidUTF8(text, "")))
}
