package playout

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
)

// failureLimit is how many frames in a row may be refused, one second of them, before the utterance is given up.
const failureLimit = 50

// track is what run alone owns: the schedule and the frames on their way out.
type track struct {
	pacer    pacer
	pcm      [frameSamples]int16
	packet   []byte
	silence  []byte // one encoded silent frame, sent again and again
	index    uint64
	gap      int // samples not sent since the last frame
	tail     int // silent frames still to be sent
	failures int // in a row
}

func newTrack(o Options) (track, error) {
	silence, err := audio.SilencePacket(o.Encoder)
	return track{packet: make([]byte, 0, 1500), silence: silence}, err
}

// slot is what the next 20 ms of the track hold.
type slot struct {
	utterance *Utterance // nil for the tail, and for a listening signal
	speech    int        // samples of speech in track.pcm; 0 for a silent frame
	until     int64      // position of the utterance behind them
	masked    bool       // they are ducked
	empty     bool       // nothing to send: the track rests
}

// run is the gate's goroutine.
func (g *Gate) run() {
	defer close(g.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		g.step(time.Now())
		var due <-chan time.Time
		if g.track.pacer.running {
			timer.Reset(time.Until(g.track.pacer.next))
			due = timer.C
		}
		select {
		case <-g.quit:
			g.shutdown()
			return
		case <-g.wakeup:
		case <-due:
		}
	}
}

func (g *Gate) shutdown() {
	g.mu.Lock()
	g.cutLocked(nil)
	g.mu.Unlock()
	g.settle()
}

// step does what is to be done at now: ends what is over and sends the frames that are due.
func (g *Gate) step(now time.Time) {
	g.settle()
	for range g.frames(now) {
		if !g.tick(now) {
			g.track.pacer.stop()
			break
		}
	}
	g.settle()
}

// frames returns how many frames to send at now.
func (g *Gate) frames(now time.Time) int {
	t := &g.track
	n, skipped := t.pacer.due(now)
	t.gap += skipped * frameSamples
	g.mu.Lock()
	defer g.mu.Unlock()
	if !t.pacer.running || g.hurry && t.pacer.next.Sub(now) < 2*frameTime {
		n = max(n, 1)
	}
	g.hurry = false
	return n
}

// tick sends one frame and says whether there was one.
func (g *Gate) tick(now time.Time) bool {
	t := &g.track
	s := g.take(now)
	if s.empty {
		return false
	}
	if !t.pacer.running {
		t.gap += samplesIn(t.pacer.start(now))
	}
	t.pacer.sent()
	if g.send(s) && s.speech > 0 && s.utterance != nil && s.utterance.began.IsZero() {
		s.utterance.began = now
		g.opts.Started(s.utterance.generation)
	}
	return true
}

// take decides what the next frame holds and moves its samples to track.pcm.
func (g *Gate) take(now time.Time) slot {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.current
	if len(g.signal) > 0 {
		if s := g.signalLocked(u == nil || u.held); s.speech > 0 {
			return s
		}
	}
	if u == nil || u.held || g.paused || g.veil.full(u.read) {
		return g.restLocked()
	}
	if g.pausing {
		return g.fadeOutLocked(u)
	}
	if g.queue.Len() < frameSamples && !u.finished || g.queue.Len() == 0 {
		return g.dryLocked(u, now)
	}
	return g.speakLocked(u)
}

// restLocked sends the tail and then nothing.
func (g *Gate) restLocked() slot {
	if g.track.tail == 0 {
		return slot{empty: true}
	}
	g.track.tail--
	return slot{}
}

func (g *Gate) fadeOutLocked(u *Utterance) slot {
	g.pausing, g.paused = false, true
	n := g.queue.Read(g.track.pcm[:fadeSamples])
	clear(g.track.pcm[n:])
	g.level.Set(0, fadeSamples)
	g.level.Apply(g.track.pcm[:n])
	g.track.tail = tailFrames
	u.signal()
	u.read += int64(n)
	return slot{utterance: u, speech: n, until: u.read}
}

// dryLocked is the frame of an utterance that has no audio yet, or none left for now.
func (g *Gate) dryLocked(u *Utterance, now time.Time) slot {
	if !u.started || u.finished {
		return g.restLocked()
	}
	if u.dry.IsZero() {
		u.dry = now
	}
	if !u.stalled && now.Sub(u.dry) >= stall {
		u.stalled = true
		g.opts.Logger.Warn("playout.stalled", zap.Uint64("generation", u.generation))
	}
	return slot{utterance: u}
}

func (g *Gate) speakLocked(u *Utterance) slot {
	if !u.dry.IsZero() {
		g.fadeInLocked()
		u.dry, u.stalled = time.Time{}, false
	}
	u.started = true
	if g.veil.on && !g.veil.drawn && g.level.Settled() {
		g.veil.drawn, g.veil.from = true, u.read
	}
	n := g.queue.Read(g.track.pcm[:])
	u.read += int64(n)
	clear(g.track.pcm[n:])
	g.level.Apply(g.track.pcm[:])
	g.track.tail = tailFrames
	u.signal()
	return slot{utterance: u, speech: n, until: u.read, masked: g.veil.drawn}
}

// send encodes one frame, hands it to the writer and accounts for it. It says whether the writer took it.
func (g *Gate) send(s slot) bool {
	t := &g.track
	info := FrameInfo{Index: t.index, Samples: frameSamples, Gap: t.gap, Silence: s.speech == 0, Ducked: s.masked}
	info.Marker = t.index == 0 || t.gap > 0
	if s.utterance != nil {
		info.Generation = s.utterance.generation
	}
	if err := g.write(s, info); err != nil {
		t.gap += frameSamples
		g.failed(err)
		return false
	}
	t.index++
	t.gap, t.failures = 0, 0
	if s.speech > 0 && s.utterance != nil {
		g.mu.Lock()
		g.countLocked(s)
		g.mu.Unlock()
	}
	return true
}

func (g *Gate) write(s slot, info FrameInfo) error {
	t := &g.track
	if s.speech == 0 {
		return g.opts.Writer.WriteFrame(t.silence, info)
	}
	packet, err := g.opts.Encoder.Encode(t.packet[:0], t.pcm[:])
	if err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	t.packet = packet
	if err := g.opts.Writer.WriteFrame(packet, info); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// failed counts a refused frame and gives the utterance up when the track stays dead.
func (g *Gate) failed(err error) {
	t := &g.track
	t.failures++
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.failures >= failureLimit && g.current != nil {
		t.failures = 0
		g.cutLocked(err)
		g.fading = 0
	}
}

// settle ends the utterances that are over, sending the fade of one that was cut while audible.
func (g *Gate) settle() {
	g.mu.Lock()
	if u := g.current; u != nil && u.finished && g.queue.Len() == 0 && !u.held && !g.veil.full(u.read) {
		u.end.Complete = true
		u.heard += g.veil.sent // its end was spoken over
		g.retireLocked()
	}
	ending, fading := g.ending, g.fading
	g.ending, g.fading = nil, 0
	copy(g.track.pcm[:], g.fade[:fading])
	clear(g.track.pcm[fading:])
	g.mu.Unlock()
	for _, u := range ending {
		if fading > 0 && u.started { // at most one: the next starts only after this was settled
			g.track.pacer.sent()
			g.track.tail = tailFrames
			g.send(slot{utterance: u, speech: fading, until: u.read})
		}
		g.mu.Lock()
		u.end.Heard, u.end.Began = u.heard, u.began
		g.mu.Unlock()
		close(u.done)
	}
}
