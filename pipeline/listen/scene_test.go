package listen

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/vad"
)

const frame = 320 // samples: 20 ms

// ear is voice activity detection on loudness: a real detector fed with scripted probabilities.
type ear struct {
	detector *vad.Detector
	at       int64
	filled   int
	loud     int
}

func newEar() *ear { return &ear{detector: vad.NewDetector(250 * time.Millisecond)} }

func (e *ear) Write(pcm []int16, at int64, report func(vad.Status)) {
	if e.at+int64(e.filled) != at {
		e.at, e.filled, e.loud = at, 0, 0
	}
	for _, s := range pcm {
		e.filled++
		if s != 0 {
			e.loud++
		}
		if e.filled == vad.Window {
			p := float32(0.05)
			if e.loud > vad.Window/2 {
				p = 0.95
			}
			start := e.at
			e.at, e.filled, e.loud = e.at+vad.Window, 0, 0
			report(e.detector.Update(start, p))
		}
	}
}

func (e *ear) Gap() vad.Status {
	e.filled, e.loud = 0, 0
	return e.detector.Gap()
}

// answer is what the recogniser makes of a segment.
type answer struct {
	partials map[time.Duration]string // after the start of speech
	text     string
	after    time.Duration // SpeechEnded to Final; negative for never
	err      error
}

// scribe is a recogniser that answers by script, segment by segment.
type scribe struct {
	script  []answer
	openErr error

	mu     sync.Mutex
	handle func(stt.Event)
	closed bool
	heard  int
	timers []*time.Timer
	marks  []string // what it was told of speech, with the audio heard until then
}

func (s *scribe) Open(_ context.Context, o stt.Options) (stt.Stream, error) {
	s.handle = o.Handle
	return s, s.openErr
}

func (s *scribe) Write(pcm []int16) { s.heard += len(pcm) }

func (s *scribe) answer(segment uint64) answer {
	if int(segment) <= len(s.script) {
		return s.script[segment-1]
	}
	return answer{after: 100 * time.Millisecond}
}

func (s *scribe) mark(what string, segment uint64) {
	s.marks = append(s.marks, fmt.Sprintf("%s %d at %d ms", what, segment, s.heard/16))
}

func (s *scribe) SpeechPaused(segment uint64) { s.mark("paused", segment) }

func (s *scribe) SpeechStarted(segment uint64, _ int) {
	for after, text := range s.answer(segment).partials {
		s.later(after, stt.Partial{Segment: segment, Text: text})
	}
}

func (s *scribe) SpeechEnded(segment uint64) {
	s.mark("ended", segment)
	a := s.answer(segment)
	switch {
	case a.err != nil:
		s.later(a.after, stt.Failed{Segment: segment, Err: a.err})
	case a.after >= 0:
		s.later(a.after, stt.Final{Segment: segment, Text: a.text, Confidence: 0.5})
	}
}

func (s *scribe) later(d time.Duration, e stt.Event) {
	s.timers = append(s.timers, time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed {
			s.handle(e)
		}
	}))
}

func (s *scribe) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, t := range s.timers {
		t.Stop()
	}
	return nil
}

// scene is a listener with a scripted recogniser, in virtual time.
type scene struct {
	*Listener
	t      *testing.T
	scribe *scribe

	mu     sync.Mutex
	events []Event
}

func play(t *testing.T, script []answer, act func(s *scene)) *scene {
	t.Helper()
	s := &scene{t: t, scribe: &scribe{script: script}}
	synctest.Test(t, func(t *testing.T) {
		l, err := New(t.Context(), Options{VAD: newEar(), Recognizer: s.scribe, Handle: s.note})
		if err != nil {
			t.Fatal(err)
		}
		s.Listener = l
		act(s)
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *scene) note(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// mic lets the microphone hear sound or silence for a time, in step with the clock.
func (s *scene) mic(d time.Duration, sound bool) {
	pcm := make([]int16, frame)
	if sound {
		for i := range pcm {
			pcm[i] = 3000
		}
	}
	for ; d > 0; d -= 20 * time.Millisecond {
		s.Write(pcm)
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *scene) speak(d time.Duration) { s.mic(d, true) }
func (s *scene) quiet(d time.Duration) { s.mic(d, false) }

// gone lets time pass in which the microphone sends nothing.
func (s *scene) gone(d time.Duration) { time.Sleep(d) }

// outline is the story of the events in short, without SpeechStarted, SpeechStopped, Partial and Prospect.
func (s *scene) outline() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		switch e := e.(type) {
		case Turn:
			out = append(out, fmt.Sprintf("turn %d: %s", e.ID, e.Text))
		case NoWords:
			out = append(out, "no words: "+e.Reason)
		case Floor:
			out = append(out, fmt.Sprintf("%v: %s", e.Move, e.Reason))
		case Thinking:
			out = append(out, "thinking")
		case Failed:
			out = append(out, "failed")
		case LongSpeech:
			out = append(out, fmt.Sprintf("long speech %v", e.Duration.Round(time.Second)))
		}
	}
	return out
}

func (s *scene) want(lines ...string) {
	s.t.Helper()
	if diff := cmp.Diff(lines, s.outline()); diff != "" {
		s.t.Errorf("events (-want +got):\n%s", diff)
	}
}

func first[E Event](t *testing.T, s *scene) (found E) {
	t.Helper()
	i := slices.IndexFunc(s.events, func(e Event) bool { _, ok := e.(E); return ok })
	if i < 0 {
		t.Fatalf("no %T in %v", found, s.events)
	}
	return s.events[i].(E)
}
