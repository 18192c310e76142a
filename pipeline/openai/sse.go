package openai

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/vivavoice/viva/pipeline/fault"
)

// maxLine bounds a line of an event stream; a delta is a few hundred bytes.
const maxLine = 1 << 20

// eventReader reads the data of server-sent events (WHATWG HTML §9.2). Only the data field matters to this protocol.
type eventReader struct {
	in *bufio.Scanner
}

func newEventReader(r io.Reader) *eventReader {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4<<10), maxLine)
	return &eventReader{in: in}
}

// next gives the data of the next event, valid until the next call, or io.EOF when the body ends. A body that is no event
// stream gives errNotEvents.
func (e *eventReader) next() ([]byte, error) {
	var data []byte
	for e.in.Scan() {
		line := e.in.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				return data, nil
			}
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case ok:
			data = appendData(data, bytes.TrimPrefix(value, []byte(" ")))
		case !isField(line):
			return nil, errNotEvents
		}
		if len(data) > maxLine {
			return nil, fmt.Errorf("event stream: %w", fault.ErrTooMuch)
		}
	}
	return data, e.end(len(data))
}

func (e *eventReader) end(pending int) error {
	err := e.in.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("event stream: %w", fault.ErrTooMuch)
	case err != nil:
		return err
	case pending > 0:
		return nil // some servers leave out the last empty line
	default:
		return io.EOF
	}
}

var errNotEvents = errors.New("the body is no event stream")

// isField reports whether line is a comment or one of the fields that mean nothing here.
func isField(line []byte) bool {
	for _, name := range []string{":", "event", "id", "retry"} {
		if bytes.HasPrefix(line, []byte(name)) {
			return true
		}
	}
	return false
}

func appendData(data, value []byte) []byte {
	if len(data) > 0 {
		data = append(data, '\n')
	}
	return append(data, value...)
}
