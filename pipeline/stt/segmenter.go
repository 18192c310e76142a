package stt

import (
	"context"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

// keepSamples is the largest buffer a stream keeps between segments (15 s, 480 kB).
const keepSamples = 15 * SampleRate

// Transcriber recognises a whole piece of speech at once. It is safe for concurrent use.
type Transcriber interface {
	// Transcribe gives the text of pcm (16 kHz mono). It returns promptly when ctx is cancelled, and does not keep pcm
	// after it has returned.
	Transcribe(ctx context.Context, pcm []int16, language string) (Transcript, error)
}

// SegmenterOptions configures NewSegmenter. The zero value is that of a live conversation.
type SegmenterOptions struct {
	Limits Limits
	// Attempt bounds one request; all of them together are bounded by Limits.Finish. 0 means 6 s.
	Attempt time.Duration
	// Retry says when to try again; nil means fault.LiveRetry.
	Retry *fault.Retry
}

// defaultAttempt bounds one request to a batch engine: twice the slowest p99 published for recognisers (1.8 s) and room for
// a long segment.
const defaultAttempt = 6 * time.Second

// NewSegmenter makes a Recognizer of a batch engine: audio between SpeechStarted and SpeechEnded, with its pre-roll, is sent
// as one piece. It sends no partials.
func NewSegmenter(name string, t Transcriber, o SegmenterOptions) *Segmented {
	retry := fault.LiveRetry()
	if o.Retry != nil {
		retry = *o.Retry
	}
	attempt := o.Attempt
	if attempt == 0 {
		attempt = defaultAttempt
	}
	newDecoder := func(_ context.Context, language string, _ func(string)) Decoder {
		return &batchDecoder{engine: t, language: language, retry: retry, attempt: attempt}
	}
	return NewSegmented(name, newDecoder, o.Limits)
}

// batchDecoder collects a piece and sends it at its end.
type batchDecoder struct {
	engine   Transcriber
	language string
	retry    fault.Retry
	attempt  time.Duration
	pcm      []int16
}

var _ Decoder = (*batchDecoder)(nil)

func (d *batchDecoder) Start(context.Context) error { return nil }

func (d *batchDecoder) Feed(_ context.Context, pcm []int16) (string, error) {
	d.pcm = append(d.pcm, pcm...)
	return "", nil
}

func (d *batchDecoder) Finish(ctx context.Context) (Transcript, error) {
	defer d.Abort()
	var t Transcript
	err := d.retry.Do(ctx, func() (err error) {
		t, err = d.ask(ctx)
		return err
	})
	return t, err
}

func (d *batchDecoder) ask(ctx context.Context) (Transcript, error) {
	ctx, cancel := context.WithTimeout(ctx, d.attempt)
	defer cancel()
	return d.engine.Transcribe(ctx, d.pcm, d.language)
}

func (d *batchDecoder) Abort() {
	if cap(d.pcm) > keepSamples {
		d.pcm = nil
	}
	d.pcm = d.pcm[:0]
}
