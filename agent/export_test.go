package agent

import (
	"context"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

// Voice is the interviewer's voice on any track, for tests without a room.
type Voice struct{ *voice }

// NewVoice opens a voice; Close ends it.
func NewVoice(engine tts.Synthesizer, track playout.FrameWriter, encoder playout.Encoder, log *zap.Logger) (Voice, error) {
	v, err := newVoice(engine, track, encoder, nil, log)
	return Voice{v}, err
}

// Close silences the voice.
func (v Voice) Close() { v.close() }

// Ears are the interviewer's ears on any microphone, for tests without a room.
type Ears struct{ *ears }

// NewEars opens ears; Close ends them.
func NewEars(ctx context.Context, analyzer listen.Analyzer, engine stt.Recognizer, log *zap.Logger) (Ears, error) {
	x := &ears{log: log}
	var err error
	x.listener, err = listen.New(ctx, listen.Options{VAD: analyzer, Recognizer: engine, Language: "en", Handle: x.handle, Logger: log})
	return Ears{x}, err
}

// To says which session hears.
func (x Ears) To(s *session.Session) { x.to(s) }

// Hear takes samples of the microphone: 16 kHz mono.
func (x Ears) Hear(pcm []int16) { x.hear(pcm) }

// Close stops listening.
func (x Ears) Close() { x.close() }
