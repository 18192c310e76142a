package turneval

import (
	"context"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

// Chain is what hears a clip: the ears of a session, on the clock of the sound.
type Chain struct {
	// VAD is the model.
	VAD *vad.Model
	// Reader gives the texts.
	Reader reader
	// Expect is what was asked.
	Expect turn.Expectation
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
	recognizer := &recognizer{reader: ch.Reader, clip: c, streaming: agent}
	var ears *listen.Offline
	ears, err = listen.NewOffline(ctx, listen.Options{
		VAD: listen.NewAnalyzer(ch.VAD), Recognizer: recognizer,
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
	return events, errors.Join(recognizer.err, ears.Close())
}

// recognizer gives the texts of a reader at the times at which an engine would.
type recognizer struct {
	reader reader
	clip   *clip
	// streaming asks for partials; at the end of a turn the final is there before they matter, and decoding them is slow.
	streaming bool
	handle    func(stt.Event)
	at        int

	segment  uint64
	from     int // of the segment under way
	speaking bool
	partials []string
	sent     string
	finals   []timed
	err      error
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
	if r.reader.punctuates() { // the session has heard it before
		r.handle(stt.Final{Text: "Hello."})
	}
	return r, nil
}

// Write lets time pass and sends what is due.
func (r *recognizer) Write(frame []int16) {
	r.at += len(frame)
	if r.speaking {
		r.sendPartial()
	}
	for len(r.finals) > 0 && r.at >= r.finals[0].at {
		r.handle(r.finals[0].event)
		r.finals = r.finals[1:]
	}
}

// decodeDelay is how long a partial is in the making.
const decodeDelay = turn.Rate / 50

func (r *recognizer) sendPartial() {
	i := (r.at-decodeDelay-r.from)/blockLength - 1
	if i < 0 || i >= len(r.partials) || r.partials[i] == "" || r.partials[i] == r.sent {
		return
	}
	r.sent = r.partials[i]
	r.handle(stt.Partial{Segment: r.segment, Text: r.sent})
}

// SpeechStarted implements stt.Stream.
func (r *recognizer) SpeechStarted(segment uint64, prefix int) {
	r.segment, r.from, r.speaking, r.sent = segment, max(0, r.at-prefix), true, ""
	if r.streaming {
		partials, err := r.reader.partials(r.clip, r.from)
		r.partials, r.err = partials, errors.Join(r.err, err)
	}
}

// SpeechEnded implements stt.Stream.
func (r *recognizer) SpeechEnded(segment uint64) {
	r.speaking = false
	text, err := r.reader.final(r.clip, r.from, r.at)
	if err != nil {
		r.err = errors.Join(r.err, fmt.Errorf("recognise: %w", err))
	}
	event := stt.Final{Segment: segment, Text: text.Text, Confidence: text.Confidence}
	r.finals = append(r.finals, timed{r.at + r.reader.delay(r.at-r.from), event})
}

// Close implements stt.Stream.
func (r *recognizer) Close() error { return nil }
