package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vivavoice/viva/stages/report"
)

// reportPath is where the report of an interview lies that is kept in a folder, beside its journal.
func reportPath(dir, session string) string { return filepath.Join(dir, session+".report.json") }

// fileReport keeps a report in a folder.
func fileReport(dir, session string, r *report.Report) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep the report of %s: %w", session, err)
	}
	return os.WriteFile(reportPath(dir, session), append(raw, '\n'), 0o600)
}

// filedReport reads a report that was kept in a folder.
func filedReport(dir, session string) (json.RawMessage, error) {
	if session != filepath.Base(session) {
		return nil, fmt.Errorf("session id %q cannot name a file", session)
	}
	raw, err := os.ReadFile(reportPath(dir, session))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s has no report of session %q: viva simulate --journal and viva console --store dir:%s keep theirs there", dir, session, dir)
	}
	return raw, err
}
