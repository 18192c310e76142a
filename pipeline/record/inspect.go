package record

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// OffsetIn returns when, on the clock of the talk, the first sample of a file is. It reads the beginning of the file only. The
// error says that no recorder has written it.
func OffsetIn(file io.Reader) (time.Duration, error) {
	in := bufio.NewReader(file)
	var page []byte
	for range 2 { // the head, and the tags
		var err error
		if page, err = readPage(in, page[:0]); err != nil {
			return 0, fmt.Errorf("read the beginning of a recording: %w", err)
		}
	}
	return offsetIn(page), nil
}
