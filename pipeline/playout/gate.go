package playout

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/guard"
)

// DefaultLead is that of Options.
const DefaultLead = 5 * time.Second

const (
	frameSamples = audio.VoiceFrame
	sampleRate   = audio.VoiceRate
	// fadeSamples is 10 ms: long enough to hide a click, short enough not to be heard as a fade.
	fadeSamples = sampleRate / 100
	// tailFrames is how much silence is sent after speech before the track falls silent: 100 ms.
	tailFrames = 5
	// stall is how long an utterance that has started may stay without audio before that is logged.
	stall = 5 * time.Second
)

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
	// Started is called when the first frame of an utterance was handed to the track, by the gate's goroutine and outside its
	// locks. It must not block and must not call Open, Cancel or Close. Nil means that nobody listens.
	Started func(generation uint64)
	// Lead is how much sound may wait in front of the track before Write blocks; default 5 s. It bounds the memory of the
	// gate: 48 bytes for each ms.
	Lead time.Duration
	// Guard is the interview's; nil: a panic in the gate's goroutine, or in Started, ends the process.
	Guard *guard.Guard
	// Logger is optional.
	Logger *zap.Logger
}

func (o *Options) setDefaults() error {
	if o.Writer == nil || o.Encoder == nil {
		return errors.New("playout needs a frame writer and an encoder")
	}
	o.Lead = cmp.Or(o.Lead, DefaultLead)
	if o.Lead < frameTime {
		return fmt.Errorf("playout lead (%v) must be at least a frame of %v", o.Lead, frameTime)
	}
	if o.Started == nil {
		o.Started = func(uint64) {}
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return nil
}

// Gate is the one way to a track. Make it with New; Close releases its goroutine.
type Gate struct {
	opts   Options
	wakeup chan struct{} // capacity 1; anyone sends, run receives
	quit   chan struct{} // closed by Close
	done   chan struct{} // closed by run
	once   sync.Once

	mu       sync.Mutex // guards the fields up to the next blank line; never held over Encode, WriteFrame or Started
	current  *Utterance
	last     *Utterance   // the one that left the track last; Cancel waits for it
	ending   []*Utterance // off the track, not yet over, oldest first
	newest   uint64       // highest generation opened or cancelled
	released uint64       // highest generation released
	closed   bool
	queue    *audio.Ring
	level    *audio.Gain
	veil     veil
	pausing  bool // the next frame fades out and pauses
	paused   bool
	hurry    bool // send a frame before its time
	fade     [fadeSamples]int16
	fading   int     // samples of fade still to be sent for ending
	signal   []int16 // what is left of the listening signal
	sounding bool    // some of it was sent
	dropped  uint64

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
	return &Gate{
		opts:   o,
		wakeup: make(chan struct{}, 1),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
		queue:  audio.NewRewindRing(samplesIn(o.Lead), samplesIn(memory)),
		level:  audio.NewGain(),
		track:  t,
	}, nil
}

// Open starts an utterance and cancels the one before it. The generation must be higher than any opened or cancelled so
// far, else ErrStale. A pause or duck of the utterance before does not carry over. One that is held, prepared on speculation, takes
// audio, but nothing is heard before Release.
func (g *Gate) Open(generation uint64, held bool) (*Utterance, error) {
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
	g.cutLocked(nil)
	last := g.last
	u := newUtterance(g, generation, held && generation > g.released)
	g.current = u
	g.paused, g.pausing, g.veil = false, false, veil{}
	g.queue.Reset()
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
		g.cutLocked(nil)
	}
	last := g.last
	g.mu.Unlock()
	g.settled(last)
}

// cutLocked takes the current utterance off the track; run sends its fade and ends it. err is what forced it, if anything did.
func (g *Gate) cutLocked(err error) {
	u := g.current
	if u == nil {
		return
	}
	if u.started && !g.paused && !g.veil.drawn {
		g.fading = g.queue.Read(g.fade[:])
		u.read += int64(g.fading)
		out := *g.level
		out.Set(0, fadeSamples)
		out.Apply(g.fade[:g.fading])
	}
	g.dropped += uint64(g.queue.Len())
	g.queue.Reset()
	u.end.Err = err
	g.retireLocked()
}

// retireLocked marks the current utterance as over.
func (g *Gate) retireLocked() {
	u := g.current
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

// Pause holds the voice where it is, fading out within 10 ms and at once rather than at the next frame; a ducked voice is held where it
// was lowered. Writers may go on until the lead is full. An utterance that has not started stays silent until Resume. Pausing ends a duck.
func (g *Gate) Pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.current
	if g.paused || g.pausing || u == nil {
		return
	}
	masked := g.veil.drawn && u.started
	g.liftLocked(0)
	if u.started && !masked {
		g.pausing, g.hurry = true, true
		g.wake()
		return
	}
	g.paused = true
}

// Resume goes on from the start of the clause that was broken off, or from where it was where that is too far back, fading in over 10 ms.
func (g *Gate) Resume() {
	g.mu.Lock()
	if g.paused {
		g.repeatLocked()
		g.fadeInLocked()
	}
	g.paused, g.pausing = false, false
	g.mu.Unlock()
	g.wake()
}

// fadeInLocked lets the voice rise from silence to the gain in force.
func (g *Gate) fadeInLocked() {
	g.level.Set(0, 0)
	g.level.Set(g.veil.gain(), fadeSamples)
}

// Dropped is the number of samples at 24 kHz thrown away by cancelling.
func (g *Gate) Dropped() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dropped
}

// Close cancels what is being heard, ends it and waits for the gate's goroutine. It does not close the writer or the
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
