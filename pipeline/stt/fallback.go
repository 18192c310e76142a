package stt

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
)

// noEngine marks a segment that no engine was asked about.
const noEngine = -1

// Fallback is a chain of recognizers. Each segment goes live to the first engine that is well; if that one fails it, the
// segment's audio, kept for that, is given to the next engine. An engine that failed is left alone for a while (see
// fault.Cooldown). Finals keep the order of the segments.
type Fallback struct {
	engines  []Recognizer
	cooldown *fault.Cooldown
}

var _ Recognizer = (*Fallback)(nil)

// NewFallback makes a chain of at least one engine, in order of preference. A cooldown of 0 means fault.DefaultCooldown.
func NewFallback(cooldown time.Duration, engines ...Recognizer) *Fallback {
	return &Fallback{engines: engines, cooldown: fault.NewCooldown(len(engines), cooldown)}
}

// Open opens a stream on every engine. It fails only if none can be opened.
func (f *Fallback) Open(ctx context.Context, o Options) (Stream, error) {
	if o.Handle == nil {
		return nil, errNoHandle
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &fallbackStream{
		chain: f, language: o.Language, handle: o.Handle, cancel: cancel,
		streams: make([]Stream, len(f.engines)), ready: make(chan struct{}, 1), before: audio.NewTape(PreRoll),
	}
	if err := s.openAll(ctx); err != nil {
		cancel()
		return nil, err
	}
	guard.From(ctx).Go(&s.done, "stt", func() { s.deliver(ctx) })
	return s, nil
}

// fallbackStream passes audio to one engine at a time. The caller's goroutine writes; the engines' goroutines leave their
// events with the kept segments; the stream's own goroutine delivers them in order and replays what failed.
type fallbackStream struct {
	chain    *Fallback
	language string
	handle   func(Event)
	cancel   context.CancelFunc
	streams  []Stream // nil where opening failed
	ready    chan struct{}
	done     sync.WaitGroup

	before *audio.Tape // writer's
	active int         // writer's: the engine that hears the audio

	mu      sync.Mutex
	open    *kept   // guarded by mu: the segment being spoken
	pending []*kept // guarded by mu: unanswered segments, oldest first
	last    uint64  // guarded by mu: highest segment started
	begun   bool    // guarded by mu
	spare   []int16 // guarded by mu: a buffer for the next segment
}

// kept is a segment that has no answer yet.
type kept struct {
	segment uint64
	engine  int
	pcm     []int16
	partial string // not yet delivered
	outcome Event
	ended   bool
}

func (s *fallbackStream) openAll(ctx context.Context) error {
	var errs []error
	s.active = -1
	for i, engine := range s.chain.engines {
		stream, err := engine.Open(ctx, Options{Language: s.language, Handle: func(e Event) { s.note(i, e) }})
		if err != nil {
			s.chain.cooldown.Failed(i, err)
			errs = append(errs, err)
			continue
		}
		s.streams[i] = stream
		if s.active < 0 {
			s.active = i
		}
	}
	if s.active < 0 {
		return errors.Join(errs...)
	}
	return nil
}

func (s *fallbackStream) Write(frame []int16) {
	s.before.Add(frame)
	s.mu.Lock()
	if s.open != nil {
		s.open.keep(frame)
	}
	s.mu.Unlock()
	s.streams[s.active].Write(frame)
}

func (s *fallbackStream) SpeechStarted(segment uint64, prefix int) {
	if old, ok := s.openSegment(); ok {
		if old == segment {
			return
		}
		s.SpeechEnded(old)
	}
	older, newer := s.before.Last(prefix)
	s.choose()
	s.mu.Lock()
	k := &kept{segment: segment, engine: s.active, pcm: s.spare[:0]}
	s.spare = nil
	k.keep(older)
	k.keep(newer)
	s.open, s.last, s.begun = k, segment, true
	s.pending = append(s.pending, k)
	s.mu.Unlock()
	s.streams[s.active].SpeechStarted(segment, prefix)
}

func (s *fallbackStream) openSegment() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return 0, false
	}
	return s.open.segment, true
}

// choose makes the first engine that is well the active one, and gives a new one the pre-roll.
func (s *fallbackStream) choose() {
	for _, i := range s.chain.cooldown.Order() {
		if s.streams[i] == nil {
			continue
		}
		if i != s.active {
			older, newer := s.before.Last(PreRoll)
			s.streams[i].Write(older)
			s.streams[i].Write(newer)
			s.active = i
		}
		return
	}
}

func (s *fallbackStream) SpeechPaused(segment uint64) {
	s.mu.Lock()
	k := s.open
	s.mu.Unlock()
	if k != nil && k.segment == segment {
		Paused(s.streams[k.engine], segment)
	}
}

func (s *fallbackStream) SpeechEnded(segment uint64) {
	s.mu.Lock()
	k := s.open
	current := k != nil && k.segment == segment
	switch {
	case current:
		k.ended = true
		s.open = nil
	case !s.begun || segment > s.last: // ended without a start
		s.pending = append(s.pending, &kept{
			segment: segment, engine: noEngine, outcome: Final{Segment: segment}, ended: true,
		})
	}
	s.mu.Unlock()
	signal(s.ready)
	if current {
		s.streams[k.engine].SpeechEnded(segment)
	}
}

func (s *fallbackStream) Close() error {
	s.cancel()
	var errs []error
	for _, stream := range s.streams {
		if stream != nil {
			errs = append(errs, stream.Close())
		}
	}
	s.done.Wait()
	return errors.Join(errs...)
}

// note takes an event from engine i.
func (s *fallbackStream) note(i int, e Event) {
	s.mu.Lock()
	for _, k := range s.pending {
		if k.engine == i && k.segment == segmentOf(e) && k.outcome == nil {
			k.take(e)
		}
	}
	s.mu.Unlock()
	signal(s.ready)
}

func (k *kept) take(e Event) {
	if p, ok := e.(Partial); ok {
		k.partial = p.Text
		return
	}
	k.partial, k.outcome = "", e
}

// keep appends pcm, up to the longest segment that can be replayed.
func (k *kept) keep(pcm []int16) {
	if len(k.pcm) < replayLimit {
		k.pcm = append(k.pcm, pcm...)
	}
}

func segmentOf(e Event) uint64 {
	switch e := e.(type) {
	case Partial:
		return e.Segment
	case Final:
		return e.Segment
	case Failed:
		return e.Segment
	}
	return 0
}
