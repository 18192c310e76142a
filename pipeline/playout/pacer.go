package playout

import "time"

const (
	frameTime = 20 * time.Millisecond
	// maxBurst bounds how many frames one late tick sends, and with it what waits in the network: 60 ms.
	maxBurst = 3
)

// pacer is the schedule of a track: frame n is due at start + n × 20 ms, whatever happened to the frames before. It is pure:
// the caller brings the time.
type pacer struct {
	running bool
	begun   bool
	next    time.Time // when the next frame is due while running; the end of the last frame otherwise
}

// start begins a schedule at now and returns how long nothing was sent since the end of the last frame.
func (p *pacer) start(now time.Time) (gap time.Duration) {
	if p.begun && now.After(p.next) {
		gap = now.Sub(p.next)
	}
	if !p.begun || now.After(p.next) {
		p.next = now
	}
	p.running, p.begun = true, true
	return gap
}

// stop ends the schedule; the next start measures the gap from here.
func (p *pacer) stop() { p.running = false }

// due returns how many frames are to be sent now, at most maxBurst, and how many frames of schedule are given up to keep to maxBurst.
func (p *pacer) due(now time.Time) (frames, skipped int) {
	if !p.running || now.Before(p.next) {
		return 0, 0
	}
	frames = int(now.Sub(p.next)/frameTime) + 1
	if frames > maxBurst {
		skipped = frames - maxBurst
		p.next = p.next.Add(time.Duration(skipped) * frameTime)
		frames = maxBurst
	}
	return frames, skipped
}

// sent moves the schedule on by one frame.
func (p *pacer) sent() { p.next = p.next.Add(frameTime) }
