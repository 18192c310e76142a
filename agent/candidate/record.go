package candidate

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	// recordLag is how long samples stay open for others to be mixed in; what arrives later is left out.
	recordLag = time.Second
	// recordWindow is the memory of a recording per channel, in samples: the lag, and as much again ahead.
	recordWindow = 2 * audio.InputRate
	// recordSlip is how far a track's RTP clock may be from its arrivals before it is aligned anew.
	recordSlip = 500 * time.Millisecond
	wavHeader  = 44 // bytes of a canonical PCM header
)

// recorder writes a WAV file at audio.InputRate on the candidate's clock: what was heard, or, in stereo, what was said on the left
// and what was heard on the right. Agents' tracks are mixed. It writes as time passes and holds two seconds. It belongs to one
// goroutine; the first error ends the recording and is returned by close.
type recorder struct {
	file     *os.File
	out      *bufio.Writer
	channels [][]int16 // rings; the agents are in the last
	start    time.Time
	written  int64 // samples per channel
	own      hearing
	tracks   map[string]*recordTrack
	line     []byte
	err      error
}

// recordTrack maps a track's RTP clock to the file.
type recordTrack struct {
	timestamp uint32
	position  int64
}

func newRecorder(path string, stereo bool, now time.Time) (*recorder, error) {
	file, err := os.Create(path) //nolint:gosec // the directory is chosen by the person who runs the test
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	channels := 1
	if stereo {
		channels = 2
	}
	r := &recorder{file: file, out: bufio.NewWriterSize(file, 1<<16), start: now, tracks: map[string]*recordTrack{}}
	for range channels {
		r.channels = append(r.channels, make([]int16, recordWindow))
	}
	_, r.err = r.out.Write(r.header(0))
	return r, nil
}

// sent records a packet that is sent now, if the recording is in stereo.
func (r *recorder) sent(now time.Time, payload []byte) {
	if len(r.channels) < 2 {
		return
	}
	_, pcm := r.own.listen(Packet{Payload: payload})
	r.mix(0, r.position(now), pcm)
}

// heard records what a packet held.
func (r *recorder) heard(s Sound, pcm []int16) {
	if len(pcm) == 0 {
		return
	}
	arrival := r.position(s.At)
	t := r.tracks[s.Track]
	if t == nil {
		t = &recordTrack{timestamp: s.Timestamp, position: arrival}
		r.tracks[s.Track] = t
	}
	t.position += int64(mediaTime(s.Timestamp, t.timestamp) * audio.InputRate / time.Second)
	t.timestamp = s.Timestamp
	if slip := time.Duration(arrival-t.position) * time.Second / audio.InputRate; slip.Abs() > recordSlip {
		t.position = arrival
	}
	r.mix(len(r.channels)-1, t.position, pcm)
}

func (r *recorder) position(at time.Time) int64 {
	return int64(at.Sub(r.start) * audio.InputRate / time.Second)
}

func (r *recorder) mix(channel int, position int64, pcm []int16) {
	ring := r.channels[channel]
	for i, sample := range pcm {
		p := position + int64(i)
		if p < r.written || p >= r.written+recordWindow {
			continue
		}
		at := p % recordWindow
		ring[at] = int16(max(-32768, min(32767, int32(ring[at])+int32(sample))))
	}
}

// advance writes what is complete now.
func (r *recorder) advance(now time.Time) { r.write(r.position(now.Add(-recordLag))) }

func (r *recorder) write(until int64) {
	for r.err == nil && r.written < until {
		at := r.written % recordWindow
		r.line = r.line[:0]
		for _, ring := range r.channels {
			r.line = binary.LittleEndian.AppendUint16(r.line, uint16(ring[at]))
			ring[at] = 0
		}
		_, r.err = r.out.Write(r.line)
		r.written++
	}
}

// close writes the rest, up to now, and the header, and closes the file.
func (r *recorder) close(now time.Time) error {
	r.write(r.position(now))
	if r.err == nil {
		r.err = r.out.Flush()
	}
	if r.err == nil {
		_, r.err = r.file.Seek(0, io.SeekStart)
	}
	if r.err == nil {
		_, r.err = r.file.Write(r.header(r.written))
	}
	if err := errors.Join(r.err, r.file.Close()); err != nil {
		return fmt.Errorf("record %s: %w", r.file.Name(), err)
	}
	return nil
}

// header is the canonical RIFF header of 16-bit PCM for so many samples per channel.
func (r *recorder) header(samples int64) []byte {
	channels := len(r.channels)
	block := 2 * channels
	size := uint32(samples) * uint32(block)
	h := make([]byte, 0, wavHeader)
	h = append(h, "RIFF"...)
	h = binary.LittleEndian.AppendUint32(h, wavHeader-8+size)
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, 16) // length of the format chunk
	h = binary.LittleEndian.AppendUint16(h, 1)  // PCM
	h = binary.LittleEndian.AppendUint16(h, uint16(channels))
	h = binary.LittleEndian.AppendUint32(h, audio.InputRate)
	h = binary.LittleEndian.AppendUint32(h, uint32(audio.InputRate*block))
	h = binary.LittleEndian.AppendUint16(h, uint16(block))
	h = binary.LittleEndian.AppendUint16(h, 16) // bits per sample
	h = append(h, "data"...)
	return binary.LittleEndian.AppendUint32(h, size)
}
