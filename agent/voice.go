package agent

import (
	"context"
	"io"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/tts"
)

// voice is the interviewer's voice on the room's track.
type voice struct {
	gate    *playout.Gate
	speaker *speak.Speaker
	track   *lastFrame

	mu      sync.Mutex
	started map[uint64]func() // guarded by mu, by generation: called when the utterance's first frame is sent

	signals signals
}

var (
	_ session.Voice  = (*voice)(nil)
	_ session.Holder = (*voice)(nil)
	_ session.Pulse  = (*voice)(nil)

	_ session.Signaller = (*voice)(nil)
)

// newVoice opens the gate to a track; close shuts it.
func newVoice(engine tts.Synthesizer, track playout.FrameWriter, encoder playout.Encoder, g *guard.Guard, log *zap.Logger) (v *voice, err error) {
	v = &voice{started: make(map[uint64]func()), track: &lastFrame{FrameWriter: track}}
	v.gate, err = playout.New(playout.Options{Writer: v.track, Encoder: encoder, Started: v.begun, Guard: g, Logger: log})
	if err != nil {
		return nil, err
	}
	v.speaker = &speak.Speaker{TTS: engine, Gate: v.gate, Logger: log}
	return v, nil
}

func (v *voice) begun(generation uint64) {
	v.mu.Lock()
	f := v.started[generation]
	v.mu.Unlock()
	if f != nil {
		f()
	}
}

// Speak implements session.Voice.
func (v *voice) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	v.signals.prepare(ctx, v.speaker, u)
	v.mu.Lock()
	v.started[u.Generation] = u.Started
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		delete(v.started, u.Generation)
		v.mu.Unlock()
	}()
	speaker := *v.speaker
	speaker.TTS = timed{engine: v.speaker.TTS, asked: u.Asked, sounded: u.Sounded}
	r := speaker.Speak(ctx, speak.Utterance{
		Generation: u.Generation, Hold: u.Hold, Voice: u.Name, Language: u.Language, Speed: u.Speed, OnWords: u.Words,
	}, src)
	return session.Spoken{Heard: r.HeardText, Complete: r.Complete, Err: r.Err}
}

// Release implements session.Holder.
func (v *voice) Release(generation uint64) { v.gate.Release(generation) }

// Pause, Resume and Duck implement session.Voice.
func (v *voice) Pause() { v.gate.Pause() }

// Resume goes on from the start of the clause.
func (v *voice) Resume() { v.gate.Resume() }

// Duck lowers the voice.
func (v *voice) Duck(on bool) { v.gate.Duck(on) }

// LastSound implements session.Pulse.
func (v *voice) LastSound() (generation uint64, at time.Time) { return v.track.last() }

// tell speaks a fixed text outside a session, before anything else was said with this voice.
func (v *voice) tell(ctx context.Context, text string, like tts.Request) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	v.speaker.Speak(ctx, speak.Utterance{Generation: 1, Voice: like.Voice, Language: like.Language, Speed: like.Speed}, &list{items: speak.Clauses(text)})
}

// Signal implements session.Signaller.
func (v *voice) Signal(u session.Utterance) bool { return v.gate.Signal(v.signals.find(u)) }

// close silences the voice and ends its goroutines.
func (v *voice) close() {
	v.gate.Close()
	v.signals.close()
}

type list struct{ items []speak.Clause }

// Next implements speak.Source.
func (l *list) Next(context.Context) (speak.Clause, error) {
	if len(l.items) == 0 {
		return speak.Clause{}, io.EOF
	}
	c := l.items[0]
	l.items = l.items[1:]
	return c, nil
}

// lastFrame remembers when the track last took a frame of speech that is heard.
type lastFrame struct {
	playout.FrameWriter

	mu         sync.Mutex
	generation uint64    // guarded by mu
	at         time.Time // guarded by mu
}

// WriteFrame implements playout.FrameWriter.
func (l *lastFrame) WriteFrame(opus []byte, f playout.FrameInfo) error {
	err := l.FrameWriter.WriteFrame(opus, f)
	if err != nil || f.Silence || f.Ducked || f.Generation == 0 {
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
