package stt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
)

// Transcript is the result of recognising a piece of speech.
type Transcript struct {
	Text string
	// Confidence is between 0 and 1; 0 means the engine does not say.
	Confidence float64
}

// Decoder recognises the segments of one stream, one after the other. All calls come from one goroutine, in the order
// Start, Feed…, then Finish or Abort. Every call must return promptly when its context is cancelled.
type Decoder interface {
	// Start begins a segment. It may wait for a resource; audio is queued meanwhile. After an error neither Finish nor
	// Abort is called.
	Start(ctx context.Context) error
	// Feed takes the next samples and returns what is understood so far, or "" if it cannot say yet. It does not keep pcm.
	Feed(ctx context.Context, pcm []int16) (partial string, err error)
	// Finish ends the segment and gives its text.
	Finish(ctx context.Context) (Transcript, error)
	// Abort ends the segment without a result.
	Abort()
}

// EarlyDecoder is a Decoder that can begin with the work of Finish while it is not known yet whether the segment is over.
type EarlyDecoder interface {
	Decoder
	// Foresee begins with what was fed until now, beside the calls that follow, and does not wait. It voids the call before; a Finish that
	// follows gives the text of what was fed until the last one. ctx is the stream's.
	Foresee(ctx context.Context)
}

// LiveDecoder is a Decoder whose engine reports text of its own accord, over a connection that outlives segments. The calls
// come from the same goroutine as a Decoder's.
type LiveDecoder interface {
	Decoder
	// Changed is signalled when Poll has something to do or to tell. It is never closed; a signal too many does no harm.
	Changed() <-chan struct{}
	// Poll does what is due on the connection and gives the text of the segment so far, or "" if there is none.
	Poll(ctx context.Context) string
	// Close is the last call. It ends the connection and waits for the decoder's goroutines.
	Close()
}

// Limits bounds the work on a segment. A zero field takes the value of a live conversation.
type Limits struct {
	// Start bounds the wait for the engine to take a segment: 10 s.
	Start time.Duration
	// Feed bounds the work on one piece of audio (at most 100 ms of it): 5 s.
	Feed time.Duration
	// Finish bounds the wait for the text after the end of a segment, all attempts included: 15 s.
	Finish time.Duration
	// MaxSegment is the longest piece given to the engine at once: a minute. Longer segments are cut there and their texts joined.
	MaxSegment time.Duration
	// Backlog bounds the audio that waits while the engine is busy: 90 s, 2.9 MB. When it is full the newest audio of the segment
	// is dropped, and the segment fails.
	Backlog time.Duration
}

// minSegment is the shortest piece worth asking about; a shorter one is answered with an empty text, because recognisers invent words
// for clicks.
const minSegment = SampleRate / 10

func (l Limits) orDefault() Limits {
	return Limits{
		Start: cmp.Or(l.Start, 10*time.Second), Feed: cmp.Or(l.Feed, 5*time.Second), Finish: cmp.Or(l.Finish, 15*time.Second),
		MaxSegment: cmp.Or(l.MaxSegment, time.Minute), Backlog: cmp.Or(l.Backlog, 90*time.Second),
	}
}

func samples(d time.Duration) int { return int(d.Seconds() * SampleRate) }

var errNoHandle = errors.New("open recognition stream: Options.Handle is nil")

// Segmented makes a Recognizer of a Decoder: it keeps the pre-roll, queues audio while the engine is busy, cuts what is too
// long, and sees to it that every segment is answered, in order.
type Segmented struct {
	name   string
	make   NewDecoder
	limits Limits
}

// NewDecoder makes the decoder of one stream, when that is opened: a LiveDecoder's time to connect. It must not block; ctx is the
// stream's. During Finish, and only then, a LiveDecoder may call report with the text so far; at other times Poll is asked.
type NewDecoder func(ctx context.Context, language string, report func(text string)) Decoder

var _ Recognizer = (*Segmented)(nil)

// NewSegmented makes a recognizer of an engine's decoders. The name is used in errors.
func NewSegmented(name string, newDecoder NewDecoder, l Limits) *Segmented {
	return &Segmented{name: name, make: newDecoder, limits: l.orDefault()}
}

