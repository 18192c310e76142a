package audio

import "time"

const (
	// reorderWindow is how long a missing packet is waited for while later ones are here.
	reorderWindow = 60 * time.Millisecond

	// maxConceal is how many samples in a row are concealed before silence takes over: 5 frames.
	maxConceal = 5 * InputFrame
	// maxFill is how many samples are made up for one gap: 25 frames. The rest of the gap is skipped.
	maxFill = 25 * InputFrame
	// maxJump is the longest gap, in timestamp units, that is believed to be one: 10 minutes. maxOverlap is how far timestamps
	// may run back: 1 s. Beyond either the sender has started to count anew.
	maxJump    = 600 * RTPRate
	maxOverlap = RTPRate

	// receiverRing holds a frame not yet complete and the longest packet.
	receiverRing = 4096
)

// ReceiverStats counts what happened to a stream. Lengths are in samples at InputRate.
type ReceiverStats struct {
	Packets     uint64 // offered
	Late        uint64 // arrived after their turn, dropped
	Duplicates  uint64 // dropped
	Malformed   uint64 // too large, or so far out of sequence that nothing confirmed them; dropped
	Undecodable uint64 // not Opus, concealed
	Lost        uint64 // never came, or not in time
	Resets      uint64 // new SSRC, or counting anew

	Decoded   uint64 // samples out of packets
	Concealed uint64 // samples made up, or recovered from the next packet, for lost ones
	Silence   uint64 // samples of silence filled in
	Skipped   uint64 // samples of the clock passed over without audio
}

// packetDecoder is what the Receiver needs of a Decoder.
type packetDecoder interface {
	Decode(dst []int16, packet []byte) (int, error)
	Conceal(dst []int16) error
	Recover(dst []int16, next []byte) error
}

var _ packetDecoder = (*Decoder)(nil)

// Receiver turns the RTP packets of one track into frames of InputFrame samples, each with its position on a sample clock that follows
// RTP time. In-order packets pass at once; there is no playout delay.
//
//   - Lost packets (the sequence has a hole) are recovered or concealed for up to 5 frames, then silent.
//   - Pauses (timestamps leap, the sequence does not: DTX) are silent. After a packet that announces DTX the silence is made as time
//     passes, so that the end of speech is heard during the pause and not after it.
//   - Of any gap at most 25 frames are filled in; the position leaps over the rest.
//   - What cannot be decoded is concealed. Nothing a sender does is fatal.
//
// For every packet call Push, then Pop until it has no more; call Pop every FrameDuration, too, for what time alone brings. A Receiver is
// for one goroutine.
type Receiver struct {
	decoder packetDecoder
	packets reorder
	stats   ReceiverStats

	ready    *Ring  // decoded, not yet popped
	position int64  // of the first sample in ready
	expected uint32 // the RTP timestamp that follows the last sample in ready

	gap         gap
	concealed   int       // samples in a row that were made up
	lastArrival time.Time // of the last packet decoded
	lastLength  int       // its length in samples
	dtx         bool      // it announced a pause
	paused      int       // samples of silence made as time passed, in this pause
	begun       bool      // expected is set

	scratch [maxPacketSamples]int16
}

// gap is what is still to be made up before the packet whose turn it is, in samples, in this order.
type gap struct {
	conceal, silence, skip, fec int
}

// NewReceiver returns a receiver with a decoder of its own.
func NewReceiver() (*Receiver, error) {
	dec, err := NewDecoder()
	if err != nil {
		return nil, err
	}
	return newReceiver(dec), nil
}

func newReceiver(dec packetDecoder) *Receiver {
	return &Receiver{decoder: dec, ready: NewRing(receiverRing)}
}

// Stats returns the counts so far.
func (r *Receiver) Stats() ReceiverStats { return r.stats }

// Push takes a packet as it arrives. The payload is copied.
func (r *Receiver) Push(p Packet, arrival time.Time) {
	r.stats.Packets++
	if len(p.Payload) > maxPayload {
		r.stats.Malformed++
		return
	}
	before := r.packets.dropped
	switch r.packets.push(p, arrival) {
	case accepted:
	case late:
		r.stats.Late++
	case duplicate:
		r.stats.Duplicates++
	case suspect:
		r.stats.Malformed++
	case restarted:
		r.restart(p.Timestamp, arrival)
	}
	if n := r.packets.dropped - before; n > 0 {
		r.stats.Lost += uint64(n)
		r.gap = gap{}
	}
}

// restart lets the sender's clock begin anew at timestamp. How much time has passed is known only from the arrivals.
func (r *Receiver) restart(timestamp uint32, arrival time.Time) {
	r.stats.Resets++
	r.gap = gap{}
	if r.lastArrival.IsZero() {
		r.expected = timestamp
		return
	}
	passed := max(0, elapsed(r.lastArrival, arrival)-r.lastLength-r.paused)
	r.expected = timestamp - uint32(passed*rtpPerInput)
}

// Pop writes the next InputFrame samples to dst and returns the position of the first: its place on a clock at InputRate that starts
// with the first packet and follows RTP time. It returns false, and leaves dst alone, while no frame is complete. now is the time on the
// clock of the arrivals.
func (r *Receiver) Pop(dst *[InputFrame]int16, now time.Time) (position int64, ok bool) {
	for r.ready.Len() < InputFrame {
		if !r.advance(now) {
			return 0, false
		}
	}
	r.ready.Read(dst[:])
	position = r.position
	r.position += InputFrame
	return position, true
}

