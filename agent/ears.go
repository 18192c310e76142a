package agent

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// ears tell a session what the listener hears.
type ears struct {
	listener *listen.Listener
	session  atomic.Pointer[session.Session]
	log      *zap.Logger
}

var _ session.Ears = (*ears)(nil)

// newEars opens the recogniser and starts to listen; to() tells where the events go. close ends both.
func newEars(ctx context.Context, e Engines, language string, log *zap.Logger) (*ears, error) {
	analyzer, err := listen.NewAnalyzer(e.VAD)
	if err != nil {
		return nil, fmt.Errorf("prepare voice activity detection: %w", err)
	}
	x := &ears{log: log}
	x.listener, err = listen.New(ctx, listen.Options{
		VAD: analyzer, Recognizer: e.STT, Language: language, Handle: x.handle, Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("open the ears: %w", err)
	}
	return x, nil
}

func (x *ears) to(s *session.Session) { x.session.Store(s) }

func (x *ears) post(m session.Message) {
	if s := x.session.Load(); s != nil {
		s.Post(m)
	}
}

func (x *ears) handle(ev listen.Event) {
	switch e := ev.(type) {
	case listen.SpeechStarted:
		x.post(session.Event{Event: engine.SpeechStarted{}})
	case listen.SpeechStopped:
		x.post(session.Event{Event: engine.SpeechStopped{}})
	case listen.Partial:
		x.post(session.Partial{Text: e.Text})
	case listen.Prospect:
		x.post(session.Prospect{Text: e.Text, Began: e.At.Add(-e.Silence - spoken(e.Start, e.End))})
	case listen.Turn:
		x.turn(e)
	case listen.NoWords:
		x.post(session.Event{Event: engine.NoWords{Reason: e.Reason}})
	case listen.Floor:
		x.floor(e)
	case listen.LongSpeech:
		x.post(session.Event{Event: engine.LongSpeech{Lasted: state.FromDuration(e.Duration), Words: e.Words}})
	case listen.Thinking:
		x.listener.Commit() // the engine grants the time, and says so
	case listen.Failed:
		x.log.Warn("stt.failed", zap.Error(e.Err))
	}
}

func (x *ears) turn(e listen.Turn) {
	spoke := spoken(e.Start, e.End)
	x.log.Info("turn.ended", zap.Uint64("turn", e.ID), zap.Duration("after", e.DecidedAfter), zap.String("reason", e.Reason),
		zap.Int("words", e.Words), zap.Duration("spoke", spoke))
	x.post(session.Turn{
		Text: e.Text, Confidence: e.Confidence, Began: e.At.Add(-e.DecidedAfter - spoke), Reason: e.Reason,
	})
}

// spoken is the time between two positions on the audio clock.
func spoken(start, end int64) time.Duration {
	return time.Duration(end-start) * time.Second / audio.InputRate
}

// actions maps what the turn model decides to what the session does to the voice.
var actions = map[turn.Move]session.Action{
	turn.Duck: session.Duck, turn.Unduck: session.Unduck, turn.Pause: session.Pause, turn.Resume: session.Resume, turn.Interrupt: session.Interrupt,
}

func (x *ears) floor(e listen.Floor) {
	action, ok := actions[e.Move]
	if !ok {
		return
	}
	x.log.Info("floor.decided", zap.String("move", string(action)), zap.Uint64("utterance", e.Generation), zap.String("reason", e.Reason),
		zap.Duration("speech", spoken(e.SpeechStart, e.Position)))
	x.post(session.Interruption{Utterance: e.Generation, Action: action, Reason: e.Reason})
}

// Audible implements session.Ears.
func (x *ears) Audible(utterance uint64, on, firm bool) { x.listener.AgentAudible(on, utterance, firm) }

// Take implements session.Ears.
func (x *ears) Take() { x.listener.Commit() }

// Expect implements session.Ears.
func (x *ears) Expect(mode string) {
	if mode == "" {
		mode = string(turn.Patient)
	}
	x.listener.Expect(turn.Expectation{Kind: turn.Open, Mode: turn.Mode(mode)})
}

func (x *ears) close() {
	if err := x.listener.Close(); err != nil {
		x.log.Warn("stt.close", zap.Error(err))
	}
}