// Open starts a stream with one goroutine of its own, which ends with Close.
func (r *Segmented) Open(ctx context.Context, o Options) (Stream, error) {
	if o.Handle == nil {
		return nil, errNoHandle
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open recognition stream: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &segmentedStream{intake: newIntake(samples(r.limits.Backlog)), cancel: cancel}
	w := &worker{name: r.name, limits: r.limits, intake: s.intake, handle: o.Handle}
	w.decoder = r.make(ctx, o.Language, func(text string) { w.report(w.turn.segment, text) })
	if live, ok := w.decoder.(LiveDecoder); ok {
		w.live, w.changed = live, live.Changed()
	}
	guard.From(ctx).Go(&s.done, "stt", func() { w.run(ctx) })
	return s, nil
}

type segmentedStream struct {
	*intake
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func (s *segmentedStream) Write(frame []int16)                      { s.write(frame) }
func (s *segmentedStream) SpeechStarted(segment uint64, prefix int) { s.start(segment, prefix) }
func (s *segmentedStream) SpeechPaused(segment uint64)              { s.pause(segment) }
func (s *segmentedStream) SpeechEnded(segment uint64)               { s.end(segment) }

func (s *segmentedStream) Close() error {
	s.cancel()
	s.done.Wait()
	return nil
}

// worker is the goroutine of a stream: it alone talks to the decoder and to the handler.
type worker struct {
	name    string
	decoder Decoder
	limits  Limits
	intake  *intake
	handle  func(Event)
	live    LiveDecoder     // the decoder, if it is one
	changed <-chan struct{} // its signal; nil otherwise

	turn turn
}

// turn is the state of the segment being recognised.
type turn struct {
	open    bool
	segment uint64
	active  bool // the decoder has started
	fed     int  // samples given to the current piece
	err     error
	parts   []string // texts of the pieces already finished
	lowest  float64  // least confidence of a piece that had one
	partial string   // last partial sent
}

func (w *worker) run(ctx context.Context) {
	defer w.close()
	for ctx.Err() == nil {
		if it, ok := w.intake.take(); ok {
			w.step(ctx, it)
			continue
		}
		select {
		case <-w.intake.ready:
		case <-w.changed:
			w.poll(ctx)
		case <-ctx.Done():
		}
	}
}

// poll asks a live decoder what is new.
func (w *worker) poll(ctx context.Context) {
	text := w.live.Poll(ctx)
	if w.turn.active {
		w.report(w.turn.segment, text)
	}
}

func (w *worker) close() {
	w.abort()
	if w.live != nil {
		w.live.Close()
	}
}

func (w *worker) step(ctx context.Context, it item) {
	switch it.kind {
	case itemStart:
		w.abort()
		w.turn = turn{open: true, segment: it.segment}
	case itemAudio:
		w.feed(ctx, it.segment, it.audio.pcm[:it.audio.n])
		w.intake.release(it.audio)
	case itemPause:
		w.foresee(ctx)
	case itemEnd:
		w.end(ctx, it)
	}
}

func (w *worker) feed(ctx context.Context, segment uint64, pcm []int16) {
	t := &w.turn
	if t.err != nil {
		return
	}
	if !t.active {
		if t.err = w.start(ctx); t.err != nil {
			return
		}
	}
	text, err := w.decode(ctx, pcm)
	if err != nil {
		t.err = err
		return
	}
	t.fed += len(pcm)
	w.report(segment, text)
	if t.fed >= samples(w.limits.MaxSegment) {
		w.foresee(ctx) // what was foreseen before has less
		t.err = w.finish(ctx)
	}
}

// foresee has the decoder begin with what may be all of the segment.
func (w *worker) foresee(ctx context.Context) {
	if early, ok := w.decoder.(EarlyDecoder); ok && w.turn.active && w.turn.err == nil && w.turn.fed >= minSegment {
		early.Foresee(ctx)
	}
}

func (w *worker) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.limits.Start)
	defer cancel()
	if err := w.decoder.Start(ctx); err != nil {
		return fault.From("transcribe", w.name, err)
	}
	w.turn.active, w.turn.fed = true, 0
	return nil
}

func (w *worker) decode(ctx context.Context, pcm []int16) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, w.limits.Feed)
	defer cancel()
	text, err := w.decoder.Feed(ctx, pcm)
	if err != nil {
		return "", fault.From("transcribe", w.name, err)
	}
	return text, nil
}

// report sends a partial if it says something new.
func (w *worker) report(segment uint64, text string) {
	if text == "" {
		return
	}
	text = joinTexts(w.turn.parts, text)
	if text != w.turn.partial {
		w.turn.partial = text
		w.handle(Partial{Segment: segment, Text: text})
	}
}

// finish ends the current piece and keeps its text.
func (w *worker) finish(ctx context.Context) error {
	t := &w.turn
	if t.fed < minSegment {
		w.abort()
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.limits.Finish)
	defer cancel()
	t.active = false
	got, err := w.decoder.Finish(ctx)
	if err != nil {
		return fault.From("transcribe", w.name, err)
	}
	if text := strings.TrimSpace(got.Text); text != "" {
		t.parts = append(t.parts, text)
	}
	if got.Confidence > 0 && (t.lowest == 0 || got.Confidence < t.lowest) {
		t.lowest = got.Confidence
	}
	return nil
}

func (w *worker) end(ctx context.Context, it item) {
	if !w.turn.open || w.turn.segment != it.segment {
		w.handle(Final{Segment: it.segment}) // ended without a start
		return
	}
	t := &w.turn
	if t.active && t.err == nil {
		t.err = w.finish(ctx)
	}
	w.abort()
	if t.err == nil && it.overrun {
		t.err = w.overrun()
	}
	result := *t
	w.turn = turn{}
	if ctx.Err() != nil {
		return
	}
	if result.err != nil {
		w.handle(Failed{Segment: it.segment, Err: result.err})
		return
	}
	w.handle(Final{Segment: it.segment, Text: joinTexts(result.parts, ""), Confidence: result.lowest})
}

func (w *worker) overrun() error {
	return &fault.Error{
		Op: "transcribe", Provider: w.name, Kind: fault.Timeout,
		Err: fmt.Errorf("the engine fell %v behind, audio was dropped", w.limits.Backlog),
	}
}

// abort ends a piece that nobody wants any more.
func (w *worker) abort() {
	if w.turn.active {
		w.turn.active = false
		w.decoder.Abort()
	}
}

func joinTexts(parts []string, last string) string {
	if last != "" {
		parts = append(parts[:len(parts):len(parts)], last)
	}
	return strings.Join(parts, " ")
}
