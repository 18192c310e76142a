package listen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

// checkEvery is how often decisions are looked at while no frames arrive.
const checkEvery = 50 * time.Millisecond

// Analyzer finds speech in the microphone's audio.
type Analyzer interface {
	// Write hears pcm, 16 kHz mono from position at on, and calls report after every window. It does not keep pcm.
	Write(pcm []int16, at int64, report func(vad.Status))
	// Gap says that no audio is coming for now; speech under way ends.
	Gap() vad.Status
}

// Options configures a Listener. VAD, Recognizer and Handle are required; the Listener owns VAD from New on.
type Options struct {
	VAD        Analyzer
	Recognizer stt.Recognizer
	// Language is passed to the recogniser.
	Language string
	// AudioModel is optional. It is asked at each pause.
	AudioModel AudioModel
	// Handle receives the events from the listener's goroutine. It must not block and must not call Close.
	Handle func(Event)
	// Logger is optional. What was said is never logged.
	Logger *zap.Logger
}

// Listener is the ears of one session. All methods are safe for concurrent use; Write belongs to one goroutine.
type Listener struct {
	intake  *intake
	stream  stt.Stream
	log     *zap.Logger
	quit    chan struct{} // closed by Close
	done    chan struct{} // closed by run
	judges  sync.WaitGroup
	dismiss context.CancelFunc // ends judges
	once    sync.Once
	err     error // of closing the stream; set before Close returns first
}

// New opens the recogniser and starts to listen. Cancelling ctx stops listening; Close must be called all the same. It fails
// when the options are incomplete or the recogniser does not open.
func New(ctx context.Context, o Options) (*Listener, error) {
	if o.VAD == nil || o.Recognizer == nil || o.Handle == nil {
		return nil, errors.New("listening needs voice activity detection, a recogniser and a handler")
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	h, in := newHearing(o), newIntake()
	var err error
	h.stream, err = o.Recognizer.Open(ctx, stt.Options{Language: o.Language, Handle: in.recognised})
	if err != nil {
		return nil, fmt.Errorf("open recogniser: %w", err)
	}
	l := &Listener{intake: in, stream: h.stream, log: o.Logger, quit: make(chan struct{}), done: make(chan struct{})}
	l.judgeAudio(ctx, h, o)
	guard.From(ctx).Start("listen", func() { l.run(ctx, h) })
	return l, nil
}

// judgeAudio starts the goroutine of the audio model, if there is one. It ends with the listener.
func (l *Listener) judgeAudio(ctx context.Context, h *hearing, o Options) {
	if o.AudioModel == nil {
		l.dismiss = func() {}
		return
	}
	h.judge = newAudioJudge(o.AudioModel, o.Logger)
	h.judge.answer = func(segment uint64, p float64) { l.intake.post(func(h *hearing) { h.judged(segment, p) }) }
	ctx, l.dismiss = context.WithCancel(ctx)
	guard.From(ctx).Beside(&l.judges, "listen", func() { h.judge.run(ctx) }) // pauses are judged without it, too
}

// Write takes the next samples of the microphone: 16 kHz mono, usually 320. It never blocks and does not keep the slice.
func (l *Listener) Write(frame []int16) { l.intake.write(frame, time.Now()) }

// AgentAudible says that an utterance of the agent came onto the track, or left it. A paused utterance is still on it. An
// utterance that left after a newer one came is ignored.
func (l *Listener) AgentAudible(on bool, generation uint64, uninterruptible bool) {
	l.intake.post(func(h *hearing) { h.agentAudible(on, generation, uninterruptible) })
}

// Expect says what the agent expects of the next turn.
func (l *Listener) Expect(e turn.Expectation) {
	l.intake.post(func(h *hearing) { h.expect(e) })
}

// Commit ends the turn now (push to talk): a Turn or NoWords follows as soon as the transcript is there, unless the candidate
// speaks again before.
func (l *Listener) Commit() { l.intake.post((*hearing).commit) }

// Dropped returns how many samples were thrown away because the listener fell behind.
func (l *Listener) Dropped() uint64 {
	l.intake.mu.Lock()
	defer l.intake.mu.Unlock()
	return l.intake.dropped
}

// Close stops listening, closes the recogniser's stream and waits. No event comes after it returned. It is idempotent.
func (l *Listener) Close() error {
	l.once.Do(func() {
		close(l.quit)
		<-l.done
		l.dismiss()
		l.judges.Wait()
		if err := l.stream.Close(); err != nil {
			l.err = fmt.Errorf("close recogniser: %w", err)
		}
		if n := l.Dropped(); n > 0 {
			l.log.Warn("listen.audio_dropped", zap.Uint64("samples", n))
		}
	})
	return l.err
}

// run is the listener's goroutine and the only user of h.
func (l *Listener) run(ctx context.Context, h *hearing) {
	defer close(l.done)
	timer := time.NewTimer(checkEvery)
	defer timer.Stop()
	for {
		select {
		case <-l.quit:
			return
		case <-ctx.Done():
			return
		case <-l.intake.wake:
			l.drain(h)
		case now := <-timer.C:
			h.unheard(l.intake.idle(now))
		}
		if h.busy() {
			timer.Reset(checkEvery)
		} else {
			timer.Stop()
		}
	}
}

// drain deals with the messages and then the audio that wait.
func (l *Listener) drain(h *hearing) {
	messages := l.intake.take(h.spare)
	for i, m := range messages {
		m(h)
		messages[i] = nil
	}
	h.spare = messages
	for {
		n, lost := l.intake.read(h.pcm[:])
		h.missed(lost)
		if n == 0 {
			return
		}
		h.hear(h.pcm[:n])
	}
}
