package listen

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

// Offline makes the decisions of a Listener about recorded sound, without a goroutine or a clock: time is the position in the
// sound, so that the same sound and transcripts give the same events. An AudioModel answers behind the frame in which it was asked. It is for
// one goroutine.
type Offline struct {
	h       *hearing
	pending []stt.Event
	answers []judgement // of the audio model
}

type judgement struct {
	segment     uint64
	probability float64
}

// NewOffline opens the recogniser and has heard nothing. The events of the recogniser must come while it is written to, from the
// same goroutine; they are dealt with behind the frame in which they came. It fails as New does. The caller closes it.
func NewOffline(ctx context.Context, o Options) (*Offline, error) {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	h := newHearing(o)
	off := &Offline{h: h}
	var err error
	h.stream, err = o.Recognizer.Open(ctx, stt.Options{Language: o.Language, Handle: func(e stt.Event) { off.pending = append(off.pending, e) }})
	if err != nil {
		return nil, fmt.Errorf("open recogniser: %w", err)
	}
	if o.AudioModel != nil {
		h.judge = newAudioJudge(o.AudioModel, h.log)
		h.judge.hand = func(q question) { h.judge.judge(ctx, q) }
		h.judge.answer = func(segment uint64, p float64) { off.answers = append(off.answers, judgement{segment, p}) }
	}
	return off, nil
}

// Hear takes the next samples: 16 kHz mono, any number of them. It does not keep pcm.
func (o *Offline) Hear(pcm []int16) {
	for len(pcm) > 0 {
		n := min(len(pcm), vad.Window)
		o.h.hear(pcm[:n])
		pcm = pcm[n:]
		for _, e := range o.pending {
			o.h.recognised(e)
		}
		o.pending = o.pending[:0]
		for _, a := range o.answers {
			o.h.judged(a.segment, a.probability)
		}
		o.answers = o.answers[:0]
		o.h.evaluate(o.h.at)
	}
}

// Position is the number of samples heard.
func (o *Offline) Position() int64 { return o.h.at }

// AgentAudible is that of Listener.
func (o *Offline) AgentAudible(on bool, generation uint64, uninterruptible bool) {
	o.h.agentAudible(on, generation, uninterruptible)
}

// Expect is that of Listener.
func (o *Offline) Expect(e turn.Expectation) { o.h.expect(e) }

// State is what is known of the turn under way, for learning from it.
func (o *Offline) State() turn.State { return o.h.state() }

// Close closes the recogniser's stream.
func (o *Offline) Close() error { return o.h.stream.Close() }
