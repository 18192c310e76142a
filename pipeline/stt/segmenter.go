package stt

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
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
	// Late sends nothing before the end of a segment is known: its text comes some 100 ms later. Else what may be the end is sent, too; on
	// human recordings that was half as many requests more, each of them cancelled when speech went on.
	Late bool
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
		return &batchDecoder{engine: t, language: language, retry: retry, attempt: attempt, late: o.Late}
	}
	return NewSegmented(name, newDecoder, o.Limits)
}

// batchDecoder collects a piece and sends it at its end, or when that may have come.
type batchDecoder struct {
	engine   Transcriber
	language string
	retry    fault.Retry
	attempt  time.Duration
	late     bool
	pcm      []int16
	early    *foreseen // nil: nothing is under way
}

// foreseen is the recognition of a piece that may be over.
type foreseen struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	ended  chan struct{} // closed when there is a result
	text   Transcript    // written before ended is closed
	err    error         // likewise
}

var _ EarlyDecoder = (*batchDecoder)(nil)

func (d *batchDecoder) Start(context.Context) error { return nil }

func (d *batchDecoder) Feed(_ context.Context, pcm []int16) (string, error) {
	d.pcm = append(d.pcm, pcm...)
	return "", nil
}

// Foresee sends what there is. The engine reads only that: what is fed later is appended behind it.
func (d *batchDecoder) Foresee(ctx context.Context) {
	d.void()
	if d.late {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	f, pcm := &foreseen{cancel: cancel, ended: make(chan struct{}), err: errUnforeseen}, d.pcm
	guard.From(ctx).Beside(&f.done, "stt", func() {
		defer close(f.ended)
		defer cancel()
		f.text, f.err = d.ask(ctx, pcm)
	})
	d.early = f
}

// errUnforeseen stands until there is a result.
var errUnforeseen = errors.New("recognition did not end")

// void ends what was begun too early.
func (d *batchDecoder) void() {
	if d.early != nil {
		d.early.cancel()
		d.early.done.Wait()
		d.early = nil
	}
}

// settle waits for what was begun early. It reports whether that has come to something.
func (d *batchDecoder) settle(ctx context.Context) (Transcript, bool) {
	if d.early == nil {
		return Transcript{}, false
	}
	select {
	case <-d.early.ended:
		return d.early.text, d.early.err == nil
	case <-ctx.Done():
		return Transcript{}, false
	}
}

func (d *batchDecoder) Finish(ctx context.Context) (Transcript, error) {
	defer d.Abort()
	if t, ok := d.settle(ctx); ok {
		return t, nil
	}
	var t Transcript
	err := d.retry.Do(ctx, func() (err error) {
		t, err = d.ask(ctx, d.pcm)
		return err
	})
	return t, err
}

func (d *batchDecoder) ask(ctx context.Context, pcm []int16) (Transcript, error) {
	ctx, cancel := context.WithTimeout(ctx, d.attempt)
	defer cancel()
	return d.engine.Transcribe(ctx, pcm, d.language)
}

func (d *batchDecoder) Abort() {
	d.void()
	if cap(d.pcm) > keepSamples {
		d.pcm = nil
	}
	d.pcm = d.pcm[:0]
}
