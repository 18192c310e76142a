package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Largest documents, in bytes.
const (
	maxEvaluation = 1 << 20
	maxReport     = 16 << 20
)

// Evaluation is the judgement of one item, as JSON.
type Evaluation struct {
	Item string          `json:"item"`
	Data json.RawMessage `json:"data"`
}

// Recording is one file of sound. Consent says how the candidate agreed to it, in the session's own words, such as
// "spoken" or "page".
type Recording struct {
	Session  string        `json:"session"`
	Path     string        `json:"path"`
	Bytes    int64         `json:"bytes"`
	Duration time.Duration `json:"duration"` // kept to the millisecond
	Consent  string        `json:"consent"`
}

// SaveEvaluation keeps the judgement of an item. The first one stays: saved is false, without an error, when there was
// one, so that a result that comes twice or late changes nothing. ErrNoSession: the session is unknown or deleted.
func (s *Store) SaveEvaluation(ctx context.Context, session, item string, data json.RawMessage) (saved bool, err error) {
	doing := fmt.Sprintf("save the evaluation of %q in session %q", item, session)
	const query = "INSERT INTO evaluations (session, item, saved, data) VALUES ($1, $2, $3, $4) ON CONFLICT (session, item) DO NOTHING"
	flaw := cmp.Or(checkID(session), checkID(item), checkDocument(data, maxEvaluation))
	return s.keep(ctx, doing, flaw, query, session, item, time.Now().UnixMilli(), []byte(data))
}

// Evaluations returns the judgements of a session in the order of their items' ids; none for an unknown one.
func (s *Store) Evaluations(ctx context.Context, session string) ([]Evaluation, error) {
	all, err := collect(ctx, s.read, func(row scanner) (e Evaluation, err error) {
		err = row.Scan(&e.Item, (*[]byte)(&e.Data))
		return e, err
	}, "SELECT item, data FROM evaluations WHERE session = $1 ORDER BY item", clean(session))
	return all, s.fault(fmt.Sprintf("read the evaluations of session %q", session), err)
}

// SaveReport keeps the report of a session exactly once: saved is false, without an error, when there was one, which
// stays. ErrNoSession: the session is unknown or deleted.
func (s *Store) SaveReport(ctx context.Context, session string, data json.RawMessage) (saved bool, err error) {
	doing := fmt.Sprintf("save the report of session %q", session)
	const query = "INSERT INTO reports (session, saved, data) VALUES ($1, $2, $3) ON CONFLICT (session) DO NOTHING"
	flaw := cmp.Or(checkID(session), checkDocument(data, maxReport))
	return s.keep(ctx, doing, flaw, query, session, time.Now().UnixMilli(), []byte(data))
}

// Report returns the report of a session, or ErrNoReport.
func (s *Store) Report(ctx context.Context, session string) (json.RawMessage, error) {
	var data []byte
	err := s.row(ctx, "SELECT data FROM reports WHERE session = $1", []any{clean(session)}, &data)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoReport
	}
	return data, s.fault(fmt.Sprintf("read the report of session %q", session), err)
}

// SaveRecording enters a file into the index, or updates its entry as it grows. It reads no file.
func (s *Store) SaveRecording(ctx context.Context, r Recording) error {
	doing := fmt.Sprintf("save a recording of session %q", r.Session)
	if r.Path == "" || r.Path != clean(r.Path) {
		return fmt.Errorf("%s: %q is no path", doing, r.Path)
	}
	const query = `INSERT INTO recordings (path, session, bytes, duration, consent) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (path) DO UPDATE SET bytes = excluded.bytes, duration = excluded.duration, consent = excluded.consent
		WHERE recordings.session = excluded.session`
	n, err := s.exec(ctx, query, r.Path, clean(r.Session), r.Bytes, r.Duration.Milliseconds(), clean(r.Consent))
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %s belongs to another session", doing, r.Path)
	}
	return s.fault(doing, err)
}

// Recordings returns the recordings of a session in the order of their paths.
func (s *Store) Recordings(ctx context.Context, session string) ([]Recording, error) {
	all, err := collect(ctx, s.read, func(row scanner) (r Recording, err error) {
		var ms int64
		err = row.Scan(&r.Session, &r.Path, &r.Bytes, &ms, &r.Consent)
		r.Duration = time.Duration(ms) * time.Millisecond
		return r, err
	}, "SELECT session, path, bytes, duration, consent FROM recordings WHERE session = $1 ORDER BY path", clean(session))
	return all, s.fault(fmt.Sprintf("read the recordings of session %q", session), err)
}

// ForgetRecording takes a file out of the index, once it is gone. One that is not there changes nothing.
func (s *Store) ForgetRecording(ctx context.Context, path string) error {
	_, err := s.exec(ctx, "DELETE FROM recordings WHERE path = $1", clean(path))
	return s.fault("forget a recording", err)
}

func checkDocument(data []byte, largest int) error {
	switch {
	case len(data) > largest:
		return fmt.Errorf("it has %d bytes; at most %d are kept", len(data), largest)
	case !json.Valid(data):
		return fmt.Errorf("it is not JSON")
	}
	return nil
}
