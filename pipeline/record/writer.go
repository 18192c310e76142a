package record

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"gopkg.in/hraban/opus.v2"

	"github.com/vivavoice/viva/pipeline/audio"
)

// index is a time as a number of samples, and duration the reverse.
func index(d time.Duration) int64 { return int64(d) * rate / int64(time.Second) }

func duration(samples int64) time.Duration { return time.Duration(samples) * time.Second / rate }

// writer turns what comes into pages. It belongs to the recorder's goroutine.
type writer struct {
	time    *timeline
	encoder *opus.Encoder
	stream  *oggStream    // nil before begin
	offset  time.Duration // of the file's first sample, on the clock of the talk
	shift   time.Duration // of the recorder's start, on the clock of the file
	frames  int64         // encoded
	silent  int           // silent frames in a row
	quiet   []byte        // the packet that stands for more of them
	pcm     [channels * frameLen]int16
	packet  [largestPacket]byte
}

func newWriter(offset time.Duration) (*writer, error) {
	line, err := newTimeline()
	if err != nil {
		return nil, err
	}
	enc, err := opus.NewEncoder(rate, channels, opus.AppAudio)
	if err != nil {
		return nil, fmt.Errorf("create opus encoder: %w", err)
	}
	if err := errors.Join(enc.SetBitrate(bitrate), enc.SetComplexity(complexity)); err != nil {
		return nil, fmt.Errorf("set up opus encoder: %w", err)
	}
	return &writer{time: line, encoder: enc, offset: offset}, nil
}

func (w *writer) begin(sink Sink) error {
	if resumed, err := w.resume(sink); resumed || err != nil {
		return err
	}
	w.stream = newOggStream(sink, rand.Uint32()) //nolint:gosec // it only tells streams apart
	return w.stream.begin(preSkip, rate, offsetTag+strconv.FormatInt(w.offset.Milliseconds(), 10))
}

func (w *writer) take(f *frame) {
	at := index(f.at + w.shift)
	if f.side == left {
		w.time.candidate(f, at)
		return
	}
	w.time.interviewer(f, at)
}

// writeTo writes the whole frames before an index.
func (w *writer) writeTo(to int64) error {
	for w.time.done+frameLen <= to {
		packet, err := w.next()
		if err != nil {
			return err
		}
		if err := w.add(packet); err != nil {
			return err
		}
	}
	return nil
}

// next encodes the next frame. A silence is encoded until its packets no longer change; the rest costs nothing.
func (w *writer) next() ([]byte, error) {
	if !w.time.next(w.pcm[:]) {
		w.silent = 0
		return w.encode()
	}
	if w.silent++; w.silent <= settled {
		packet, err := w.encode()
		w.quiet = append(w.quiet[:0], packet...)
		return packet, err
	}
	return w.quiet, nil
}

func (w *writer) encode() ([]byte, error) {
	n, err := w.encoder.Encode(w.pcm[:], w.packet[:])
	if err != nil {
		return nil, fmt.Errorf("encode opus: %w", err)
	}
	return w.packet[:n], nil
}

// add puts a packet on the page, and writes the page when it is full.
func (w *writer) add(packet []byte) error {
	if w.stream.packets == pagePackets || !w.stream.fits(len(packet)) {
		if err := w.flush(0); err != nil {
			return err
		}
	}
	w.stream.add(packet)
	w.frames++
	return nil
}

func (w *writer) flush(flags byte) error { return w.stream.flush(w.frames*granulesPerFrame, flags) }

// end writes what the encoder holds back and the last page, which says where the sound ends.
func (w *writer) end() error {
	clear(w.pcm[:])
	packet, err := w.encode()
	if err != nil {
		return err
	}
	if err := w.add(packet); err != nil {
		return err
	}
	total := w.time.done * (audio.RTPRate / rate)
	return w.stream.flush(preSkip+total, pageEnds)
}
