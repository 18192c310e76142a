package listen

import (
	"sync"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
)

const (
	// intakeSamples is how much audio may wait: 2 s.
	intakeSamples = 2 * turn.Rate
	// trackGap is the time without frames that counts as silence of the track rather than as jitter or DTX, whose packets
	// come 400 ms apart.
	trackGap = time.Second
)

// intake is where other goroutines leave audio and messages for the listener's. Audio that does not fit pushes out the oldest.
// Messages are never dropped: a session makes a few dozen a second at most, and the listener's goroutine waits for nothing else.
type intake struct {
	wake chan struct{} // capacity 1

	mu       sync.Mutex
	audio    *audio.Ring
	lost     int64 // samples missing before the oldest waiting
	dropped  uint64
	arrived  time.Time // of the last frame
	messages []message
}

// message is a request or a fact for the listener's goroutine.
type message func(*hearing)

func newIntake() *intake {
	return &intake{wake: make(chan struct{}, 1), audio: audio.NewRing(intakeSamples)}
}

func (q *intake) write(frame []int16, now time.Time) {
	q.mu.Lock()
	if gap := now.Sub(q.arrived); !q.arrived.IsZero() && gap >= trackGap {
		q.lost += turn.Samples(gap)
	}
	q.arrived = now
	if over := len(frame) - q.audio.Free(); over > 0 {
		n := q.audio.Discard(over)
		q.lost += int64(n)
		q.dropped += uint64(n)
	}
	q.audio.Write(frame)
	q.mu.Unlock()
	q.signal()
}

func (q *intake) post(m message) {
	q.mu.Lock()
	q.messages = append(q.messages, m)
	q.mu.Unlock()
	q.signal()
}

func (q *intake) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// read moves waiting audio to pcm and returns how much that was and how much is missing before it.
func (q *intake) read(pcm []int16) (n int, lost int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lost, q.lost = q.lost, 0
	return q.audio.Read(pcm), lost
}

// take returns the waiting messages and leaves spare in their place.
func (q *intake) take(spare []message) []message {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.messages
	q.messages = spare[:0]
	return taken
}

// idle returns the time since the last frame, 0 before the first.
func (q *intake) idle(now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.arrived.IsZero() {
		return 0
	}
	return now.Sub(q.arrived)
}

// recognised takes an event of the recogniser.
func (q *intake) recognised(e stt.Event) { q.post(func(h *hearing) { h.recognised(e) }) }
