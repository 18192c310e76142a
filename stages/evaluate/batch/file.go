package batch

import (
	"bufio"
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
// the run goes on behind what is there, which has to be what would be written now. Without an output, resume begins one.
// Whatever ends the run, whole rows are on disk up to some row, and at most one torn one after a crash.
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
	w := &continued{file: out, there: bufio.NewReaderSize(out, 64<<10)}
	s, err = Run(ctx, in, w, o)
	if err == nil && w.more() {
		err = fmt.Errorf("%s: %w: it has more rows than the input", to, ErrChanged)
	} else if err != nil {
		err = fmt.Errorf("%s: %w", from, err)
	}
	return s, errors.Join(err, out.Sync())
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

// continued writes behind what a file holds. As far as it holds anything, that has to be the same as what is written: rows are
// judged again, which takes less time than to tell what was left of them.
type continued struct {
	file  *os.File
	there *bufio.Reader // what the file holds; nil = it was read to its end
}

// Write implements io.Writer.
func (c *continued) Write(p []byte) (n int, err error) {
	if c.there != nil {
		there := make([]byte, len(p))
		n, err = io.ReadFull(c.there, there)
		for i := range n {
			if there[i] != p[i] {
				return i, fmt.Errorf("%s: %w: it holds something else; was the input or the rubric changed?", c.file.Name(), ErrChanged)
			}
		}
		switch {
		case err == nil:
			return n, nil
		case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return n, fmt.Errorf("read what is there: %w", err)
		}
		c.there = nil
	}
	more, err := c.file.Write(p[n:])
	return n + more, err
}

// more reports whether the file holds more than was written.
func (c *continued) more() bool {
	if c.there == nil {
		return false
	}
	_, err := c.there.Peek(1)
	return err == nil
}
