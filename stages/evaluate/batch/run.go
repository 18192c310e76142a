package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// MaxRow bounds a row of the input, in bytes.
const MaxRow = 4 << 20

// MaxWorkers bounds Options.Workers.
const MaxWorkers = 256

// chunkRows is how many rows are handed to a worker at once.
const chunkRows = 64

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
	// Progress is told after every chunk that was written, from the caller's goroutine. Optional.
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
	r := &run{Options: o, tally: newTally(o)}
	var err error
	if r.codec, err = o.Format.codec(&counted{in, &r.read}, o.Bare); err != nil {
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
	read  atomic.Int64
	tally *tally
}

// chunk is a few rows on their way; done is closed when they have been judged.
type chunk struct {
	rows    []*row
	results []twostage.Result
	text    []byte
	ends    []int // of the rows in text
	err     error
	done    chan struct{}
}

// judge judges the rows that are left.
func (r *run) judge(ctx context.Context, out io.Writer) (Summary, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work := make(chan *chunk, r.Workers)
	order := make(chan *chunk, r.Workers)
	var all sync.WaitGroup
	var readErr error
	all.Go(func() {
		defer close(order)
		defer close(work)
		readErr = r.readAll(ctx, work, order)
	})
	for range r.Workers {
		all.Go(func() {
			for c := range work {
				r.judgeChunk(c)
				close(c.done)
			}
		})
	}
	writeErr := r.writeAll(out, order, stop)
	all.Wait()
	if writeErr != nil {
		return r.tally.summary(), writeErr
	}
	return r.tally.summary(), readErr
}

// readAll reads rows until there are no more or ctx ends. What it has handed over is judged and written in any case.
func (r *run) readAll(ctx context.Context, work, order chan<- *chunk) error {
	for {
		c := &chunk{done: make(chan struct{})}
		var err error
		for err == nil && len(c.rows) < chunkRows {
			var next *row
			if err = ctx.Err(); err != nil {
				break
			}
			if next, err = r.codec.next(); err == nil {
				c.rows = append(c.rows, next)
			}
		}
		if len(c.rows) > 0 {
			work <- c // the workers take all that comes, and so does the writer: neither can be stuck
			order <- c
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (r *run) judgeChunk(c *chunk) {
	for _, row := range c.rows {
		result := r.judgeRow(row)
		columns, err := r.codec.encode(result)
		if err != nil {
			c.err = fmt.Errorf("line %d: write the judgement: %w", row.line, err)
			return
		}
		c.results = append(c.results, result)
		c.text = append(append(c.text, row.prefix...), columns...)
		c.ends = append(c.ends, len(c.text))
	}
}

func (r *run) judgeRow(row *row) twostage.Result {
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

// writeAll writes chunks in order. After an error it only takes them, so that nobody waits.
func (r *run) writeAll(out io.Writer, order <-chan *chunk, stop func()) error {
	var failed error
	for c := range order {
		<-c.done
		if failed != nil {
			continue
		}
		if failed = c.err; failed == nil {
			if n, err := out.Write(c.text); err != nil {
				at := slices.IndexFunc(c.ends, func(end int) bool { return end > n })
				failed = fmt.Errorf("write row %d of the table: %w", r.tally.rows+at+1, err)
			}
		}
		if failed != nil {
			stop()
			continue
		}
		r.report(c)
	}
	return failed
}

func (r *run) report(c *chunk) {
	for i, row := range c.rows {
		r.tally.add(c.results[i])
		if row.err != nil && r.RowError != nil {
			r.RowError(*row.err)
		}
	}
	if r.Progress != nil {
		r.Progress(Progress{Rows: r.tally.rows, Failed: r.tally.failed, Read: r.read.Load()})
	}
}

// counted counts what is read.
type counted struct {
	io.Reader
	n *atomic.Int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}
