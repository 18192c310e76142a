package stt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
)

const (
	// tapeSamples is the audio kept for a replay: 15 s, 480 kB.
	tapeSamples = 15 * SampleRate
	// openLimit bounds the opening of a replacement.
	openLimit = 5 * time.Second
	// defaultAnswer is above the slowest p99 published for a streaming recogniser (1.9 s) with room for its variance.
	defaultAnswer = 3 * time.Second
)

// WatchOptions configures NewWatched.
type WatchOptions struct {
	// Name is used in errors and logs; empty means "stt".
	Name string
	// Answer is how long after the end of speech, or after the last event if that is later, the outcome may take. 0 means 3 s.
	// It must be below the engine's own limit to have any effect.
	Answer time.Duration
	// Quiet is how long speech may go on without any event. 0 means that the engine sends none before the end of speech.
	Quiet time.Duration
	// Logger hears of replacements; nil means none.
	Logger *zap.Logger
}

// Watched is a recognizer with a watchdog: a stream that has gone dumb, or lost a segment in a way that may pass, is replaced,
// and the audio of the unanswered segments is replayed to the new one. A segment fails only when that fails too. Of a segment
// longer than 15 s the newest 15 s are replayed, after the text that was understood before.
type Watched struct {
	engine  Recognizer
	options WatchOptions
}

var _ Recognizer = (*Watched)(nil)

