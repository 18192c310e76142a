package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
)

// Defaults of Options, and the size of what is kept.
const (
	DefaultLimit    = 3 * time.Hour
	DefaultMaxBytes = 128 << 20

	// bitrate of both sides together, in bit/s.
	bitrate = 48_000
	// complexity of the encoder, in its mode for all kinds of sound: that for speech costs twice as much and mixes the sides.
	complexity = 1
	// queueLen bounds the frames between the sound and the file: five seconds of both sides, 0.5 MB.
	queueLen = 512
	// lag is how far the file is behind the talk, so that late packets find their place.
	lag = time.Second
	// writeEvery is how often the goroutine works.
	writeEvery = 200 * time.Millisecond
	// progressEvery is how often Progress is called.
	progressEvery = 30 * time.Second
	// pagePackets is how many packets, of 20 ms each, a page has at most.
	pagePackets = 50
	// settled is how many silent frames are encoded before the last packet is used for the rest of a silence.
	settled = 25
	// preSkip is the delay of the encoder at 24 kHz, 6.5 ms, in samples at 48 kHz.
	preSkip = 312
	// granulesPerFrame is 20 ms at 48 kHz.
	granulesPerFrame = 960
	// largestPacket is more than one of 20 ms in stereo can have.
	largestPacket = 2*1275 + 2
)

// Reasons why a recording ended.
var (
	ErrLimit     = errors.New("the recording has reached its limit")
	ErrDiscarded = errors.New("the recording was discarded")
)

// Sink is the file. The recorder closes it. A sink with Truncate(int64) error is cut to its last whole page when a write fails.
type Sink interface {
	io.Writer
	io.Closer
}

// Options configure a Recorder. Open is required.
type Options struct {
	// Open makes the file. It is called once, by the recorder's goroutine; ctx ends with Discard. Sound is kept meanwhile. A
	// Resumable that holds a recording of the same talk is gone on with; what lies between is silent.
	Open func(ctx context.Context) (Sink, error)
	// Offset is the time of the talk at which it is started.
	Offset time.Duration
	// Limit and MaxBytes end the recording, which stays; 0 means DefaultLimit and DefaultMaxBytes.
	Limit    time.Duration
	MaxBytes int64
	// Progress, if set, is called by the recorder's goroutine every half a minute. An error ends the recording.
	Progress func(context.Context, Stats) error
	// Ended, if set, is called once, by the recorder's goroutine, when it ends by itself: the file could not be made or
	// written, or a limit was reached.
	Ended  func(error)
	Logger *zap.Logger // nil discards
}

