package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// jsonTable is a table in JSON Lines.
type jsonTable struct {
	lines *bufio.Reader
	line  int
	bare  bool
}

var _ codec = (*jsonTable)(nil)

func newJSONL(in io.Reader, bare bool) *jsonTable {
	return &jsonTable{lines: bufio.NewReaderSize(in, 64<<10), bare: bare}
}

// next implements codec; blank lines are no rows.
func (t *jsonTable) next() (*row, error) {
	for {
		text, err := line(t.lines, MaxRow)
		if len(text) > 0 || err == nil {
			t.line++
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, &RowError{Line: t.line + 1, Err: err}
		}
		if t.line == 1 {
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return t.row(text)
		}
		if err != nil {
			return nil, io.EOF
		}
	}
}

// line returns the next line with its end; io.EOF comes beside the last line that has none.
func line(r *bufio.Reader, most int) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		out = append(out, part...)
		if len(out) > most {
			return nil, errRowTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out, err
		}
	}
}

// row makes a row of a line. The object's text is kept as it is: the judgement is written behind its last field.
func (t *jsonTable) row(text []byte) (*row, error) {
	out := &row{line: t.line}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		if err == nil {
			err = errors.New("null")
		}
		out.err = &RowError{Line: t.line, Err: fmt.Errorf("it is not a JSON object: %w", err)}
		kept, err := json.Marshal(map[string]string{"input_line": string(text)}) // so that the table stays whole
		if err != nil {
			return nil, err
		}
		kept[len(kept)-1] = ',' // in place of }
		out.prefix = kept
		return out, nil
	}
	for _, name := range Columns(t.bare) {
		if _, taken := object[name]; taken {
			return nil, &RowError{Line: t.line, Column: name, Err: errors.New("it is one of the fields that are added: rename it, or take it out")}
		}
	}
	for _, column := range []string{
		twostage.ColumnInput, twostage.ColumnPrediction, twostage.ColumnGroundtruth,
		twostage.ColumnConstruction, twostage.ColumnReasoning, twostage.ColumnAnswer,
	} {
		value, err := scalar(object[column])
		if err != nil && out.err == nil {
			out.err = &RowError{Line: t.line, Column: column, Err: err}
		}
		*field(&out.sample, column) = value
	}
	out.prefix = append(slices.Clone(bytes.TrimRight(text[:len(text)-1], " \t\r\n")), ',')
	if len(object) == 0 {
		out.prefix = []byte("{")
	}
	return out, nil
}

// scalar returns a text, number or boolean as text; null and nothing are "".
func scalar(raw json.RawMessage) (string, error) {
	var value any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &value); err != nil {
			return "", err
		}
	}
	switch value := value.(type) {
	case nil:
		return "", nil
	case string:
		return value, nil
	case bool, float64:
		return string(raw), nil
	}
	return "", errors.New("it must be a text, a number or true or false")
}

func (t *jsonTable) header() []byte { return nil }

func (t *jsonTable) encode(r twostage.Result) ([]byte, error) {
	if t.bare {
		r.Status, r.Error, r.Metadata = "", "", twostage.Metadata{}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(text[1:], '\n'), nil
}
