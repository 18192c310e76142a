package turneval

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
)

// block is how much sound an engine takes at once, and how often it says what it understood: 100 ms, as in a session.
const block = turn.Rate / 10

// decoding has an engine hear the sound on the clock of the sound. What it understands comes when an engine that gets a block as soon as
// it is full, and needs the CPU time that this one did, has done all that was given to it before: on a machine that has nothing else to do.
type decoding struct {
	ctx     context.Context //nolint:containedctx // of the one clip that it hears; Write has none
	decoder stt.Decoder
	slow    float64
	handle  func(stt.Event)
	before  *audio.Tape

	at, ready int // now, and where the engine has done all that it was given
	segment   uint64
	open      bool
	waiting   []int16 // less than a block
	partial   string
	due       []timed
	err       error
}

var (
	_ stt.Recognizer = (*decoding)(nil)
	_ stt.Stream     = (*decoding)(nil)
)

// Open implements stt.Recognizer; there is one stream.
func (d *decoding) Open(_ context.Context, o stt.Options) (stt.Stream, error) {
	d.handle, d.before = o.Handle, audio.NewTape(stt.PreRoll)
	return d, nil
}

// Write gives the engine what fills a block, and sends what is due.
func (d *decoding) Write(frame []int16) {
	d.at += len(frame)
	d.before.Add(frame)
	if d.open {
		d.waiting = append(d.waiting, frame...)
		d.feed(block)
	}
	for len(d.due) > 0 && d.at >= d.due[0].at {
		d.handle(d.due[0].event)
		d.due = d.due[1:]
	}
}

// SpeechStarted implements stt.Stream.
func (d *decoding) SpeechStarted(segment uint64, prefix int) {
	older, newer := d.before.Last(prefix)
	d.waiting = append(append(d.waiting[:0], older...), newer...)
	d.segment, d.partial = segment, ""
	err := d.decoder.Start(d.ctx)
	d.open, d.err = err == nil, errors.Join(d.err, err)
}

// SpeechEnded implements stt.Stream.
func (d *decoding) SpeechEnded(segment uint64) {
	if !d.open {
		return
	}
	d.feed(1)
	d.open = false
	d.work(func() (stt.Event, error) {
		text, err := d.decoder.Finish(d.ctx)
		return stt.Final{Segment: segment, Text: text.Text, Confidence: text.Confidence}, err
	})
}

// feed gives the engine what waits, block by block, while there are least samples of it.
func (d *decoding) feed(least int) {
	for len(d.waiting) >= least {
		n := min(block, len(d.waiting))
		d.work(func() (stt.Event, error) {
			text, err := d.decoder.Feed(d.ctx, d.waiting[:n])
			if text == "" || text == d.partial {
				return nil, err
			}
			d.partial = text
			return stt.Partial{Segment: d.segment, Text: text}, err
		})
		d.waiting = append(d.waiting[:0], d.waiting[n:]...)
	}
}

// work lets the engine do something, and what it says of it come when that is done.
func (d *decoding) work(do func() (stt.Event, error)) {
	began := processorTime()
	event, err := do()
	d.ready = max(d.ready, d.at) + int(turn.Samples(time.Duration(d.slow*float64(processorTime()-began))))
	d.err = errors.Join(d.err, err)
	if event != nil {
		d.due = append(d.due, timed{d.ready, event})
	}
}

// processorTime is what this process has used of the processors; what others use does not count.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it does not fail for RUSAGE_SELF
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Close implements stt.Stream.
func (d *decoding) Close() error {
	if d.open {
		d.decoder.Abort()
	}
	return d.err
}