// advance makes one step towards more samples and reports whether there was one to make.
func (r *Receiver) advance(now time.Time) bool {
	if r.gap != (gap{}) {
		r.bridge()
		return true
	}
	if s := r.packets.head(); s != nil {
		r.consume(s)
		return true
	}
	if r.packets.held == 0 {
		return r.pause(now)
	}
	if now.Sub(r.packets.oldest()) < reorderWindow {
		return false
	}
	r.stats.Lost += uint64(r.packets.giveUp())
	return true
}

// consume decodes the packet whose turn it is, unless a gap before it comes first.
func (r *Receiver) consume(s *slot) {
	if len(s.payload) == 0 { // padding: it takes a place in the sequence, but no time
		r.packets.pop()
		return
	}
	if !r.begun {
		r.begun, r.expected = true, s.timestamp
	}
	ahead := int(int32(s.timestamp - r.expected))
	if ahead > maxJump || ahead < -maxOverlap {
		r.restart(s.timestamp, s.arrival)
		ahead = int(int32(s.timestamp - r.expected))
	}
	if ahead >= rtpPerInput {
		r.open(ahead/rtpPerInput, s)
		return
	}
	r.decode(s, max(0, -ahead)/rtpPerInput)
	r.packets.pop()
}

// decode appends a packet's samples, less the first overlap ones, for whose time there are samples already.
func (r *Receiver) decode(s *slot, overlap int) {
	n, err := r.decoder.Decode(r.scratch[:], s.payload)
	if err != nil {
		r.stats.Undecodable++
		if n = packetSamples(s.payload); n == 0 {
			n = r.lastLength
		}
		r.dtx, r.paused, r.lastArrival = false, 0, s.arrival
		if n -= overlap; n > 0 {
			r.conceal(n)
		}
		return
	}
	r.concealed, r.paused = 0, 0
	r.dtx, r.lastArrival, r.lastLength = len(s.payload) <= 2, s.arrival, n
	overlap = min(overlap, n)
	r.emit(r.scratch[overlap:n])
	r.stats.Decoded += uint64(n - overlap)
}

// open plans how a gap of n samples before packet s is made up. The frames are cut so that a skip falls between two of them.
func (r *Receiver) open(n int, s *slot) {
	var g gap
	if r.packets.missing {
		g.conceal = min(n, max(0, maxConceal-r.concealed))
		g.conceal -= g.conceal % concealStep
		if fec := min(packetSamples(s.payload), r.lastLength); n <= maxConceal && g.conceal == n && fec <= n {
			g.fec = fec - fec%concealStep
			g.conceal -= g.fec
		}
	}
	rest := n - g.conceal - g.fec
	if room := maxFill - g.conceal - r.paused; rest > room {
		aligned := max(0, room)
		aligned -= (r.ready.Len() + g.conceal + aligned) % InputFrame
		for aligned < 0 {
			aligned += InputFrame
		}
		g.skip = max(0, rest-aligned)
		rest = min(rest, aligned)
	}
	g.silence = rest
	r.gap = g
}

// bridge makes up the next piece of the gap, at most a frame of it.
func (r *Receiver) bridge() {
	g := &r.gap
	switch {
	case g.conceal > 0:
		n := min(g.conceal, InputFrame)
		g.conceal -= n
		r.conceal(n)
	case g.silence > 0:
		n := min(g.silence, InputFrame)
		g.silence -= n
		r.silence(n)
	case g.skip > 0:
		r.position += int64(g.skip)
		r.expected += uint32(g.skip * rtpPerInput)
		r.stats.Skipped += uint64(g.skip)
		g.skip = 0
	default:
		n := g.fec
		g.fec = 0
		r.fromNext(n)
	}
}

// conceal makes up n samples in the decoder, or silence once it has been at it for too long or cannot.
func (r *Receiver) conceal(n int) {
	if n%concealStep != 0 || r.concealed+n > maxConceal || r.decoder.Conceal(r.scratch[:n]) != nil {
		r.silence(n)
		return
	}
	r.concealed += n
	r.stats.Concealed += uint64(n)
	r.emit(r.scratch[:n])
}

// fromNext takes n samples out of the packet after them.
func (r *Receiver) fromNext(n int) {
	s := r.packets.head()
	if s == nil || r.decoder.Recover(r.scratch[:n], s.payload) != nil {
		r.conceal(n)
		return
	}
	r.stats.Concealed += uint64(n)
	r.emit(r.scratch[:n])
}

// pause makes a frame of silence if the sender has announced a pause and its time has come. It stays behind by the reorder window, so
// that the next packet finds its place.
func (r *Receiver) pause(now time.Time) bool {
	if !r.dtx || r.paused+InputFrame > maxFill {
		return false
	}
	if r.paused+InputFrame > elapsed(r.lastArrival.Add(reorderWindow), now) {
		return false
	}
	r.paused += InputFrame
	r.silence(InputFrame)
	return true
}

func (r *Receiver) silence(n int) {
	clear(r.scratch[:n])
	r.stats.Silence += uint64(n)
	r.emit(r.scratch[:n])
}

// elapsed returns the samples between two times, at most maxJump's worth.
func elapsed(from, to time.Time) int {
	const longest = maxJump / RTPRate * time.Second
	return int(min(to.Sub(from), longest) * InputRate / time.Second)
}

// emit appends samples and moves the sender's clock along with them.
func (r *Receiver) emit(pcm []int16) {
	r.ready.Write(pcm)
	r.expected += uint32(len(pcm) * rtpPerInput)
}
