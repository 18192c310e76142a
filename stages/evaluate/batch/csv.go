package batch

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

var errRowTooLong = fmt.Errorf("the row is longer than %d MiB; is a quote not closed?", MaxRow>>20)

// limited ends a row that does not end: a quote that is not closed would take in the rest of the table.
type limited struct {
	io.Reader
	left int
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRowTooLong
	}
	n, err := l.Reader.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// csvTable is a table in CSV.
type csvTable struct {
	r       *csv.Reader
	limit   *limited
	columns []string
	bare    bool
	line    int // where the last row began
}

var _ codec = (*csvTable)(nil)

func newCSV(in io.Reader, bare bool) (*csvTable, error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if start, err := buffered.Peek(len(byteOrderMark)); err == nil && string(start) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark)) // it has just been seen
	}
	t := &csvTable{limit: &limited{Reader: buffered, left: MaxRow}, bare: bare}
	t.r = csv.NewReader(t.limit)
	t.r.FieldsPerRecord = -1
	header, err := t.r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, &RowError{Line: 1, Err: errors.New("the table is empty: there is no header")}
	case err != nil:
		return nil, &RowError{Line: 1, Err: fmt.Errorf("the header cannot be read: %w", err)}
	}
	for _, name := range header {
		t.columns = append(t.columns, strings.TrimSpace(Text(name)))
	}
	return t, checkHeader(t.columns, bare)
}

// byteOrderMark begins files that some spreadsheets write.
const byteOrderMark = "\ufeff"

func (t *csvTable) next() (*row, error) {
	t.limit.left = MaxRow
	record, err := t.r.Read()
	out := &row{}
	var malformed *csv.ParseError
	switch {
	case errors.As(err, &malformed):
		t.line = malformed.StartLine
		out.err = &RowError{Line: malformed.StartLine, Err: fmt.Errorf("it is not CSV: %w (at line %d, character %d)", malformed.Err, malformed.Line, malformed.Column)}
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, &RowError{Line: t.line + 1, Err: err}
	default:
		t.line, _ = t.r.FieldPos(0)
	}
	out.line = t.line
	t.fill(out, record)
	if out.prefix, err = Record(t.whole(record)); err != nil {
		return nil, fmt.Errorf("write CSV: %w", err)
	}
	out.prefix[len(out.prefix)-1] = ',' // the judgement follows
	return out, nil
}

// fill makes the sample, and an error where the number of fields is wrong.
func (t *csvTable) fill(out *row, record []string) {
	switch n := len(t.columns); {
	case out.err != nil:
	case len(record) < n:
		out.err = &RowError{Line: out.line, Column: t.columns[len(record)], Err: fmt.Errorf("it is missing: the row has %d fields, the header %d", len(record), n)}
	case len(record) > n:
		out.err = &RowError{Line: out.line, Err: fmt.Errorf("the row has %d fields, the header %d: what is beyond %s is left out", len(record), n, t.columns[n-1])}
	}
	for i, column := range t.columns {
		if at := field(&out.sample, column); at != nil && i < len(record) {
			*at = Text(record[i])
		}
	}
}

// whole returns a record with as many fields as the header.
func (t *csvTable) whole(record []string) []string {
	out := make([]string, len(t.columns))
	for i := range min(len(out), len(record)) {
		out[i] = Text(record[i])
	}
	return out
}

// Record writes texts as a row of CSV, with its end.
func Record(texts []string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	fields := make([]string, len(texts))
	for i, text := range texts {
		fields[i] = Cell(text)
	}
	err := w.WriteAll([][]string{fields})
	return b.Bytes(), err
}

func (t *csvTable) header() []byte {
	text, err := Record(slices.Concat(t.columns, Columns(t.bare)))
	if err != nil {
		return nil // a buffer takes everything
	}
	return text
}

func (t *csvTable) encode(r twostage.Result) ([]byte, error) {
	fields := []string{
		decimal(r.ConstructionScore), r.ConstructionFeedback, decimal(r.ReasoningScore), r.ReasoningFeedback,
		decimal(r.OverallScore), strconv.FormatBool(r.OverallCorrect), r.TwoStageFeedback,
	}
	if !t.bare {
		metadata, err := json.Marshal(r.Metadata)
		if err != nil {
			return nil, err
		}
		fields = append(fields, r.Status, r.Error, string(metadata))
	}
	return Record(fields)
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
