package room

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/guard"
)

const (
	// receiveMTU is the longest RTP packet read, in bytes; pion's own default.
	receiveMTU = 1460
	// tailFrames of silence follow the end of a microphone, so that what was said last is seen to have ended.
	tailFrames = 25
	// dtxBytes is the length up to which an Opus packet only announces a pause (RFC 6716 §2.1.9: nothing need be sent).
	dtxBytes = 2
	// pauseFrames is how long, in frames, the pause after such a packet is filled with silence.
	pauseFrames = 25
	// maxBadPackets end a track: it does not carry what was agreed, or reading fails for good.
	maxBadPackets = 1000
)

// OnMicrophone sets who receives the candidate's microphone as frames of 320 samples at 16 kHz, mono. Gaps are filled. It is
// called on the goroutine that reads the track and must not block; the frame is valid during the call only. Frames before
// the first OnMicrophone are dropped, nil drops them again. Between two tracks (a candidate who comes back) there is half a
// second of silence. The position is that on the clock of the track, in samples at 16 kHz: where it leaps, or runs back, there
// is a gap, or another track.
func (r *Room) OnMicrophone(f func(frame []int16, position int64)) {
	r.microphone.Store(&f)
}

// hear passes a frame on. While one microphone takes over from another, two readers may come here at once; the frame that
// comes second is dropped.
func (r *Room) hear(frame []int16, position int64) {
	f := r.microphone.Load()
	if f == nil || *f == nil || !r.hearing.CompareAndSwap(false, true) {
		return
	}
	defer r.hearing.Store(false)
	(*f)(frame, position)
}

// packetSource is a remote track.
type packetSource interface {
	Read(b []byte) (int, interceptor.Attributes, error)
	SetReadDeadline(time.Time) error
}

var _ packetSource = (*webrtc.TrackRemote)(nil)

// reader reads one remote audio track on a goroutine of its own, until the track ends or stop is called.
type reader struct {
	log    *zap.Logger
	track  Track
	source packetSource
	raw    func(Track, *rtp.Packet, time.Time) // may be nil
	hear   func(frame []int16, position int64)

	guard   *guard.Guard // the interview's; may be nil
	heard   atomic.Bool  // it is the microphone to listen to
	stopped atomic.Bool

	// The rest belongs to the goroutine.
	receiver *audio.Receiver // made with the first packet heard
	packet   rtp.Packet
	buffer   [receiveMTU]byte
	frame    [audio.InputFrame]int16
	position int64 // of the next frame, on the clock of the track
	pause    int   // frames to wait for in the pause that the sender announced
	deadline bool
	began    bool   // the goroutine reads, perhaps again after a panic
	bad      uint64 // packets that are not RTP
}

// stop makes the goroutine end soon. It may be called from any goroutine, more than once.
func (rd *reader) stop() {
	rd.stopped.Store(true)
	_ = rd.source.SetReadDeadline(time.Now()) // fails only for a track that has ended
}

// run reads until the end. A packet that makes it panic is lost, with what was decoded of those before.
func (rd *reader) run() {
	rd.guard.Keep("microphone", func() {
		if rd.began {
			rd.receiver = nil
		}
		rd.began = true
		for rd.step() {
		}
	})
	rd.guard.Do("microphone", rd.close)
}

// step reads one packet, or waits for one frame's time in a pause. It reports false at the end.
func (rd *reader) step() bool {
	rd.schedule()
	if rd.stopped.Load() {
		return false
	}
	n, _, err := rd.source.Read(rd.buffer[:])
	now := time.Now()
	var timeout net.Error
	switch {
	case err == nil:
		rd.take(rd.buffer[:n], now)
	case errors.Is(err, io.EOF):
		return false
	case errors.As(err, &timeout) && timeout.Timeout():
		rd.pause = max(0, rd.pause-1)
		rd.emit(now)
	default: // one packet that pion could not make sense of
		rd.bad++
		return rd.bad < maxBadPackets
	}
	return true
}

// schedule lets the next read end after a frame's time while silence is to be made, and else wait as long as it takes.
func (rd *reader) schedule() {
	switch {
	case rd.pause > 0:
		rd.deadline = true
		_ = rd.source.SetReadDeadline(time.Now().Add(audio.FrameDuration)) // the read reports an ended track
	case rd.deadline:
		rd.deadline = false
		_ = rd.source.SetReadDeadline(time.Time{}) // as above
	}
}

func (rd *reader) take(raw []byte, now time.Time) {
	if err := rd.packet.Unmarshal(raw); err != nil {
		rd.bad++
		return
	}
	if rd.raw != nil {
		rd.raw(rd.track, &rd.packet, now)
	}
	if !rd.heard.Load() || !rd.ready() {
		return
	}
	rd.receiver.Push(audio.Packet{
		Seq:       rd.packet.SequenceNumber,
		SSRC:      rd.packet.SSRC,
		Timestamp: rd.packet.Timestamp,
		Payload:   rd.packet.Payload,
	}, now)
	rd.pause = 0
	if len(rd.packet.Payload) <= dtxBytes {
		rd.pause = pauseFrames
	}
	rd.emit(now)
}

// ready makes the receiver. Without one the track is not heard.
func (rd *reader) ready() bool {
	if rd.receiver != nil {
		return true
	}
	receiver, err := audio.NewReceiver()
	if err != nil {
		rd.log.Error("room.microphone_failed", zap.Error(err))
		rd.heard.Store(false)
		return false
	}
	rd.receiver = receiver
	return true
}

func (rd *reader) emit(now time.Time) {
	for rd.receiver != nil {
		position, ok := rd.receiver.Pop(&rd.frame, now)
		if !ok {
			return
		}
		rd.hear(rd.frame[:], position)
		rd.position = position + audio.InputFrame
	}
}

// close lets a microphone end in silence.
func (rd *reader) close() {
	if rd.receiver == nil {
		return
	}
	clear(rd.frame[:])
	if rd.heard.Load() {
		for range tailFrames {
			rd.hear(rd.frame[:], rd.position)
			rd.position += audio.InputFrame
		}
	}
	s := rd.receiver.Stats()
	rd.log.Info("room.microphone_ended",
		zap.String("track", rd.track.SID), zap.Uint64("packets", s.Packets), zap.Uint64("lost", s.Lost),
		zap.Uint64("late", s.Late), zap.Uint64("undecodable", s.Undecodable), zap.Uint64("not_rtp", rd.bad))
}

// readers are the goroutines that read tracks. It is safe for concurrent use.
type readers struct {
	mu      sync.Mutex
	running map[*reader]struct{} // guarded by mu
	closed  bool                 // guarded by mu
	tasks   sync.WaitGroup
}

// start runs a reader and, afterwards, ended; false once closed.
func (rs *readers) start(rd *reader, ended func()) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return false
	}
	if rs.running == nil {
		rs.running = map[*reader]struct{}{}
	}
	rs.running[rd] = struct{}{}
	rd.guard.Go(&rs.tasks, "microphone", func() {
		rd.run()
		rs.mu.Lock()
		delete(rs.running, rd)
		rs.mu.Unlock()
		ended()
	})
	return true
}

// close stops all readers and starts no others; tasks tells when they have ended.
func (rs *readers) close() {
	rs.mu.Lock()
	rs.closed = true
	running := make([]*reader, 0, len(rs.running))
	for rd := range rs.running {
		running = append(running, rd)
	}
	rs.mu.Unlock()
	for _, rd := range running {
		rd.stop()
	}
}
