package candidate

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	// longestPacket is the length of the longest Opus packet, 120 ms (RFC 6716 §2.1.4), in samples.
	longestPacket = 6 * audio.InputFrame
	maxTracks     = 16 // of a room that are decoded; what more there are counts as undecodable
)

// hearing decodes the agents' packets as they arrive, each track with a decoder of its own. It belongs to one goroutine.
type hearing struct {
	decoders    map[string]*audio.Decoder
	pcm         [longestPacket]int16
	levels      [longestPacket / audio.InputFrame]float64
	undecodable int64
}

// listen measures a packet. The sound's levels and the samples, at audio.InputRate, are valid until the next call.
func (h *hearing) listen(p Packet) (Sound, []int16) {
	s := Sound{
		Track: p.Track, Sequence: p.Sequence, Timestamp: p.Timestamp, Marker: p.Marker, Bytes: len(p.Payload), At: p.At,
		Frame: audio.FrameDuration,
	}
	if len(p.Payload) == 0 {
		return s, nil
	}
	n, err := h.decode(p)
	if err != nil || n == 0 {
		h.undecodable++
		return s, nil
	}
	size := min(n, audio.InputFrame)
	s.Frame = time.Duration(size) * time.Second / audio.InputRate
	s.Levels = h.levels[:0]
	for i := 0; i+size <= n; i += size {
		s.Levels = append(s.Levels, audio.Level(h.pcm[i:i+size]))
	}
	return s, h.pcm[:n]
}

func (h *hearing) decode(p Packet) (int, error) {
	decoder := h.decoders[p.Track]
	if decoder == nil {
		if len(h.decoders) >= maxTracks {
			return 0, fmt.Errorf("more than %d tracks", maxTracks)
		}
		var err error
		if decoder, err = audio.NewDecoder(); err != nil {
			return 0, err
		}
		if h.decoders == nil {
			h.decoders = map[string]*audio.Decoder{}
		}
		h.decoders[p.Track] = decoder
	}
	return decoder.Decode(h.pcm[:], p.Payload)
}

const (
	packetQueue = 128  // packets of agents waiting; 2.5 s of one track
	maxPacket   = 1500 // bytes of payload; larger than any Opus packet in a UDP datagram
	eventQueue  = 32
)

// inbox hands packets and events from the connection's goroutines to the candidate's. When packets find no room they are dropped and
// counted; events wait. Channels are never closed; end releases whoever waits.
type inbox struct {
	packets chan Packet
	free    chan []byte // payload buffers; as many as packets fit, so that handing over never blocks
	events  chan Event
	ended   chan struct{}
	dropped atomic.Int64
}

var _ Listener = (*inbox)(nil)

func newInbox() *inbox {
	in := &inbox{
		packets: make(chan Packet, packetQueue),
		free:    make(chan []byte, packetQueue),
		events:  make(chan Event, eventQueue),
		ended:   make(chan struct{}),
	}
	for range packetQueue {
		in.free <- nil
	}
	return in
}

func (in *inbox) Packet(p Packet) {
	var buffer []byte
	select {
	case buffer = <-in.free:
	default:
		in.dropped.Add(1)
		return
	}
	if len(p.Payload) > maxPacket {
		in.dropped.Add(1)
		in.free <- buffer
		return
	}
	p.Payload = append(buffer[:0], p.Payload...)
	in.packets <- p
}

func (in *inbox) Event(e Event) {
	select {
	case in.events <- e:
	case <-in.ended:
	}
}

// done gives the packet's buffer back.
func (in *inbox) done(p Packet) { in.free <- p.Payload }

// end releases those who wait with events. It is called once, by the owner.
func (in *inbox) end() { close(in.ended) }