func (o *Options) complete() error {
	if o.Open == nil {
		return errors.New("a recorder needs a file")
	}
	if o.Limit < 0 || o.MaxBytes < 0 || o.Offset < 0 {
		return fmt.Errorf("limits and offset of a recording must not be negative: %v, %d bytes, %v", o.Limit, o.MaxBytes, o.Offset)
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Ended == nil {
		o.Ended = func(error) {}
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return nil
}

// Stats tell what was kept.
type Stats struct {
	Offset   time.Duration // of the file's first sample, on the clock of the talk
	Duration time.Duration // of the file
	Bytes    int64         // of the file
	Dropped  uint64        // frames that found the queue full
	Late     time.Duration // sound that came after its time was written
}

// The sides of the file.
const (
	left = iota
	right
)

// frame is a piece of sound on its way to the file.
type frame struct {
	side     int
	n        int   // samples in pcm
	position int64 // of the candidate's: on the clock of the track, in samples
	at       time.Duration
	pcm      [frameLen]int16
}

// Recorder writes one file. Start makes it; Close or Discard ends it.
type Recorder struct {
	o       Options
	began   time.Time
	queue   chan frame
	open    atomic.Bool // frames are taken
	dropped atomic.Uint64
	cancel  context.CancelCauseFunc
	closing chan struct{} // closed by Close
	once    sync.Once
	done    chan struct{} // closed by run

	mu    sync.Mutex
	stats Stats // guarded by mu
}

// Start begins a recording at this moment. ctx gives values only, the guard among them: the recording outlives it, and ends with Close or Discard.
func Start(ctx context.Context, o Options) (*Recorder, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	w, err := newWriter(o.Offset)
	if err != nil {
		return nil, fmt.Errorf("prepare a recording: %w", err)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &Recorder{
		o: o, began: time.Now(), queue: make(chan frame, queueLen), cancel: cancel,
		closing: make(chan struct{}), done: make(chan struct{}),
	}
	r.stats.Offset = o.Offset
	r.open.Store(true)
	g := guard.From(ctx)
	g.Start("record", func() { r.run(ctx, g, w) })
	return r, nil
}

// Candidate takes samples of the candidate at 16 kHz, at most 20 ms, that have just been heard. position is that of the
// first on the clock of the track they come from; where it leaps, something was lost.
func (r *Recorder) Candidate(pcm []int16, position int64) { r.push(left, pcm, position) }

// Interviewer takes samples of the interviewer at 24 kHz, at most 20 ms, that are being sent.
func (r *Recorder) Interviewer(pcm []int16) { r.push(right, pcm, 0) }

func (r *Recorder) push(side int, pcm []int16, position int64) {
	if !r.open.Load() {
		return
	}
	f := frame{side: side, position: position, at: time.Since(r.began)}
	f.n = copy(f.pcm[:], pcm)
	select {
	case r.queue <- f:
	default:
		r.dropped.Add(1)
	}
}

// Stats returns what is in the file so far.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Dropped = r.dropped.Load()
	return s
}

// Close writes what is still to be written, ends the file and waits for that, as long as ctx allows. It may be called more
// than once, and after Discard.
func (r *Recorder) Close(ctx context.Context) (Stats, error) {
	r.open.Store(false)
	r.once.Do(func() { close(r.closing) })
	select {
	case <-r.done:
		return r.Stats(), nil
	case <-ctx.Done():
		return r.Stats(), fmt.Errorf("end a recording: %w", context.Cause(ctx))
	}
}

// Discard writes nothing more and waits until the file is closed, as long as ctx allows. What is in it is the caller's to delete.
func (r *Recorder) Discard(ctx context.Context) error {
	r.open.Store(false)
	r.cancel(ErrDiscarded)
	_, err := r.Close(ctx)
	return err
}

// run is the recorder's goroutine. A panic ends the recording, as a full disk does.
func (r *Recorder) run(ctx context.Context, g *guard.Guard, w *writer) {
	defer close(r.done)
	defer r.cancel(nil)
	err := g.Try("record", func() error { return r.write(ctx, w) })
	r.open.Store(false)
	switch {
	case err == nil, errors.Is(context.Cause(ctx), ErrDiscarded):
	default:
		r.o.Logger.Warn("recording.ended", zap.Error(err))
		r.o.Ended(err)
	}
}

func (r *Recorder) write(ctx context.Context, w *writer) (err error) {
	sink, err := r.o.Open(ctx)
	if err != nil {
		return fmt.Errorf("make the file of a recording: %w", err)
	}
	defer func() { err = errors.Join(err, r.closeSink(sink, w, err)) }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := w.begin(sink); err != nil {
		return fmt.Errorf("begin a recording: %w", err)
	}
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	told := time.Now()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.closing:
			return r.finish(ctx, w)
		case <-tick.C:
		}
		if err := r.advance(ctx, w, time.Since(r.began)-lag); err != nil {
			return err
		}
		if r.o.Progress != nil && time.Since(told) >= progressEvery {
			told = time.Now()
			if err := r.o.Progress(ctx, r.Stats()); err != nil {
				return fmt.Errorf("keep a recording: %w", err)
			}
		}
	}
}

// advance puts the frames that have come into their places, and writes what lies before the given time.
func (r *Recorder) advance(ctx context.Context, w *writer, to time.Duration) error {
	defer r.note(w)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case f := <-r.queue:
			if err := r.writeTo(w, f.at-lag); err != nil { // after a pause of ours the queue is longer than a lane
				return err
			}
			w.take(&f)
			continue
		default:
		}
		return r.writeTo(w, to)
	}
}

// writeTo writes to a time, and ends the file where a limit is reached.
func (r *Recorder) writeTo(w *writer, to time.Duration) error {
	to += w.shift
	if err := w.writeTo(index(min(to, r.o.Limit))); err != nil {
		return fmt.Errorf("write a recording: %w", err)
	}
	if to < r.o.Limit && w.stream.written < r.o.MaxBytes {
		return nil
	}
	if err := w.end(); err != nil {
		return fmt.Errorf("end a recording: %w", err)
	}
	return ErrLimit
}

// finish writes all that has come until now.
func (r *Recorder) finish(ctx context.Context, w *writer) error {
	if err := r.advance(ctx, w, time.Since(r.began)); err != nil {
		return err
	}
	defer r.note(w)
	if err := w.end(); err != nil {
		return fmt.Errorf("end a recording: %w", err)
	}
	return nil
}

func (r *Recorder) note(w *writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Offset = w.offset
	r.stats.Duration, r.stats.Bytes, r.stats.Late = duration(w.time.done), w.stream.written, duration(w.time.lost)
}

// closeSink closes the file. After a write that failed it is cut to its last whole page.
func (r *Recorder) closeSink(sink Sink, w *writer, failed error) error {
	if cut, can := sink.(interface{ Truncate(size int64) error }); can && failed != nil && w.stream != nil {
		if err := cut.Truncate(w.stream.written); err != nil {
			r.o.Logger.Debug("recording.truncate", zap.Error(err))
		}
	}
	if err := sink.Close(); err != nil {
		return fmt.Errorf("close a recording: %w", err)
	}
	return nil
}
