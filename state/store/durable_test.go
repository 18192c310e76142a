package store

import (
	"errors"
	"path/filepath"
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state"
)

// What Append has acknowledged outlives a loss of power: every commit is on the disk (2 is FULL).
func TestCommitsAreOnTheDisk(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "viva.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // nothing was written
	var level int
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&level); err != nil || level != 2 {
		t.Errorf("synchronous is %d, %v", level, err)
	}
}

// A disk without room costs a talk a second and no entry: what could not be written is, once there is room.
func TestAFullDiskLosesNothing(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "viva.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the test has closed the journal, or failed
	j, err := s.Create(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	room := func(pages string) {
		if _, err := s.write.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
			t.Fatal(err)
		}
	}
	room("1") // SQLite keeps it at what the file has
	large := make([]byte, 100<<10)
	for i := range large {
		large[i] = '1'
	}
	for n := range uint64(5) {
		if err := j.Append(state.Entry{Seq: n + 1, Type: "turn", Data: large}); err != nil {
			t.Fatalf("entry %d: %v", n+1, err)
		}
	}
	if kept, err := s.Read(t.Context(), "a"); err != nil || len(kept) > 0 {
		t.Errorf("%d entries found room, %v", len(kept), err)
	}
	room("100000")
	if err := errors.Join(j.Append(state.Entry{Seq: 6}), j.Close()); err != nil {
		t.Error(err)
	}
	if kept, err := s.Read(t.Context(), "a"); err != nil || len(kept) != 6 {
		t.Errorf("%d entries, %v", len(kept), err)
	}
}
