package audio

import "time"

const (
	// slots is how many packets the reorder buffer spans; at 20 ms each, 1.28 s.
	slots = 64
	// maxDropout and maxMisorder are how far, in packets, a sequence number may leap before a second packet must confirm it
	// (RFC 3550, appendix A.1).
	maxDropout  = 3000
	maxMisorder = 100
	// maxPayload is the largest Opus payload accepted, in bytes: an Ethernet frame's worth.
	maxPayload = 1500
)

// Packet is what the receiver needs of an RTP packet.
type Packet struct {
	Seq       uint16
	Timestamp uint32 // at RTPRate
	SSRC      uint32
	Payload   []byte // copied by Receiver.Push; empty for padding
}

// slot holds a packet until its turn comes.
type slot struct {
	full      bool
	timestamp uint32
	arrival   time.Time
	payload   []byte
}

// verdict is what the reorder buffer makes of a packet.
type verdict uint8

const (
	accepted  verdict = iota // waits for its turn
	late                     // its turn is over
	duplicate                // is here already
	suspect                  // too far away to be believed yet
	restarted                // accepted, and the stream starts anew with it
)

// reorder puts packets back into sequence. Sequence numbers are compared modulo 2¹⁶.
type reorder struct {
	slots   [slots]slot
	next    uint16 // whose turn it is
	held    int
	begun   bool
	ssrc    uint32
	missing bool // packets before next were given up: the gap before it is loss

	suspicious bool
	confirm    uint16 // the sequence number that would confirm a leap

	dropped int // packets thrown away, or skipped over, by leaps
}

// push files a packet. A leap ahead by more than the buffer spans, or a new start, throws away what was held.
func (b *reorder) push(p Packet, arrival time.Time) verdict {
	if !b.begun || p.SSRC != b.ssrc {
		result := restarted
		if !b.begun {
			result = accepted
		}
		b.restart(p)
		b.store(p, arrival)
		return result
	}
	ahead := int(int16(p.Seq - b.next))
	switch {
	case ahead < -maxMisorder, ahead >= maxDropout:
		if !b.suspicious || p.Seq != b.confirm {
			b.suspicious, b.confirm = true, p.Seq+1
			return suspect
		}
		b.restart(p)
		b.store(p, arrival)
		return restarted
	case ahead < 0:
		return late
	case ahead >= slots:
		b.dropped += ahead
		b.clear()
		b.next, b.missing = p.Seq, true
	case b.at(p.Seq).full:
		return duplicate
	}
	b.suspicious = false
	b.store(p, arrival)
	return accepted
}

func (b *reorder) restart(p Packet) {
	b.clear()
	b.begun, b.ssrc, b.next, b.missing, b.suspicious = true, p.SSRC, p.Seq, false, false
}

func (b *reorder) store(p Packet, arrival time.Time) {
	s := b.at(p.Seq)
	s.full, s.timestamp, s.arrival = true, p.Timestamp, arrival
	s.payload = append(s.payload[:0], p.Payload...)
	b.held++
}

func (b *reorder) clear() {
	for i := range b.slots {
		b.slots[i].full = false
	}
	b.held = 0
}

func (b *reorder) at(seq uint16) *slot { return &b.slots[seq%slots] }

// head returns the packet whose turn it is, or nil if it is not here.
func (b *reorder) head() *slot {
	if s := b.at(b.next); s.full {
		return s
	}
	return nil
}

// pop gives up the slot of the packet whose turn it was.
func (b *reorder) pop() {
	b.at(b.next).full = false
	b.held--
	b.next++
	b.missing = false
}

// oldest returns when the longest-waiting packet arrived; only while packets are held.
func (b *reorder) oldest() time.Time {
	var oldest time.Time
	for i := range b.slots {
		if s := &b.slots[i]; s.full && (oldest.IsZero() || s.arrival.Before(oldest)) {
			oldest = s.arrival
		}
	}
	return oldest
}

// giveUp moves on to the first packet held and returns how many are missing before it; only while packets are held.
func (b *reorder) giveUp() int {
	n := 0
	for b.head() == nil {
		b.next++
		n++
	}
	b.missing = b.missing || n > 0
	return n
}
