package playout

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/guard"
)

// Defaults of Options.
const (
	DefaultLead  = 5 * time.Second
	DefaultTail  = 100 * time.Millisecond
	DefaultStall = 5 * time.Second
)

const (
	frameSamples = audio.VoiceFrame
	sampleRate   = audio.VoiceRate
	// fadeSamples is 10 ms: long enough to hide a click, short enough not to be heard as a fade.
	fadeSamples = sampleRate / 100
)

// duckGain is −15 dB.
var duckGain = audio.Decibels(-15)

// writerLimit bounds how long Cancel waits for a writer that blocks, against its contract.
const writerLimit = 100 * time.Millisecond

var (
	// ErrStale is returned by Open for a generation that is not newer than all opened or cancelled before.
	ErrStale = errors.New("utterance generation is not newer than the last")
	// ErrClosed is returned by Open after Close.
	ErrClosed = errors.New("playout gate is closed")
)

// Options configures a Gate. Writer and Encoder are required.
type Options struct {
	Writer  FrameWriter
	Encoder Encoder
	// Handle receives the gate's events, in order, from the gate's goroutine and outside its locks. It must not block and
	// must not call Open, Cancel or Close. Nil means that nobody listens.
	Handle func(Event)
	// Lead is how much sound may wait in front of the track before Write blocks; default 5 s. It bounds the memory of the
	// gate: 48 bytes for each ms, rounded up to a power of two.
	Lead time.Duration
	// Tail is how long silence is sent after speech before the track falls silent; default 100 ms, negative for none.
	Tail time.Duration
	// Stall is how long an utterance may stay without audio before Stalled is reported; default 5 s.
	Stall time.Duration
	// Guard is the interview's; nil: a panic in the gate's goroutine, or in Handle, ends the process.
	Guard *guard.Guard
	// Logger is optional.
	Logger *zap.Logger
}

func (o *Options) setDefaults() error {
	if o.Writer == nil || o.Encoder == nil {
		return errors.New("playout needs a frame writer and an encoder")
	}
	if o.Lead < 0 || o.Lead > 0 && o.Lead < frameTime || o.Stall < 0 {
		return fmt.Errorf("playout lead (%v) must be at least a frame of %v, and stall (%v) not negative", o.Lead, frameTime, o.Stall)
	}
	if o.Lead == 0 {
		o.Lead = DefaultLead
	}
	if o.Tail == 0 {
		o.Tail = DefaultTail
	}
	if o.Stall == 0 {
		o.Stall = DefaultStall
	}
	if o.Handle == nil {
		o.Handle = func(Event) {}
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return nil
}

// Gate is the one way to a track. Make it with New; Close releases its goroutine.
type Gate struct {
	opts   Options
	lead   int           // samples that may wait in queue
	wakeup chan struct{} // capacity 1; anyone sends, run receives
	quit   chan struct{} // closed by Close
	done   chan struct{} // closed by run
	once   sync.Once

	mu       sync.Mutex // guards the fields up to the next blank line; never held over Encode, WriteFrame or Handle
	current  *Utterance
	last     *Utterance   // the one that left the track last; Cancel waits for it
	ending   []*Utterance // off the track, not yet reported, oldest first
	newest   uint64       // highest generation opened or cancelled
	released uint64       // highest generation released
	closed   bool
	queue    *audio.Ring
	level    *audio.Gain
	ducked   bool
	pausing  bool // the next frame fades out and pauses
	paused   bool
	hurry    bool // send a frame before its time
	fade     [fadeSamples]int16
	fading   int // samples of fade still to be sent for ending
	heard    int64
	heardGen uint64
	stats    Stats

	track track // belongs to run
}

// New returns a running gate. It fails when the options lack something or the encoder refuses a silent frame.
func New(o Options) (*Gate, error) {
	g, err := newGate(o)
	if err != nil {
		return nil, err
	}
	o.Guard.Start("playout", g.run)
	return g, nil
}

// newGate returns a gate whose goroutine is not started, for tests that drive step themselves.
func newGate(o Options) (*Gate, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	t, err := newTrack(o)
	if err != nil {
		return nil, err
	}
	lead := samplesIn(o.Lead)
	queue, err := audio.NewRing(1 << bits.Len(uint(lead-1)))
	if err != nil {
		return nil, fmt.Errorf("make room for a lead of %v: %w", o.Lead, err)
	}
	return &Gate{
		opts:   o,
		lead:   lead,
		wakeup: make(chan struct{}, 1),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
		queue:  queue,
		level:  audio.NewGain(),
		track:  t,
	}, nil
}

// Open starts an utterance and cancels the one before it. The generation must be higher than any opened or cancelled so
// far, else ErrStale. A pause or duck of the utterance before does not carry over.
func (g *Gate) Open(generation uint64) (*Utterance, error) { return g.open(generation, false) }

// OpenHeld is Open for an utterance prepared on speculation: it takes audio, but nothing is heard before Release.
func (g *Gate) OpenHeld(generation uint64) (*Utterance, error) { return g.open(generation, true) }

func (g *Gate) open(generation uint64, held bool) (*Utterance, error) {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil, ErrClosed
	}
	if generation <= g.newest {
		g.mu.Unlock()
		return nil, fmt.Errorf("%w: %d after %d", ErrStale, generation, g.newest)
	}
	g.newest = generation
	g.cutLocked(ReasonSuperseded)
	last := g.last
	u := newUtterance(g, generation, held && generation > g.released)
	g.current = u
	g.paused, g.pausing, g.ducked = false, false, false
	g.level.Set(1, 0)
	g.mu.Unlock()
	g.settled(last)
	return u, nil
}

