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
	deaf     atomic.Bool // the microphone counts for nothing now
}

var (
	_ session.Ears   = (*ears)(nil)
	_ session.Button = (*ears)(nil)
)

// newEars opens the recogniser and starts to listen; to() tells where the events go. close ends both.
func newEars(ctx context.Context, e Engines, language string, log *zap.Logger) (*ears, error) {
	x := &ears{log: log}
	var err error
	x.listener, err = listen.New(ctx, listen.Options{
		VAD: listen.NewAnalyzer(e.VAD), Recognizer: e.STT, Language: language, Handle: x.handle, Logger: log, AudioModel: e.AudioModel,
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
	case listen.Signal:
		x.post(session.Signal{Text: e.Text})
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
		Ended: e.At.Add(-e.DecidedAfter), Decided: e.At,
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
	speech := spoken(e.SpeechStart, e.Position)
	x.log.Info("floor.decided", zap.String("move", string(action)), zap.Uint64("utterance", e.Generation), zap.String("reason", e.Reason),
		zap.Duration("speech", speech))
	x.post(session.Interruption{Utterance: e.Generation, Action: action, Reason: e.Reason, Onset: e.At.Add(-speech), At: e.At})
}

// nothing stands for the microphone while it counts for nothing: 100 ms, five times what a frame holds.
var nothing [audio.InputRate / 10]int16

// hear takes the next samples of the microphone. It belongs to the microphone's goroutine.
func (x *ears) hear(frame []int16) {
	if !x.deaf.Load() {
		x.listener.Write(frame)
		return
	}
	for len(frame) > 0 {
		n := min(len(frame), len(nothing))
		x.listener.Write(nothing[:n])
		frame = frame[n:]
	}
}

// Hear implements session.Button: what is said while it is off is silence, and so neither a turn nor an interruption.
func (x *ears) Hear(on bool) { x.deaf.Store(!on) }

// Audible implements session.Ears.
func (x *ears) Audible(utterance uint64, on, firm bool) { x.listener.AgentAudible(on, utterance, firm) }

// Take implements session.Ears.
func (x *ears) Take() { x.listener.Commit() }

// Expect implements session.Ears.
func (x *ears) Expect(mode, answer string) { x.listener.Expect(expectation(mode, answer)) }

// expectation maps the words of a definition to what the turn model knows: the manner of a stage, and the kind of answer that the
// question under way asks for. What is empty or unknown is patient and open.
func expectation(mode, answer string) turn.Expectation {
	e := turn.Expectation{Kind: turn.Open, Mode: turn.Patient}
	if mode != "" {
		e.Mode = turn.Mode(mode)
	}
	switch kind := turn.Kind(answer); kind {
	case turn.Story, turn.YesNo, turn.Brief:
		e.Kind = kind
	case turn.Open:
	}
	return e
}

func (x *ears) close() {
	if err := x.listener.Close(); err != nil {
		x.log.Warn("stt.close", zap.Error(err))
	}
}
