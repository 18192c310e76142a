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
}

var (
	_ session.Voice  = (*voice)(nil)
	_ session.Holder = (*voice)(nil)
	_ session.Pulse  = (*voice)(nil)
)

// newVoice opens the gate to a track; close shuts it.
func newVoice(engine tts.Synthesizer, track playout.FrameWriter, encoder playout.Encoder, g *guard.Guard, log *zap.Logger) (v *voice, err error) {
	v = &voice{started: make(map[uint64]func()), track: &lastFrame{FrameWriter: track}}
	v.gate, err = playout.New(playout.Options{Writer: v.track, Encoder: encoder, Handle: v.handle, Guard: g, Logger: log})
	if err != nil {
		return nil, err
	}
	v.speaker = &speak.Speaker{TTS: engine, Gate: v.gate, Logger: log}
	return v, nil
}

func (v *voice) handle(ev playout.Event) {
	e, ok := ev.(playout.Started)
	if !ok {
		return
	}
	v.mu.Lock()
	f := v.started[e.Generation]
	v.mu.Unlock()
	if f != nil {
		f()
	}
}

// Speak implements session.Voice.
func (v *voice) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
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

// Resume goes on from the exact sample.
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

// close silences the voice and ends its goroutine.
func (v *voice) close() { v.gate.Close() }

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
