package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gopkg.in/hraban/opus.v2"

	"github.com/vivavoice/viva/pipeline/audio"
)

func TestMain(m *testing.M) {
	if killed() {
		return
	}
	goleak.VerifyTestMain(m)
}

// file is a Sink in memory.
type file struct {
	mu     sync.Mutex
	data   []byte // guarded by mu
	fail   error  // guarded by mu: what the next Write says, after half of it was written
	writes int    // guarded by mu
	closed bool   // guarded by mu
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	if f.fail != nil {
		f.data = append(f.data, p[:len(p)/2]...)
		return len(p) / 2, f.fail
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *file) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data = f.data[:size]
	return nil
}

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func (f *file) failWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

func (f *file) bytes() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.data)
}

func (f *file) open(context.Context) (Sink, error) { return f, nil }

// start begins a recording into a file in memory, and ends with the test.
func start(t testing.TB, o Options) (*Recorder, *file) {
	t.Helper()
	f := &file{}
	if o.Open == nil {
		o.Open = f.open
	}
	r, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, r) })
	return r, f
}

func end(t testing.TB, r *Recorder) Stats {
	t.Helper()
	s, err := r.Close(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tone is a frame of a sine, continued from sample `from` of it.
func tone(hz float64, sampleRate, n int, from int64) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(12000 * math.Sin(2*math.Pi*hz*float64(from+int64(i))/float64(sampleRate)))
	}
	return pcm
}

// sound is a decoded file: 48 kHz, without the pre-skip.
type sound struct {
	side  [channels][]int16
	pages int
	ended bool // the last page says so
}

func (s *sound) duration() time.Duration {
	return time.Duration(len(s.side[left])) * time.Second / audio.RTPRate
}

// decode reads a file as RFC 3533 and RFC 7845 say, and holds it to them. Bytes after the last whole page are no error.
func decode(data []byte) (*sound, error) {
	dec, err := opus.NewDecoder(audio.RTPRate, channels)
	if err != nil {
		return nil, err
	}
	out := &sound{}
	var packets, samples, skip, last int64
	var serial uint32
	buffer := make([]int16, 5760*channels)
	for len(data) > 0 {
		if len(data) < pageHeader || len(data) < pageHeader+int(data[26]) {
			break
		}
		size := pageHeader + int(data[26])
		for _, n := range data[pageHeader:size] {
			size += int(n)
		}
		if len(data) < size {
			break
		}
		page := bytes.Clone(data[:size])
		data = data[size:]
		sum := binary.LittleEndian.Uint32(page[22:])
		clear(page[22:26])
		number := binary.LittleEndian.Uint32(page[18:])
		granule := int64(binary.LittleEndian.Uint64(page[6:]))
		switch {
		case string(page[:5]) != "OggS\x00":
			return nil, fmt.Errorf("page %d does not begin like one", out.pages)
		case checksumByBits(page) != sum:
			return nil, fmt.Errorf("page %d has a wrong checksum", out.pages)
		case number != uint32(out.pages):
			return nil, fmt.Errorf("page %d has number %d", out.pages, number)
		case (page[5]&pageBegins != 0) != (out.pages == 0):
			return nil, fmt.Errorf("page %d: flags %x", out.pages, page[5])
		case out.pages > 0 && binary.LittleEndian.Uint32(page[14:]) != serial:
			return nil, fmt.Errorf("page %d belongs to another stream", out.pages)
		case granule < last:
			return nil, fmt.Errorf("page %d ends at %d, before %d", out.pages, granule, last)
		case out.ended:
			return nil, errors.New("a page follows the last one")
		}
		serial, last = binary.LittleEndian.Uint32(page[14:]), granule
		body := page[pageHeader+int(page[26]):]
		switch out.pages {
		case 0:
			if string(body[:9]) != "OpusHead\x01" || body[9] != channels || len(body) != 19 || granule != 0 {
				return nil, fmt.Errorf("head: %q", body)
			}
			skip = int64(binary.LittleEndian.Uint16(body[10:]))
		case 1:
			if string(body[:8]) != "OpusTags" || granule != 0 {
				return nil, fmt.Errorf("tags: %q", body)
			}
		default:
			var n int64
			for packet := range packetsOf(page[pageHeader:pageHeader+int(page[26])], body) {
				got, err := dec.Decode(packet, buffer)
				if err != nil {
					return nil, fmt.Errorf("packet %d: %w", packets, err)
				}
				packets, n = packets+1, n+int64(got)
				for i := range got {
					out.side[left] = append(out.side[left], buffer[channels*i])
					out.side[right] = append(out.side[right], buffer[channels*i+1])
				}
			}
			samples += n
			if n > audio.RTPRate {
				return nil, fmt.Errorf("page %d holds %d samples, more than a second", out.pages, n)
			}
			out.ended = page[5]&pageEnds != 0
			if granule != samples && (!out.ended || granule > samples) {
				return nil, fmt.Errorf("page %d ends at %d, its packets at %d", out.pages, granule, samples)
			}
		}
		out.pages++
	}
	if out.pages < 2 {
		return nil, io.ErrUnexpectedEOF
	}
	for side := range out.side {
		out.side[side] = out.side[side][min(skip, last):last]
	}
	return out, nil
}

func packetsOf(lacing, body []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		n := 0
		for _, l := range lacing {
			if n += int(l); l == segmentLength {
				continue
			}
			if !yield(body[:n]) {
				return
			}
			body, n = body[n:], 0
		}
	}
}

// checksumByBits is the polynomial of RFC 3533 §6, bit by bit.
func checksumByBits(p []byte) (sum uint32) {
	for _, b := range p {
		sum ^= uint32(b) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	return sum
}

// level is the RMS level, in dBFS, of a side between two times.
func (s *sound) level(side int, from, to time.Duration) float64 {
	at := func(d time.Duration) int { return min(int(d*audio.RTPRate/time.Second), len(s.side[side])) }
	return audio.Level(s.side[side][at(from):at(to)])
}

// onset is when a side first has sound at or after a time.
func (s *sound) onset(side int, from time.Duration) time.Duration {
	const window = 48 // 1 ms
	for i := int(from * audio.RTPRate / time.Second); i+window <= len(s.side[side]); i += window {
		if audio.Level(s.side[side][i:i+window]) > -30 {
			return time.Duration(i) * time.Second / audio.RTPRate
		}
	}
	return -1
}
