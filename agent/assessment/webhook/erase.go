package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Erase takes the dead letters of these sessions out of the file, and returns how many there were. A line that cannot be read
// goes, too, where it names one of them. It may be called while workers write to the file; when it fails, the file is as it was.
func Erase(file string, sessions ...string) (erased int, err error) {
	if file == "" || len(sessions) == 0 {
		return 0, nil
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	err = alone(file, func() error {
		old, err := os.ReadFile(file) //nolint:gosec // the operator chose the path
		if err != nil {
			return err
		}
		kept := make([]byte, 0, len(old))
		for line := range bytes.Lines(old) {
			if of(line, sessions) {
				erased++
				continue
			}
			kept = append(kept, line...)
		}
		if erased == 0 {
			return nil
		}
		return replace(file, kept)
	})
	if err != nil {
		return 0, fmt.Errorf("erase dead letters (setting report.dead_letters): %w", err)
	}
	return erased, nil
}

// of reports whether a line is of one of the sessions.
func of(line []byte, sessions []string) bool {
	var l DeadLetter
	if json.Unmarshal(line, &l) == nil {
		return slices.Contains(sessions, l.Session)
	}
	return slices.ContainsFunc(sessions, func(s string) bool {
		name, err := json.Marshal(s)
		return err == nil && bytes.Contains(line, name)
	})
}

// replace puts another content in the place of a file's, all of it or nothing.
func replace(file string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".dead-letters-*") // for its owner only
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// alone calls do while no other process writes to the file of dead letters or erases from it.
func alone(file string, do func() error) (err error) {
	guard, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // beside the file that the operator chose
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guard.Close()) }() // which gives the lock back
	if err := lock(guard); err != nil {
		return err
	}
	return do()
}
