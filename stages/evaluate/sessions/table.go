package sessions

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/vivavoice/viva/stages/evaluate/batch"
)

// Table is a table of rows that is being written beside its final place: Finish puts it there.
type Table struct {
	path   string
	format batch.Format
	file   *os.File
	done   map[string]bool
	rows   int
}

// part is what a table is called until it is whole.
const part = ".part"

// ErrBegun says that a table was begun already.
var ErrBegun = errors.New("it was begun already: pass --resume to go on with it, or remove it")

// maxLine bounds a row that is read back, in bytes.
const maxLine = batch.MaxRow

// Begin opens a table. One that was begun already is an error, unless resume is set: then its whole sessions are kept, and the
// last one, which may have been cut off, is written anew.
func Begin(path string, format batch.Format, resume bool) (*Table, error) {
	if format != batch.CSV && format != batch.JSONL {
		return nil, fmt.Errorf("there is no table format %q", format)
	}
	f, err := os.OpenFile(path+part, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	t := &Table{path: path, format: format, file: f, done: make(map[string]bool)}
	if err := t.keep(resume); err != nil {
		return nil, errors.Join(fmt.Errorf("%s%s: %w", path, part, err), f.Close())
	}
	return t, nil
}

// keep finds the sessions that are whole, cuts off what follows them, and writes the header where there is none.
func (t *Table) keep(resume bool) error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	at := int64(0)
	if info.Size() > 0 {
		if !resume {
			return ErrBegun
		}
		if at, err = t.whole(); err != nil {
			return err
		}
	}
	if err := t.file.Truncate(at); err != nil {
		return fmt.Errorf("cut off the torn end: %w", err)
	}
	if _, err := t.file.Seek(at, io.SeekStart); err != nil {
		return fmt.Errorf("go to the end: %w", err)
	}
	if at > 0 || t.format == batch.JSONL {
		return nil
	}
	text, err := t.encode(nil, columns)
	if err != nil {
		return err
	}
	_, err = t.file.Write(text)
	return err
}

// whole notes the sessions that another one follows, and returns where the last one begins.
func (t *Table) whole() (int64, error) {
	var last string
	var begins int64
	rows := 0 // of the last session
	note := func(session string, from int64) {
		if session != last {
			if last != "" {
				t.done[last] = true
				t.rows += rows
			}
			last, begins, rows = session, from, 0
		}
		rows++
	}
	var err error
	if t.format == batch.CSV {
		err = t.scanCSV(note)
	} else {
		err = t.scanLines(note)
	}
	return begins, err
}

func (t *Table) scanCSV(note func(session string, from int64)) error {
	header, err := t.encode(nil, columns)
	if err != nil {
		return err
	}
	first := make([]byte, len(header))
	n, err := io.ReadFull(t.file, first)
	switch {
	case !bytes.HasPrefix(header, first[:n]):
		return errors.New("it is no table of sessions")
	case err != nil:
		return nil //nolint:nilerr // torn within the header: the table begins anew
	}
	r := csv.NewReader(bufio.NewReaderSize(t.file, 64<<10))
	for {
		from := int64(len(header)) + r.InputOffset()
		record, err := r.Read()
		if err != nil {
			return nil //nolint:nilerr // the end, or a row that was torn
		}
		note(batch.Text(record[0]), from)
	}
}

func (t *Table) scanLines(note func(session string, from int64)) error {
	lines := bufio.NewScanner(t.file)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	from := int64(0)
	for lines.Scan() {
		var row struct{ Session string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil || row.Session == "" {
			return nil //nolint:nilerr // a row that was torn
		}
		note(row.Session, from)
		from += int64(len(lines.Bytes())) + 1
	}
	return lines.Err()
}

// Has reports whether a session is in the table, whole.
func (t *Table) Has(session string) bool { return t.done[session] }

// Rows is how many there are.
func (t *Table) Rows() int { return t.rows }

// Add writes the rows of one session.
func (t *Table) Add(rows []Row) error {
	var text []byte
	for i := range rows {
		var err error
		if text, err = t.append(text, &rows[i]); err != nil {
			return fmt.Errorf("write session %s: %w", rows[i].Session, err)
		}
	}
	if _, err := t.file.Write(text); err != nil {
		return fmt.Errorf("write %s%s: %w", t.path, part, err)
	}
	t.rows += len(rows)
	return nil
}

func (t *Table) append(text []byte, r *Row) ([]byte, error) {
	if t.format == batch.CSV {
		return t.encode(text, r.fields())
	}
	line, err := json.Marshal(r)
	return append(append(text, line...), '\n'), err
}

func (t *Table) encode(text []byte, values []string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	fields := make([]string, len(values))
	for i, value := range values {
		fields[i] = batch.Cell(value)
	}
	if err := w.Write(fields); err != nil {
		return nil, err
	}
	w.Flush()
	return append(text, b.Bytes()...), w.Error()
}

// Close leaves the table as it is, to be gone on with. After Finish it does nothing.
func (t *Table) Close() error {
	if t.file == nil {
		return nil
	}
	f := t.file
	t.file = nil
	return f.Close()
}

// Finish puts the whole table in its place.
func (t *Table) Finish() error {
	if err := t.file.Sync(); err != nil {
		return fmt.Errorf("write %s%s: %w", t.path, part, err)
	}
	if err := t.Close(); err != nil {
		return err
	}
	return os.Rename(t.path+part, t.path)
}
