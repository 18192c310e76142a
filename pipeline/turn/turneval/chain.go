package turneval

import (
	"context"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

// Chain is what hears a clip: the ears of a session, on the clock of the sound.
type Chain struct {
	// VAD is the model.
	VAD *vad.Model
	// Reader gives the texts, unless there is a Decoder.
	Reader Scripted
	// Decoder is an engine that hears the sound itself, and writes no punctuation. It is given Slow times the CPU time that it takes
	// here, for the machines of others; 0 means 1.
	Decoder stt.Decoder
	Slow    float64
	// Expect is what was asked.
	Expect turn.Expectation
	// AudioModel judges the sound, too; nil for none.
	AudioModel listen.AudioModel
}

// heard is an event and where it came.
type heard struct {
	at    int
	event listen.Event
}

// frameLength is that of the microphone's frames: 20 ms.
const frameLength = turn.Rate / 50

// hear lets the chain hear a clip. While agent is set, the agent speaks from the beginning to the end. watch, if not nil, is called
// after every frame.
func (ch Chain) hear(ctx context.Context, c *clip, agent bool, watch func(*listen.Offline)) (events []heard, err error) {
	var recognizer stt.Recognizer = &recognizer{reader: ch.Reader, clip: c}
	if ch.Decoder != nil {
		recognizer = &decoding{ctx: ctx, decoder: ch.Decoder, slow: max(ch.Slow, 1)}
	}
	var ears *listen.Offline
	ears, err = listen.NewOffline(ctx, listen.Options{
		VAD: listen.NewAnalyzer(ch.VAD), Recognizer: recognizer, AudioModel: ch.AudioModel,
		Handle: func(e listen.Event) { events = append(events, heard{int(ears.Position()), e}) },
	})
	if err != nil {
		return nil, err
	}
	ears.Expect(ch.Expect)
	if agent {
		ears.AgentAudible(true, 1, false)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for at := 0; at+frameLength <= len(c.pcm); at += frameLength {
		ears.Hear(c.pcm[at : at+frameLength])
		if watch != nil {
			watch(ears)
		}
	}
	return events, ears.Close()
}

// bare says that the recogniser writes no punctuation.
func (ch Chain) bare() bool { return ch.Reader.Bare || ch.Decoder != nil }

// recognizer gives the texts of a reader at the times at which an engine would.
type recognizer struct {
	reader Scripted
	clip   *clip
	handle func(stt.Event)
	at     int
	from   int // of the segment under way
	finals []timed
}

type timed struct {
	at    int
	event stt.Event
}

var (
	_ stt.Recognizer = (*recognizer)(nil)
	_ stt.Stream     = (*recognizer)(nil)
)

// Open implements stt.Recognizer; there is one stream.
func (r *recognizer) Open(_ context.Context, o stt.Options) (stt.Stream, error) {
	r.handle = o.Handle
	if !r.reader.Bare { // the session has heard it before
		r.handle(stt.Final{Text: "Hello."})
	}
	return r, nil
}

// Write lets time pass and sends what is due.
func (r *recognizer) Write(frame []int16) {
	r.at += len(frame)
	for len(r.finals) > 0 && r.at >= r.finals[0].at {
		r.handle(r.finals[0].event)
		r.finals = r.finals[1:]
	}
}

// SpeechStarted implements stt.Stream.
func (r *recognizer) SpeechStarted(_ uint64, prefix int) {
	r.from = max(0, r.at-prefix)
}

// SpeechEnded implements stt.Stream.
func (r *recognizer) SpeechEnded(segment uint64) {
	text := r.reader.final(r.clip, r.from, r.at)
	event := stt.Final{Segment: segment, Text: text.Text, Confidence: text.Confidence}
	r.finals = append(r.finals, timed{r.at + scriptedDelay, event})
}

// Close implements stt.Stream.
func (r *recognizer) Close() error { return nil }
