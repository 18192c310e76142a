package batch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrExists says that the output is there already.
var ErrExists = errors.New("the file is there already: pass --resume to go on with it, or remove it")

// ErrChanged says that an output does not belong to the input, the rubric or this version.
var ErrChanged = errors.New("it cannot be gone on with")

// File judges the table in one file into another. An output that is there already is an error, unless resume is set: then
// the run goes on after its last whole row, and a row that was torn is cut off first. Without an output, resume begins
// one. Whatever ends the run, whole rows are on disk up to some row, and at most one torn one after a crash.
func File(ctx context.Context, from, to string, resume bool, o Options) (s Summary, err error) {
	in, err := os.Open(from) //nolint:gosec // the operator names the file
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := open(in, to, resume)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	r, err := newRun(in, o)
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", from, err)
	}
	at, err := r.keep(out)
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", to, err)
	}
	if err := out.Truncate(at); err != nil {
		return Summary{}, fmt.Errorf("cut off the torn end of %s: %w", to, err)
	}
	if _, err := out.Seek(at, io.SeekStart); err != nil {
		return Summary{}, fmt.Errorf("go to the end of %s: %w", to, err)
	}
	if at == 0 {
		if _, err := out.Write(r.codec.header()); err != nil {
			return Summary{}, fmt.Errorf("write the header of %s: %w", to, err)
		}
	}
	s, err = r.judge(ctx, out)
	if err != nil {
		return s, errors.Join(fmt.Errorf("%s: %w", from, err), out.Sync())
	}
	return s, out.Sync()
}

func open(in *os.File, to string, resume bool) (*os.File, error) {
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	input, err := in.Stat()
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	output, err := out.Stat()
	switch {
	case err != nil:
	case os.SameFile(input, output):
		err = fmt.Errorf("%s: the input cannot be the output", to)
	case output.Size() > 0 && !resume:
		err = fmt.Errorf("%s: %w", to, ErrExists)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// keep reads the whole rows of an earlier output beside the input, which it takes forward to the first row that is
// still to be judged. It returns where that row goes.
func (r *run) keep(out io.Reader) (int64, error) {
	records := &records{r: bufio.NewReaderSize(out, 64<<10), quoted: r.Format == CSV}
	at := int64(0)
	if header := r.codec.header(); len(header) > 0 {
		first, whole, err := records.next()
		switch {
		case err != nil:
			return 0, err
		case !whole && bytes.HasPrefix(header, first):
			return 0, nil // torn within the header, or empty
		case !bytes.Equal(first, header):
			return 0, fmt.Errorf("%w: its header is another one", ErrChanged)
		}
		at = int64(len(header))
	}
	var last *row
	var record []byte
	for {
		next, whole, err := records.next()
		if err != nil {
			return 0, err
		}
		if !whole {
			return at, r.sameJudge(last, record)
		}
		if last, err = r.keepRow(next); err != nil {
			return 0, err
		}
		record = next
		at += int64(len(next))
	}
}

// keepRow takes one row of the input and finds it in the output.
func (r *run) keepRow(record []byte) (*row, error) {
	in, err := r.codec.next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it has more rows than the input", ErrChanged)
	}
	if err != nil {
		return nil, err
	}
	columns, found := bytes.CutPrefix(record, in.prefix)
	if !found {
		return nil, fmt.Errorf("%w: row %d is not that of line %d of the input", ErrChanged, r.tally.rows+1, in.line)
	}
	if r.Bare { // the seven columns do not say whether a row has failed
		r.tally.add(r.judgeRow(in))
		return in, nil
	}
	result, err := r.codec.decode(columns)
	if err != nil {
		return nil, fmt.Errorf("%w: row %d cannot be read: %w", ErrChanged, r.tally.rows+1, err)
	}
	r.tally.add(result)
	return in, nil
}

// sameJudge judges the last row that was kept once more: another rubric, or another version, would make the table a
// mixture.
func (r *run) sameJudge(last *row, record []byte) error {
	if last == nil {
		return nil
	}
	columns, err := r.codec.encode(r.judgeRow(last))
	if err != nil {
		return err
	}
	if !bytes.Equal(record, append(bytes.Clone(last.prefix), columns...)) {
		return fmt.Errorf("%w: row %d would be judged otherwise now; was the rubric changed?", ErrChanged, r.tally.rows)
	}
	return nil
}

// records cuts an output into its records.
type records struct {
	r      *bufio.Reader
	quoted bool // a line break between quotes is part of a field
}

// next returns the next record with its end. whole is false for what stands after the last end, be it nothing.
func (s *records) next() (record []byte, whole bool, err error) {
	for {
		text, err := line(s.r, 2*MaxRow+maxJudgement-len(record))
		record = append(record, text...)
		switch {
		case errors.Is(err, io.EOF):
			return record, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("%w: %w", ErrChanged, err)
		case !s.quoted || bytes.Count(record, []byte{'"'})%2 == 0:
			return record, true, nil
		}
	}
}

// maxJudgement bounds what is added to a row, in bytes; quotes may double a row's own.
const maxJudgement = 64 << 10
