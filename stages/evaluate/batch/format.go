package batch

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// Format is how a table is written.
type Format string

// The formats.
const (
	CSV   Format = "csv"   // RFC 4180, comma, UTF-8, with a header
	JSONL Format = "jsonl" // one JSON object a line
)

// FormatOf tells the format from the name of a file.
func FormatOf(name string) (Format, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".csv":
		return CSV, nil
	case ".jsonl", ".ndjson":
		return JSONL, nil
	default:
		return "", fmt.Errorf("%s: the format cannot be told from %q; name the file .csv or .jsonl, or pass --format", name, ext)
	}
}

func (f Format) codec(in io.Reader, bare bool) (codec, error) {
	switch f {
	case CSV:
		return newCSV(in, bare)
	case JSONL:
		return newJSONL(in, bare), nil
	}
	return nil, fmt.Errorf("there is no table format %q; known are csv, jsonl", f)
}

// Columns lists what is added to a table, in order: the seven, and then whether a row was judged (ok or failed), why it was not,
// and what the scores rest on, as JSON.
func Columns(bare bool) []string {
	columns := twostage.FeedbackColumns()
	if !bare {
		columns = append(columns, "status", "row_error", "metadata")
	}
	return columns
}

// field returns where a sample keeps a column, or nil.
func field(s *twostage.Sample, column string) *string {
	switch column {
	case twostage.ColumnInput:
		return &s.InputText
	case twostage.ColumnPrediction:
		return &s.Prediction
	case twostage.ColumnGroundtruth:
		return &s.Groundtruth
	case twostage.ColumnConstruction:
		return &s.Construction
	case twostage.ColumnReasoning:
		return &s.Reasoning
	case twostage.ColumnAnswer:
		return &s.Answer
	}
	return nil
}

// checkHeader finds what is wrong with the names of the columns.
func checkHeader(columns []string, bare bool) error {
	fail := func(column, problem string) error {
		return &RowError{Line: 1, Column: column, Err: fmt.Errorf("%s; the header has %s", problem, strings.Join(columns, ", "))}
	}
	for i, name := range columns {
		if slices.Index(columns, name) != i {
			return fail(name, "it is there twice")
		}
		if slices.Contains(Columns(bare), name) {
			return fail(name, "it is one of the columns that are added: rename it, or take it out")
		}
	}
	for _, name := range []string{twostage.ColumnInput, twostage.ColumnGroundtruth} {
		if !slices.Contains(columns, name) {
			return fail(name, "it is missing")
		}
	}
	if !slices.Contains(columns, twostage.ColumnPrediction) && !slices.Contains(columns, twostage.ColumnAnswer) {
		return fail(twostage.ColumnPrediction, "it is missing, and so is answer, which could stand in")
	}
	return nil
}
