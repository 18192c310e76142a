package candidate

import (
	"errors"
	"fmt"
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
)

// recorder writes a WAV file at audio.InputRate on the candidate's clock: what was said on the left, and on the right what was heard.
// Agents' tracks are mixed. It writes as time passes and holds two seconds. It belongs to one
// goroutine; the first error ends the recording and is returned by close.
type recorder struct {
	file     *os.File
	out      *audio.WAVWriter
	channels [2][recordWindow]int16 // rings: the candidate, and the agents
	start    time.Time
	written  int64 // samples per channel
	own      hearing
	tracks   map[string]*recordTrack
	block    []int16 // that is being written, the channels by turns
	err      error
}

// recordTrack maps a track's RTP clock to the file.
type recordTrack struct {
	timestamp uint32
	position  int64
}

func newRecorder(path string, now time.Time) (*recorder, error) {
	file, err := os.Create(path) //nolint:gosec // the directory is chosen by the person who runs the test
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &recorder{file: file, start: now, tracks: map[string]*recordTrack{}}
	r.out, r.err = audio.NewWAVWriter(file, audio.InputRate, len(r.channels))
	return r, nil
}

// sent records a packet that is sent now.
func (r *recorder) sent(now time.Time, payload []byte) {
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
	r.mix(1, t.position, pcm)
}

func (r *recorder) position(at time.Time) int64 {
	return int64(at.Sub(r.start) * audio.InputRate / time.Second)
}

func (r *recorder) mix(channel int, position int64, pcm []int16) {
	ring := &r.channels[channel]
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
	r.block = r.block[:0]
	for ; r.written < until; r.written++ {
		at := r.written % recordWindow
		for i := range r.channels {
			r.block = append(r.block, r.channels[i][at])
			r.channels[i][at] = 0
		}
	}
	if r.err == nil {
		r.err = r.out.Write(r.block)
	}
}

// close writes the rest, up to now, and the header, and closes the file.
func (r *recorder) close(now time.Time) error {
	r.write(r.position(now))
	if r.err == nil {
		r.err = r.out.Close()
	}
	if err := errors.Join(r.err, r.file.Close()); err != nil {
		return fmt.Errorf("record %s: %w", r.file.Name(), err)
	}
	return nil
}
