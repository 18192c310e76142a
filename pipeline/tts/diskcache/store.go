package diskcache

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	suffix  = ".voice"
	partial = ".partial-" // begins the names of files being written
	// abandoned is after how long a file still being written is taken to be left over from a process that died.
	abandoned = time.Hour
)

// store is the directory.
type store struct {
	dir   string
	limit int64 // bytes
	now   func() time.Time
}

// load returns the sound kept under k and marks it used; nil without an error when there is none, or none that is whole.
func (s *store) load(k key) (*sound, error) {
	path := filepath.Join(s.dir, k.file())
	file, err := s.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read kept speech: %w", err)
	}
	kept := decode(k, file)
	if kept == nil {
		return nil, remove(path)
	}
	now := s.now()
	_ = os.Chtimes(path, now, now) // it may be read-only, or just gone: then it is forgotten the sooner
	return kept, nil
}

// read returns the file, or nil if it is too large to be one of ours.
func (s *store) read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > s.limit {
		return nil, err
	}
	return os.ReadFile(path) //nolint:gosec // the name is a digest in a directory that a setting names
}

// save keeps a sound under k and then makes room.
func (s *store) save(k key, kept *sound) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of kept speech: %w", err)
	}
	if err := s.write(k, encode(k, kept)); err != nil {
		return fmt.Errorf("keep speech: %w", err)
	}
	if err := s.evict(); err != nil {
		return fmt.Errorf("make room for kept speech: %w", err)
	}
	return nil
}

// write lets the file appear whole.
func (s *store) write(k key, content []byte) (err error) {
	f, err := os.CreateTemp(s.dir, partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	now := s.now()
	if err := os.Chtimes(f.Name(), now, now); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, k.file()))
}

// kept is a file of the store.
type kept struct {
	path string
	size int64
	used time.Time
}

// evict removes what was used least recently until all fits, and what dead processes left half written.
func (s *store) evict() error {
	files, total, err := s.list()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, f := range files {
		if total <= s.limit {
			return nil
		}
		if err := remove(f.path); err != nil {
			return err
		}
		total -= f.size
	}
	return nil
}

// list returns the store's files and their size. What is not the store's is left alone and not counted.
func (s *store) list() (files []kept, total int64, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() { // another process has just removed it
			continue
		}
		path := filepath.Join(s.dir, e.Name())
		switch {
		case strings.HasSuffix(e.Name(), suffix):
			files = append(files, kept{path, info.Size(), info.ModTime()})
			total += info.Size()
		case strings.HasPrefix(e.Name(), partial) && s.now().Sub(info.ModTime()) > abandoned:
			if err := remove(path); err != nil {
				return nil, 0, err
			}
		}
	}
	return files, total, nil
}

// remove deletes a file that may be gone already.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