// Release lets a held utterance of this generation be heard; where it is not open yet, it will not be held. It does nothing
// to one that is over.
func (g *Gate) Release(generation uint64) {
	g.mu.Lock()
	g.released = max(g.released, generation)
	if g.current != nil && g.current.generation == generation {
		g.current.held = false
	}
	g.mu.Unlock()
	g.wake()
}

// Cancel drops everything of this generation and older ones: what waits is thrown away, what is being heard fades out within
// 10 ms. After it returns no frame of these generations is handed to the track and none of them can be opened. It waits for
// the frame in work, at most 100 ms should the writer block.
func (g *Gate) Cancel(generation uint64) {
	g.mu.Lock()
	g.newest = max(g.newest, generation)
	if g.current != nil && g.current.generation <= generation {
		g.cutLocked(ReasonCancelled)
	}
	last := g.last
	g.mu.Unlock()
	g.settled(last)
}

// cutLocked takes the current utterance off the track; run sends its fade and reports its end.
func (g *Gate) cutLocked(r Reason) {
	u := g.current
	if u == nil {
		return
	}
	if u.started && !g.paused {
		g.fading = g.queue.Read(g.fade[:])
		out := *g.level
		out.Set(0, fadeSamples)
		out.Apply(g.fade[:g.fading])
	}
	g.stats.Dropped += uint64(g.queue.Len())
	g.queue.Reset()
	g.retireLocked(r)
}

// retireLocked marks the current utterance as over.
func (g *Gate) retireLocked(r Reason) {
	u := g.current
	u.end.Reason, u.end.Complete = r, r == ReasonFinished
	g.current, g.last = nil, u
	g.ending = append(g.ending, u)
	close(u.stale)
}

// settled waits until run has dealt with u and so with all that ended before it.
func (g *Gate) settled(u *Utterance) {
	g.wake()
	if u == nil {
		return
	}
	limit := time.NewTimer(writerLimit)
	defer limit.Stop()
	select {
	case <-u.done:
	case <-g.done:
	case <-limit.C:
		g.mu.Lock()
		g.fading = 0
		g.mu.Unlock()
		g.opts.Logger.Warn("playout.writer_blocked", zap.Uint64("generation", u.generation))
	}
}

// Pause holds the voice where it is, fading out within 10 ms and at once rather than at the next frame. Writers may go on
// until the lead is full. An utterance that has not started stays silent until Resume. Pausing ends a duck.
func (g *Gate) Pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.paused || g.pausing || g.current == nil {
		return
	}
	g.ducked = false
	if g.current.started {
		g.pausing, g.hurry = true, true
		g.wake()
		return
	}
	g.paused = true
}

// Resume goes on from the sample after the last one handed to the track, fading in over 10 ms.
func (g *Gate) Resume() {
	g.mu.Lock()
	if g.paused {
		g.fadeInLocked()
	}
	g.paused, g.pausing = false, false
	g.mu.Unlock()
	g.wake()
}

// Duck lowers the voice by 15 dB, or brings it back, over 20 ms.
func (g *Gate) Duck(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ducked = on
	g.level.Set(g.gainLocked(), frameSamples)
}

// fadeInLocked lets the voice rise from silence to the gain in force.
func (g *Gate) fadeInLocked() {
	g.level.Set(0, 0)
	g.level.Set(g.gainLocked(), fadeSamples)
}

func (g *Gate) gainLocked() float32 {
	if g.ducked {
		return duckGain
	}
	return 1
}

// Position returns the generation heard last and how many of its samples, at 24 kHz, the track has accepted.
func (g *Gate) Position() (generation uint64, samples int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.heardGen, g.heard
}

// Stats returns the counters so far.
func (g *Gate) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stats
}

// Close cancels what is being heard, reports its end and waits for the gate's goroutine. It does not close the writer or the
// encoder.
func (g *Gate) Close() {
	g.once.Do(func() {
		g.mu.Lock()
		g.closed = true
		g.mu.Unlock()
		close(g.quit)
	})
	<-g.done
}

func (g *Gate) wake() {
	select {
	case g.wakeup <- struct{}{}:
	default:
	}
}

func samplesIn(d time.Duration) int { return int(d * sampleRate / time.Second) }
