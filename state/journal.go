package state

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// MaxEntry bounds one journal line in bytes; a longer event is refused rather than cut.
const MaxEntry = 256 << 10

// Entry is one event as it is journalled, before anything acts on it.
type Entry struct {
	Seq  uint64          `json:"seq"` // 1, 2, 3 … without a gap
	At   Millis          `json:"at"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Journal takes the events of one session in order. One goroutine, the session's, calls it.
type Journal interface {
	// Append returns when the entry is kept, or waits to be in a store that is away for a while. After an error no more can be kept.
	Append(Entry) error
	// Close flushes and releases the journal. No Append may follow.
	Close() error
}

// Store opens and reads journals by session id.
type Store interface {
	// Create opens an empty journal; it fails when the session already has one.
	Create(ctx context.Context, session string) (Journal, error)
	// Read returns the entries of a session in order. A last line that was cut off by a crash is left out.
	Read(ctx context.Context, session string) ([]Entry, error)
}

// ErrNoJournal says that the store has no such session.
var ErrNoJournal = errors.New("no journal for this session")

// Memory is a Store that lives as long as the process: the default, and what tests use.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]*memoryJournal
}

var (
	_ Store = (*Memory)(nil)
	_ Store = Dir("")
)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{sessions: make(map[string]*memoryJournal)} }

type memoryJournal struct {
	mu      sync.Mutex
	entries []Entry
}

func (j *memoryJournal) Append(e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
	return nil
}

func (j *memoryJournal) Close() error { return nil }

// Create implements Store.
func (m *Memory) Create(_ context.Context, session string) (Journal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.sessions[session]; ok {
		return nil, fmt.Errorf("create journal %q: %w", session, os.ErrExist)
	}
	j := &memoryJournal{}
	m.sessions[session] = j
	return j, nil
}

// Read implements Store.
func (m *Memory) Read(_ context.Context, session string) ([]Entry, error) {
	m.mu.Lock()
	j, ok := m.sessions[session]
	m.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("read journal %q: %w", session, ErrNoJournal)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Entry(nil), j.entries...), nil
}

// Resume opens the journal of a session that broke off: it returns what is in it, and goes on after the last entry.
func (m *Memory) Resume(ctx context.Context, session string) (Journal, []Entry, error) {
	entries, err := m.Read(ctx, session)
	if err != nil {
		return nil, nil, fmt.Errorf("resume: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.sessions[session]
	if !ok {
		return nil, nil, fmt.Errorf("resume: read journal %q: %w", session, ErrNoJournal)
	}
	return j, entries, nil
}

// Discard forgets a session, so that memory does not grow with the number of interviews a worker has held.
func (m *Memory) Discard(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, session)
}

// Dir is a Store of append-only JSON Lines files, one a session, in the folder it names.
type Dir string

type fileJournal struct {
	f *os.File
}

// Create implements Store. The folder is made when it is missing; files are readable by their owner only.
func (d Dir) Create(_ context.Context, session string) (Journal, error) {
	path, err := d.path(session)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return nil, fmt.Errorf("make the journal folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // path() admits a bare file name only
	if err != nil {
		return nil, fmt.Errorf("create journal: %w", err)
	}
	return &fileJournal{f: f}, nil
}

func (j *fileJournal) Append(e Entry) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // which ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("encode journal entry %d: %w", e.Seq, err)
	}
	if size := line.Len() - 1; size > MaxEntry {
		return fmt.Errorf("journal entry %d (%s) has %d bytes; at most %d are kept", e.Seq, e.Type, size, MaxEntry)
	}
	if _, err := j.f.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write journal entry %d: %w", e.Seq, err)
	}
	return nil
}

func (j *fileJournal) Close() error {
	if err := j.f.Close(); err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// Read implements Store.
func (d Dir) Read(_ context.Context, session string) ([]Entry, error) {
	path, err := d.path(session)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path) //nolint:gosec // path() admits a bare file name only
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read journal %q: %w", session, ErrNoJournal)
	}
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing can be lost
	return ReadEntries(f)
}

func (d Dir) path(session string) (string, error) {
	if session == "" || session == "." || session == ".." || session != filepath.Base(session) {
		return "", fmt.Errorf("session id %q cannot name a journal file", session)
	}
	return filepath.Join(string(d), session+".jsonl"), nil
}

// ReadEntries decodes JSON Lines. A broken last line is the mark of a crash and is left out; a broken line before
// the last, or a gap in the numbers, is an error.
func ReadEntries(r io.Reader) ([]Entry, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), MaxEntry+1)
	var entries []Entry
	var broken error
	for sc.Scan() {
		if broken != nil {
			return nil, broken
		}
		var e Entry
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			broken = fmt.Errorf("journal entry %d cannot be read: %w", len(entries)+1, err)
			continue
		}
		if e.Seq != uint64(len(entries)+1) {
			return nil, fmt.Errorf("journal entry %d has number %d", len(entries)+1, e.Seq)
		}
		entries = append(entries, e)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return entries, nil
}