// NewWatched puts a watchdog on an engine.
func NewWatched(engine Recognizer, o WatchOptions) *Watched {
	if o.Name == "" {
		o.Name = "stt"
	}
	if o.Answer == 0 {
		o.Answer = defaultAnswer
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return &Watched{engine: engine, options: o}
}

// Open opens the first stream of the engine, and fails if that does.
func (w *Watched) Open(ctx context.Context, o Options) (Stream, error) {
	if o.Handle == nil {
		return nil, errNoHandle
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &watchedStream{
		engine: w, language: o.Language, handle: o.Handle, cancel: cancel,
		wake: make(chan struct{}, 1), tape: audio.NewTape(tapeSamples), guard: guard.From(ctx),
		dog: watchdog{answer: w.options.Answer, quiet: w.options.Quiet},
	}
	first, err := s.open(ctx, 0)
	if err != nil {
		cancel()
		return nil, err
	}
	s.current = first
	s.guard.Go(&s.done, "stt", func() { s.run(ctx) })
	return s, nil
}

// watchedStream is one session's. The caller's goroutine writes; the engine's goroutines leave their events with the segments;
// the stream's own goroutine delivers them, judges, and replaces. feed is taken before mu.
type watchedStream struct {
	engine   *Watched
	language string
	handle   func(Event)
	cancel   context.CancelFunc
	wake     chan struct{} // capacity 1
	done     sync.WaitGroup
	guard    *guard.Guard // the interview's; may be nil

	feed    sync.Mutex  // orders the calls into the engine's stream, none of which blocks
	current *engaged    // guarded by feed; nil while there is none
	tape    *audio.Tape // guarded by feed
	written int64       // guarded by feed and mu for writing, by either for reading: samples

	mu         sync.Mutex
	dog        watchdog  // guarded by mu
	generation int       // guarded by mu: of the current stream
	orphan     bool      // guarded by mu: there is none
	pending    []*spoken // guarded by mu: unanswered segments, oldest first
	last       uint64    // guarded by mu: highest segment
	begun      bool      // guarded by mu
}

func (s *watchedStream) Write(frame []int16) {
	s.feed.Lock()
	defer s.feed.Unlock()
	s.tape.Add(frame)
	s.mu.Lock()
	s.written += int64(len(frame))
	s.mu.Unlock()
	if s.current != nil {
		s.current.Write(frame)
	}
}

func (s *watchedStream) SpeechStarted(segment uint64, prefix int) {
	s.feed.Lock()
	defer s.feed.Unlock()
	if !s.begin(segment, prefix) {
		return
	}
	if s.current != nil {
		s.current.SpeechStarted(segment, prefix)
	}
	signal(s.wake)
}

// begin notes a segment, and ends an open one. It reports whether it is a new one.
func (s *watchedStream) begin(segment uint64, prefix int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if open := s.openLocked(); open != nil {
		if open.segment == segment {
			return false
		}
		open.finish(now, s.written)
	}
	kept := min(int64(max(prefix, 0)), PreRoll, s.written)
	s.pending = append(s.pending, &spoken{segment: segment, from: s.written - kept, started: now})
	s.last, s.begun = segment, true
	return true
}

func (s *watchedStream) SpeechPaused(segment uint64) {
	s.feed.Lock()
	defer s.feed.Unlock()
	if s.current != nil {
		Paused(s.current.Stream, segment)
	}
}

func (s *watchedStream) SpeechEnded(segment uint64) {
	s.feed.Lock()
	defer s.feed.Unlock()
	if !s.end(segment) {
		return
	}
	if s.current != nil {
		s.current.SpeechEnded(segment)
	}
	signal(s.wake)
}

// end notes the end of a segment, and reports whether that is news.
func (s *watchedStream) end(segment uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.openLocked(); open != nil && open.segment == segment {
		open.finish(time.Now(), s.written)
		return true
	}
	if s.begun && segment <= s.last {
		return false // answered already, or about to be
	}
	stray := &spoken{segment: segment, from: s.written, started: time.Now(), outcome: Final{Segment: segment}}
	stray.finish(stray.started, s.written)
	s.pending = append(s.pending, stray)
	return true
}

// openLocked gives the segment being spoken.
func (s *watchedStream) openLocked() *spoken {
	for _, k := range s.pending {
		if k.ended.IsZero() {
			return k
		}
	}
	return nil
}

// Close stops the stream, and those that were replaced.
func (s *watchedStream) Close() error {
	s.cancel()
	s.feed.Lock()
	current := s.current
	s.feed.Unlock()
	var err error
	if current != nil {
		err = current.Close()
	}
	s.done.Wait()
	s.feed.Lock()
	late := s.current // a replacement that was being opened
	s.feed.Unlock()
	if late != nil && late != current {
		err = errors.Join(err, late.Close())
	}
	return err
}

// handler takes the events of one generation of streams; those of an older one are dropped.
func (s *watchedStream) handler(generation int) func(Event) {
	return func(e Event) {
		s.mu.Lock()
		if s.generation == generation {
			s.noteLocked(e)
		}
		s.mu.Unlock()
		signal(s.wake)
	}
}

func (s *watchedStream) noteLocked(e Event) {
	_, partial := e.(Partial)
	s.dog.heard(time.Now(), partial)
	for _, k := range s.pending {
		if k.segment == segmentOf(e) && k.outcome == nil {
			k.take(e, s.written)
		}
	}
}

// run is the stream's goroutine.
func (s *watchedStream) run(ctx context.Context) {
	timer := time.NewTimer(s.engine.options.Answer)
	defer timer.Stop()
	for ctx.Err() == nil {
		if event := s.next(); event != nil {
			s.handle(event)
			continue
		}
		left, acted := s.act(ctx)
		if acted {
			continue
		}
		var due <-chan time.Time
		if left > 0 {
			timer.Reset(left)
			due = timer.C
		}
		select {
		case <-s.wake:
		case <-due:
		case <-ctx.Done():
		}
	}
}

// next gives what can be delivered now: a partial of the oldest segment, or its outcome, with which it is forgotten.
func (s *watchedStream) next() Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 {
		return nil
	}
	k := s.pending[0]
	if k.partial != "" {
		p := Partial{Segment: k.segment, Text: k.partial}
		k.told, k.partial = k.partial, ""
		return p
	}
	if k.outcome == nil || k.ended.IsZero() {
		return nil
	}
	s.pending[0] = nil
	s.pending = s.pending[1:]
	return k.outcome
}

// act does what the watchdog says; if that is to wait, it gives the time for that, or 0 for no limit.
func (s *watchedStream) act(ctx context.Context) (left time.Duration, acted bool) {
	s.mu.Lock()
	k, verdict, left := s.judgeLocked()
	quiet := k != nil && k.ended.IsZero() && !k.failed && !s.orphan
	s.mu.Unlock()
	switch verdict {
	case replace:
		s.replace(ctx, k, quiet)
	case giveUp:
		s.giveUp(k)
	default:
		return left, false
	}
	return 0, true
}

// judgeLocked finds the oldest segment without an outcome and asks the watchdog about it.
func (s *watchedStream) judgeLocked() (*spoken, verdict, time.Duration) {
	for _, k := range s.pending {
		if k.outcome != nil {
			continue
		}
		verdict, left := s.dog.judge(watch{
			started: k.started, ended: k.ended, blamed: k.blamed, failed: k.failed, orphan: s.orphan,
		}, time.Now())
		return k, verdict, left
	}
	return nil, wait, 0
}

// giveUp makes a failure of a segment. A stream that did not even say that it failed is not used for the next one.
func (s *watchedStream) giveUp(k *spoken) {
	s.mu.Lock()
	err, mute := k.failure, !k.failed
	s.mu.Unlock()
	if mute {
		err = errors.Join(err, &fault.Error{
			Op: "transcribe", Provider: s.engine.options.Name, Kind: fault.Timeout,
			Err:  fmt.Errorf("no answer for %v on a second connection either", s.engine.options.Answer),
			Hint: "check the network to the provider, and the provider's status page",
		})
		s.retire()
	}
	s.engine.options.Logger.Warn("stt.given_up",
		zap.String("engine", s.engine.options.Name), zap.Uint64("segment", k.segment), zap.Error(err))
	s.mu.Lock()
	k.settle(Failed{Segment: k.segment, Err: err})
	s.mu.Unlock()
}
