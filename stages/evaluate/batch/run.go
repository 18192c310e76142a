package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// MaxRow bounds a row of the input, in bytes.
const MaxRow = 4 << 20

// MaxWorkers bounds Options.Workers.
const MaxWorkers = 256

// rowsAtOnce is how many rows a worker judges before what was judged is written.
const rowsAtOnce = 64

// Options say how a table is judged.
type Options struct {
	Evaluator *twostage.Evaluator
	Format    Format
	// Workers judge at the same time; 0 = 1.
	Workers int
	// Bare leaves out all columns but the seven: status, row_error and metadata.
	Bare bool
	// RowError is told of every row that cannot be judged, in order, from the caller's goroutine. Optional.
	RowError func(RowError)
	// Progress is told after some rows were written, from the caller's goroutine. Optional.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Rows, Failed int
	Read         int64 // bytes of the input
}

// RowError says what is wrong with a row. Column is empty where the row as a whole is at fault.
type RowError struct {
	Line   int
	Column string
	Err    error
}

// Error implements error.
func (e *RowError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d, column %s: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong without its place.
func (e *RowError) Unwrap() error { return e.Err }

// row is a row of the input.
type row struct {
	line   int
	prefix []byte // the row as it begins in the output, up to where the judgement follows
	sample twostage.Sample
	err    *RowError // it cannot be judged
}

// codec reads and writes one format.
type codec interface {
	// next returns the next row; io.EOF ends the table, every other error ends the run.
	next() (*row, error)
	// header is what the output begins with.
	header() []byte
	// encode returns the columns of a judgement as they follow a row's prefix, with the end of the line.
	encode(twostage.Result) ([]byte, error)
}

// Run judges the table that in holds and writes it to out. When ctx ends, whole rows have been written up to some row,
// and the error is that of ctx. The summary counts what was written, also beside an error.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) (Summary, error) {
	if o.Evaluator == nil {
		return Summary{}, errors.New("batch needs an evaluator")
	}
	o.Workers = min(max(o.Workers, 1), MaxWorkers)
	r := &run{Options: o, read: counted{Reader: in}, tally: newTally(o)}
	var err error
	if r.codec, err = o.Format.codec(&r.read, o.Bare); err != nil {
		return Summary{}, err
	}
	if _, err := out.Write(r.codec.header()); err != nil {
		return Summary{}, fmt.Errorf("write the header: %w", err)
	}
	return r.judge(ctx, out)
}

// run is one run over one table.
type run struct {
	Options
	codec codec
	read  counted
	tally *tally
}

// judge judges and writes rows, so many at a time, until there are no more or ctx ends. What was read is written in any case.
func (r *run) judge(ctx context.Context, out io.Writer) (Summary, error) {
	for {
		rows, end := r.take(ctx)
		err := r.write(out, rows)
		if err == nil && end != nil && !errors.Is(end, io.EOF) {
			err = end
		}
		if err != nil || end != nil {
			return r.tally.summary(), err
		}
	}
}

// take reads rowsAtOnce for each worker, or fewer and why.
func (r *run) take(ctx context.Context) (rows []*row, end error) {
	for len(rows) < r.Workers*rowsAtOnce {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		next, err := r.codec.next()
		if err != nil {
			return rows, err
		}
		rows = append(rows, next)
	}
	return rows, nil
}

// verdict is what comes of a row.
type verdict struct {
	result twostage.Result
	text   []byte // the whole row as it is written
	err    error
}

// write has the workers judge rows and writes them in their order.
func (r *run) write(out io.Writer, rows []*row) error {
	verdicts := make([]verdict, len(rows))
	var all sync.WaitGroup
	for worker := range r.Workers {
		all.Go(func() {
			for i := worker; i < len(rows); i += r.Workers {
				verdicts[i] = r.verdict(rows[i])
			}
		})
	}
	all.Wait()
	for i, v := range verdicts {
		if v.err != nil {
			return fmt.Errorf("line %d: write the judgement: %w", rows[i].line, v.err)
		}
		if _, err := out.Write(v.text); err != nil {
			return fmt.Errorf("write row %d of the table: %w", r.tally.rows+1, err)
		}
		r.tally.add(v.result)
		if rows[i].err != nil && r.RowError != nil {
			r.RowError(*rows[i].err)
		}
	}
	if r.Progress != nil && len(rows) > 0 {
		r.Progress(Progress{Rows: r.tally.rows, Failed: r.tally.failed, Read: r.read.n})
	}
	return nil
}

func (r *run) verdict(row *row) verdict {
	result := r.score(row)
	columns, err := r.codec.encode(result)
	return verdict{result, append(row.prefix, columns...), err}
}

// score judges a row. Why one cannot be judged is kept with it.
func (r *run) score(row *row) twostage.Result {
	if row.err == nil {
		result, err := r.Evaluator.Score(row.sample)
		if err == nil {
			return result
		}
		row.err = &RowError{Line: row.line, Err: err}
		var invalid *twostage.ValidationError
		if errors.As(err, &invalid) {
			row.err.Column, row.err.Err = invalid.Column, errors.New(invalid.Problem)
		}
	}
	return r.Evaluator.Failed(row.err)
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}
