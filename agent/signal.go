package agent

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/tts"
)

// signalLimit bounds the synthesis of a listening signal.
const signalLimit = 10 * time.Second

// signals are the sounds with which voices say that they listen, made ready while the voice speaks first. The zero value is ready.
type signals struct {
	tasks sync.WaitGroup

	mu     sync.Mutex
	sounds map[tts.Request][]int16 // guarded by mu: nil while it is being made, and where that failed
	cancel []context.CancelFunc    // guarded by mu: of tasks
	closed bool                    // guarded by mu
}

func listeningOf(u session.Utterance) tts.Request {
	return tts.Request{Text: u.Listening, Voice: u.Name, Language: u.Language, Speed: u.Speed, Fixed: true}
}

// prepare begins to make the signal of an utterance's voice, once for each voice: one that fails is done without. It outlives ctx, for the
// utterance may be cut off, but not close.
func (x *signals) prepare(ctx context.Context, speaker *speak.Speaker, u session.Utterance) {
	if u.Listening == "" {
		return
	}
	r := listeningOf(u)
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, known := x.sounds[r]; known || x.closed {
		return
	}
	if x.sounds == nil {
		x.sounds = make(map[tts.Request][]int16)
	}
	x.sounds[r] = nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalLimit)
	x.cancel = append(x.cancel, cancel)
	guard.From(ctx).Beside(&x.tasks, "signal", func() {
		defer cancel()
		pcm, err := speak.Signal(ctx, speaker.TTS, r)
		if err != nil {
			speaker.Logger.Warn("listening.unprepared", zap.Error(err))
			return
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.sounds[r] = pcm
	})
}

// find returns the signal of an utterance's voice; nil where it is not ready.
func (x *signals) find(u session.Utterance) []int16 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sounds[listeningOf(u)]
}

// close ends what is being made.
func (x *signals) close() {
	x.mu.Lock()
	x.closed = true
	for _, cancel := range x.cancel {
		cancel()
	}
	x.mu.Unlock()
	x.tasks.Wait()
}
