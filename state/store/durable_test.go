package store

import (
	"path/filepath"
	"testing"

	"go.uber.org/zap"
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
