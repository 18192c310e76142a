package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Resumable is a Sink that may hold a recording already, of an earlier process: it is gone on with. *os.File is one.
type Resumable interface {
	Sink
	io.ReadSeeker
	Truncate(size int64) error
}

// offsetTag is the comment in the file that says when, on the clock of the talk, its first sample was, in ms.
const offsetTag = "VIVA_OFFSET_MS="

// errNotOurs says that there is something in the file that no recorder has written.
var errNotOurs = errors.New("the file holds something else than a recording")

// remains are what an earlier recorder left of a file.
type remains struct {
	serial, pages uint32
	size          int64 // of the whole pages that are kept
	frames        int64
	offset        time.Duration
}

// leftIn reads what is in a file, up to its last whole page; a last page that ends the stream is left out, so that another can
// follow. found is false for an empty file.
func leftIn(f io.ReadSeeker) (r remains, found bool, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return r, false, err
	}
	in := bufio.NewReaderSize(f, 64<<10)
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		return r, false, nil
	}
	var page []byte
	for {
		page, err = readPage(in, page[:0])
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errNotOurs):
			if r.pages < 2 {
				return r, true, errNotOurs
			}
			return r, true, nil // torn by a crash: what is whole is kept
		case err != nil:
			return r, true, err
		}
		if !r.take(page) {
			return r, true, nil
		}
	}
}

// take adds a page; it reports whether more may follow.
func (r *remains) take(page []byte) bool {
	if page[5]&pageEnds != 0 {
		return false
	}
	if r.pages == 1 {
		r.offset = offsetIn(page)
	}
	r.serial = binary.LittleEndian.Uint32(page[14:])
	r.frames = int64(binary.LittleEndian.Uint64(page[6:])) / granulesPerFrame
	r.pages, r.size = r.pages+1, r.size+int64(len(page))
	return true
}

// readPage reads one page and checks its sum.
func readPage(in *bufio.Reader, page []byte) ([]byte, error) {
	more := func(n int) error {
		at := len(page)
		page = append(page, make([]byte, n)...)
		_, err := io.ReadFull(in, page[at:])
		return err
	}
	if err := more(pageHeader); err != nil {
		return page, err
	}
	if !bytes.HasPrefix(page, []byte("OggS\x00")) {
		return page, errNotOurs
	}
	if err := more(int(page[26])); err != nil {
		return page, err
	}
	body := 0
	for _, n := range page[pageHeader:] {
		body += int(n)
	}
	if err := more(body); err != nil {
		return page, err
	}
	sum := binary.LittleEndian.Uint32(page[22:])
	clear(page[22:26])
	if oggChecksum(page) != sum {
		return page, errNotOurs
	}
	return page, nil
}

// offsetIn reads the comment from the page of the tags.
func offsetIn(page []byte) time.Duration {
	_, text, found := strings.Cut(string(page), offsetTag)
	ms, err := strconv.ParseInt(text, 10, 64)
	if !found || err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// resume goes on with what is in the sink; it reports whether there was anything.
func (w *writer) resume(sink Sink) (bool, error) {
	f, can := sink.(Resumable)
	if !can {
		return false, nil
	}
	was, found, err := leftIn(f)
	if err != nil || !found {
		return false, err
	}
	if err := f.Truncate(was.size); err != nil {
		return false, fmt.Errorf("cut off a torn page: %w", err)
	}
	if _, err := f.Seek(was.size, io.SeekStart); err != nil {
		return false, err
	}
	w.stream = newOggStream(sink, was.serial)
	w.stream.pages, w.stream.written = was.pages, was.size
	w.frames, w.time.done = was.frames, was.frames*frameLen
	w.shift, w.offset = w.offset-was.offset, was.offset
	return true, nil
}
