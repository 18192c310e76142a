package sessions

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/vivavoice/viva/stages/evaluate/batch"
)

// Table is a table of rows that is being written beside its final place: Finish puts it there.
type Table struct {
	path   string
	format batch.Format
	file   *os.File
	rows   int
}

// part is what a table is called until it is whole.
const part = ".part"

// Begin begins a table. What is left of one that was not finished is written over.
func Begin(path string, format batch.Format) (*Table, error) {
	f, err := os.OpenFile(path+part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	t := &Table{path: path, format: format, file: f}
	if format == batch.JSONL {
		return t, nil
	}
	header, err := batch.Record(columns)
	if err == nil {
		_, err = f.Write(header)
	}
	return t, err
}

// Rows is how many there are.
func (t *Table) Rows() int { return t.rows }

// Add writes the rows of one session.
func (t *Table) Add(rows []Row) error {
	for i := range rows {
		text, err := t.encode(&rows[i])
		if err == nil {
			_, err = t.file.Write(text)
		}
		if err != nil {
			return fmt.Errorf("write session %s: %w", rows[i].Session, err)
		}
	}
	t.rows += len(rows)
	return nil
}

func (t *Table) encode(r *Row) ([]byte, error) {
	if t.format == batch.CSV {
		return batch.Record(r.fields())
	}
	line, err := json.Marshal(r)
	return append(line, '\n'), err
}

// Close gives the table up, if it is not finished.
func (t *Table) Close() error { return t.file.Close() }

// Finish puts the whole table in its place.
func (t *Table) Finish() error {
	if err := t.file.Sync(); err != nil {
		return fmt.Errorf("write %s%s: %w", t.path, part, err)
	}
	if err := t.file.Close(); err != nil {
		return err
	}
	return os.Rename(t.path+part, t.path)
}
