package stt

import (
	"context"
	"errors"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

const (
	// replayLimit is the most of a segment that is kept for a second engine (60 s, 1.9 MB), in samples.
	replayLimit = 60 * SampleRate
	// replayWait bounds a second engine's work on a segment.
	replayWait = 20 * time.Second
)

// deliver is the goroutine that calls the handler.
func (s *fallbackStream) deliver(ctx context.Context) {
	for {
		for event, k := s.next(); event != nil; event, k = s.next() {
			s.settle(ctx, event, k)
			if ctx.Err() != nil {
				return
			}
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return
		}
	}
}

// next gives what can be delivered now: a partial of the oldest segment, or its outcome, with which it is forgotten.
func (s *fallbackStream) next() (Event, *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 {
		return nil, nil
	}
	k := s.pending[0]
	if k.partial != "" {
		p := Partial{Segment: k.segment, Text: k.partial}
		k.partial = ""
		return p, k
	}
	if k.outcome == nil || !k.ended {
		return nil, nil
	}
	s.pending[0] = nil
	s.pending = s.pending[1:]
	return k.outcome, k
}

// settle delivers an event, after asking other engines if it is a failure.
func (s *fallbackStream) settle(ctx context.Context, event Event, k *kept) {
	switch e := event.(type) {
	case Final:
		if k.engine != noEngine {
			s.chain.cooldown.Worked(k.engine)
		}
		s.recycle(k)
	case Failed:
		s.chain.cooldown.Failed(k.engine, e.Err)
		event = s.replay(ctx, k, e)
		s.recycle(k)
	}
	if ctx.Err() == nil {
		s.handle(event)
	}
}

// recycle keeps a segment's buffer for the next one.
func (s *fallbackStream) recycle(k *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(k.pcm) > cap(s.spare) && cap(k.pcm) <= keepSamples {
		s.spare = k.pcm
	}
	k.pcm = nil
}

// replay asks the other engines about a segment that failed.
func (s *fallbackStream) replay(ctx context.Context, k *kept, failed Failed) Event {
	errs := []error{failed.Err}
	for _, i := range s.chain.cooldown.Order() {
		if i == k.engine {
			continue
		}
		final, err := recognizeOnce(ctx, s.chain.engines[i], s.language, k.pcm)
		if err == nil {
			s.chain.cooldown.Worked(i)
			return Final{Segment: k.segment, Text: final.Text, Confidence: final.Confidence}
		}
		s.chain.cooldown.Failed(i, err)
		errs = append(errs, err)
	}
	return Failed{Segment: k.segment, Err: errors.Join(errs...)}
}

// recognizeOnce opens a stream for a single segment.
func recognizeOnce(ctx context.Context, r Recognizer, language string, pcm []int16) (Final, error) {
	ctx, cancel := context.WithTimeout(ctx, replayWait)
	defer cancel()
	outcome := make(chan Event, 1)
	stream, err := r.Open(ctx, Options{Language: language, Handle: func(e Event) {
		if _, partial := e.(Partial); partial {
			return
		}
		select {
		case outcome <- e:
		default:
		}
	}})
	if err != nil {
		return Final{}, err
	}
	defer func() { _ = stream.Close() }() // the outcome is known
	stream.SpeechStarted(1, 0)
	stream.Write(pcm)
	stream.SpeechEnded(1)
	select {
	case e := <-outcome:
		if f, ok := e.(Failed); ok {
			return Final{}, f.Err
		}
		final, _ := e.(Final)
		return final, nil
	case <-ctx.Done():
		return Final{}, fault.From("transcribe", "stt", ctx.Err())
	}
}
