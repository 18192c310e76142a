package speak

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
)

// ahead is how much sound, in samples, may wait before the next clause is asked for: 3 s. It bounds what an interruption throws away,
// and is below the gate's lead.
const ahead = 3 * audio.VoiceRate

// progressStep is how often heard words are reported: two or three times a word.
const progressStep = 100 * time.Millisecond

// ErrNoAudio reports a clause for which the voice engine gave no sound.
var ErrNoAudio = errors.New("voice engine gave no sound")

// Source gives the clauses of an utterance.
type Source interface {
	// Next waits for the next clause. It returns io.EOF after the last one, and soon after ctx is cancelled. Another error
	// ends the utterance; what was given before is still spoken.
	Next(ctx context.Context) (Clause, error)
}

// Speaker speaks utterances, one after the other, through one gate. Fields must not change while Speak runs.
type Speaker struct {
	TTS  tts.Synthesizer
	Gate *playout.Gate
	// Logger is optional.
	Logger *zap.Logger
}

// Utterance says how something is to be spoken.
type Utterance struct {
	// Generation numbers the utterance for the gate; it must be higher than any before.
	Generation uint64
	// Voice, Language and Speed are passed to the voice engine.
	Voice, Language string
	Speed           float64
	// Hold prepares the utterance without letting it be heard before Gate.Release.
	Hold bool
	// OnWords receives the words as they become heard, with a leading space where one belongs; put together they are
	// Result.HeardText. It is called by the goroutine of Speak, must not block, and may be nil.
	OnWords func(text string)
}

// Result tells what became of an utterance.
type Result struct {
	// FirstAudio is when the first of it was heard; zero: nothing was.
	FirstAudio time.Time
	// Heard is the length of the sound handed to the track.
	Heard time.Duration
	// HeardText is the part of Text that was heard, in whole words, rounded down.
	HeardText string
	// Text is all that was to be spoken as far as the source gave it.
	Text string
	// Complete says that the source ended and all of its sound was heard.
	Complete bool
	// Cut says that the utterance was cancelled, superseded, or lost its track.
	Cut bool
	// Err is why the utterance is not complete, nil if it is or if it was cut on purpose. After an error of the engine or
	// the source, what had been synthesised before was still spoken: the rest is Text without HeardText and what the
	// source still holds.
	Err error
}

// Speak speaks everything of the source and returns when it was heard, or was cut: by cancelling ctx, or by the gate. It
// leaves no goroutine behind.
func (s *Speaker) Speak(ctx context.Context, u Utterance, src Source) Result {
	out, err := s.Gate.Open(u.Generation, u.Hold)
	if err != nil {
		return Result{Cut: errors.Is(err, playout.ErrStale) || errors.Is(err, playout.ErrClosed), Err: fmt.Errorf("open utterance: %w", err)}
	}
	work, stop := context.WithCancel(ctx)
	defer stop()
	d := s.delivery(u, src, out)
	var workers sync.WaitGroup
	g := guard.From(ctx)
	g.Go(&workers, "speak", func() { d.fetch(work) })
	g.Go(&workers, "speak", func() {
		defer stop() // nothing more is fetched once writing ended
		d.write(work)
	})
	d.follow(ctx, u.OnWords)
	if ctx.Err() != nil {
		s.Gate.Cancel(u.Generation)
	}
	stop()
	workers.Wait()
	return d.result(u.OnWords)
}

func (s *Speaker) delivery(u Utterance, src Source, out *playout.Utterance) *delivery {
	d := &delivery{
		engine:  s.TTS,
		request: tts.Request{Voice: u.Voice, Language: u.Language, Speed: u.Speed},
		source:  src,
		out:     out,
		permits: make(chan struct{}, 1),
		ready:   make(chan voiced),
		log:     s.Logger,
	}
	if d.log == nil {
		d.log = zap.NewNop()
	}
	return d
}

// follow reports words as they are heard until the utterance is over or ctx is cancelled.
func (d *delivery) follow(ctx context.Context, onWords func(string)) {
	tick := time.NewTicker(progressStep)
	defer tick.Stop()
	for {
		select {
		case <-d.out.Done():
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			d.report(d.script.heard(d.out.Heard()), onWords)
		}
	}
}

// report passes on what is new in the heard text. Text never shrinks: an estimate that proves too high is left standing.
func (d *delivery) report(heard string, onWords func(string)) {
	if len(heard) <= len(d.reported) {
		return
	}
	added := heard[len(d.reported):]
	d.reported = heard
	if onWords != nil {
		onWords(added)
	}
}

func (d *delivery) result(onWords func(string)) Result {
	end := d.out.End()
	r := Result{FirstAudio: end.Began, Text: d.script.text(), Err: d.err}
	r.Heard = time.Duration(d.out.Heard()) * time.Second / audio.VoiceRate
	r.Cut = !end.Complete
	r.Complete = end.Complete && r.Err == nil
	if r.Cut {
		r.Err = end.Err
	}
	d.report(d.script.heard(d.out.Heard()), onWords)
	if r.Complete {
		d.report(r.Text, onWords)
	}
	r.HeardText = d.reported
	return r
}
