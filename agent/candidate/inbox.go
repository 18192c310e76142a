package candidate

import "sync/atomic"

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

// Packet implements Listener.
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

// Event implements Listener.
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
