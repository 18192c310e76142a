package agent

import (
	"context"
	"sync"
	"time"

	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
)

// lastFrame remembers when the track last took a frame of speech.
type lastFrame struct {
	playout.FrameWriter

	mu         sync.Mutex
	generation uint64    // guarded by mu
	at         time.Time // guarded by mu
}

// WriteFrame implements playout.FrameWriter.
func (l *lastFrame) WriteFrame(opus []byte, f playout.FrameInfo) error {
	err := l.FrameWriter.WriteFrame(opus, f)
	if err != nil || f.Silence || f.Generation == 0 {
		return err
	}
	now := time.Now()
	l.mu.Lock()
	l.generation, l.at = f.Generation, now
	l.mu.Unlock()
	return nil
}

func (l *lastFrame) last() (generation uint64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.generation, l.at
}

// timed tells when a voice engine is asked and when its first sound comes.
type timed struct {
	engine         tts.Synthesizer
	asked, sounded func() // may be called often
}

// Synthesize implements tts.Synthesizer.
func (t timed) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	if t.asked != nil {
		t.asked()
	}
	sound, err := t.engine.Synthesize(ctx, r)
	if err != nil || t.sounded == nil {
		return sound, err
	}
	return &timedSound{Audio: sound, sounded: t.sounded}, nil
}

type timedSound struct {
	tts.Audio
	sounded func()
	heard   bool
}

// Read implements tts.Audio.
func (s *timedSound) Read(pcm []int16) (int, error) {
	n, err := s.Audio.Read(pcm)
	if n > 0 && !s.heard {
		s.heard = true
		s.sounded()
	}
	return n, err
}
