package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
)

const (
	// maxLead bounds the words of a model that leads the turn, in characters: a minute of speech.
	maxLead = 900
	// readingWait bounds how long the end of an utterance waits for the reading once its words are over, and how long the reading is
	// waited for after that, or after the candidate cut in.
	readingWait = 2 * time.Second
)

var (
	errRepeated  = errors.New("the model repeated a question")
	errRevealing = errors.New("the model gave away what is hidden")
	errSilent    = errors.New("the model said nothing")
	errUnvoiced  = errors.New("the voice failed before the model had finished")
	errLooping   = errors.New("the model said the same words over and over")
	errLengthy   = fmt.Errorf("the model said more than %d characters", maxLead)
	errNoModel   = errors.New("there is no model")
	errNoTokens  = errors.New("the budget of tokens is spent")
	errHalfSaid  = errors.New("the model stopped half way")
	errForsaken  = errors.New("nobody waits for the reading any more")
)

// lead is the reply of a model that leads the turn: words, and behind them what it understood. A goroutine of its own reads it to
// its end at the model's pace, so that neither waits for the voice nor the voice for them; what the model cannot say is left unsaid,
// and the engine's rules go on. There is no script.
type lead struct {
	w    *words
	stop context.CancelCauseFunc // nil before it is started
	done chan struct{}           // closed by read: the reading was told, or will not come
	wake chan struct{}           // one slot: look again
	ends chan struct{}           // closed with over

	// These belong to read.
	model    *reply
	chunks   speak.Chunker
	decoder  respond.Decoder
	repeated bool // a question was left out

	mu       sync.Mutex
	clauses  []speak.Clause // guarded by mu: checked and not given yet
	texts    []string       // guarded by mu: all that were checked
	length   int            // guarded by mu: their characters
	given    int            // guarded by mu: characters given to the voice
	over     bool           // guarded by mu: no more clauses come
	degraded error          // guarded by mu: why they are not all
}

func newLead(w *words) *lead {
	return &lead{w: w, done: make(chan struct{}), wake: make(chan struct{}, 1), ends: make(chan struct{})}
}

// next gives the next clause to the voice. The first call starts the request.
func (l *lead) next(ctx context.Context) (speak.Clause, error) {
	if l.stop == nil {
		l.start(ctx)
	}
	for {
		c, ok, over := l.take()
		switch {
		case ok:
			l.w.progress.note(&l.w.progress.firstClause)
			c.Fixed = l.w.s.o.Interview.Words.Fixed(c.Text)
			return c, nil
		case over:
			return speak.Clause{}, io.EOF
		}
		select {
		case <-ctx.Done():
			return speak.Clause{}, context.Cause(ctx)
		case <-l.wake:
		}
	}
}

func (l *lead) take() (c speak.Clause, ok, over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.clauses) == 0 {
		return c, false, l.over
	}
	c, l.clauses = l.clauses[0], l.clauses[1:]
	l.given += utf8.RuneCountInString(c.Text)
	return c, true, false
}

// start asks the model. The request outlives the utterance: its reading counts although its words were cut off.
func (l *lead) start(ctx context.Context) {
	if base := l.w.s.speech.base; base != nil {
		ctx = base //nolint:contextcheck // it outlives the utterance, and ends with the session
	}
	ctx, l.stop = context.WithCancelCause(ctx)
	l.w.s.guard.Go(&l.w.s.tasks, "speak", func() {
		defer close(l.done)
		l.read(ctx)
	})
}

// read takes the reply. A model that only repeated a question is asked once more.
func (l *lead) read(ctx context.Context) {
	err := l.attempt(ctx, false)
	if errors.Is(err, errRepeated) {
		err = l.attempt(ctx, true)
	}
	late := errors.Is(err, errLate) || errors.Is(err, errHalting)
	if l.conclude(err) && late && ctx.Err() == nil {
		l.w.post(alarm{Which: watchThinking, Utterance: l.w.say.Utterance, Lasted: l.w.s.modelWait})
	}
	if err != nil && ctx.Err() == nil {
		l.w.post(remark{"reading.missing", []engine.Field{
			{Key: "utterance", Value: l.w.say.Utterance}, {Key: "error", Value: said(err)},
		}})
	}
}

// attempt takes one reply; its error says why there is no reading of it.
func (l *lead) attempt(ctx context.Context, again bool) error {
	w := l.w
	l.decoder, l.repeated, l.chunks = respond.Decoder{}, false, speak.Chunker{}
	if err := l.ask(ctx, again); err != nil {
		return err
	}
	defer l.hangUp()
	for {
		d, err := l.model.next()
		if err != nil {
			return l.finish(err)
		}
		w.cost.received(d)
		if d.Text == "" {
			continue
		}
		w.progress.note(&w.progress.firstToken)
		said := l.decoder.Said()
		if err := l.accept(l.chunks.Push(l.decoder.Push(d.Text))); err != nil {
			return err
		}
		if !said && l.decoder.Said() {
			if err := l.allSaid(); err != nil {
				return err
			}
		}
	}
}

// ask sends the request. A service that does not take the schema is told of it in words, now and from then on.
func (l *lead) ask(ctx context.Context, again bool) error {
	w := l.w
	lines, err := w.say.Lead.Request(again)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	w.cost.asked(lines)
	w.progress.note(&w.progress.modelAsked)
	w.s.o.Meter.begin()
	plain := w.s.plain.Load()
	l.model, err = open(ctx, w.s.o.Model, request(lines, plain), w.s.modelWait)
	if !plain && fault.Form(err) {
		w.s.plain.Store(true)
		l.model, err = open(ctx, w.s.o.Model, request(lines, true), w.s.modelWait)
	}
	if err != nil {
		w.s.o.Meter.end()
	}
	return err
}

func (l *lead) hangUp() {
	l.model.close()
	l.w.s.o.Meter.end()
}

// accept hands clauses on. A question that was asked before is left out; what gives away what is hidden ends the reply, too many
// words only the words.
func (l *lead) accept(clauses []speak.Clause) error {
	for _, c := range clauses {
		switch {
		case strings.ContainsAny(c.Text, "?？") && l.w.say.Lead.Repeats(c.Text):
			l.repeated = true
		case l.reveals(c.Text):
			l.w.post(remark{"secret.withheld", []engine.Field{{Key: "utterance", Value: l.w.say.Utterance}}})
			return errRevealing
		case looping(append(l.said(), c.Text)):
			l.conclude(errLooping)
		case !l.add(c):
			l.conclude(errLengthy)
		}
	}
	return nil
}

// loop is how often in a row nobody means to say a word.
const loop = 8

// looping reports whether clauses end with one word over and over: small models may fall into that, and do not come out of it.
func looping(clauses []string) bool {
	words := strings.Fields(strings.Join(clauses, " "))
	if len(words) < loop {
		return false
	}
	last := words[len(words)-loop:]
	return !slices.ContainsFunc(last, func(w string) bool { return !strings.EqualFold(w, last[0]) })
}

// reveals reports whether the clause, with what stands before it, gives away what is hidden.
func (l *lead) reveals(clause string) bool {
	return l.w.say.Lead.Reveals(speak.Join(l.text(), clause))
}

// add hands one clause on; it reports false for one too many.
func (l *lead) add(c speak.Clause) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return true
	}
	if l.length += utf8.RuneCountInString(c.Text); l.length > maxLead {
		return false
	}
	l.clauses, l.texts = append(l.clauses, c), append(l.texts, c.Text)
	l.look()
	return true
}

// allSaid ends the words: only the reading is still to come.
func (l *lead) allSaid() error {
	if err := l.accept(l.chunks.Flush()); err != nil {
		return err
	}
	l.w.progress.note(&l.w.progress.lastWord)
	switch empty := l.text() == ""; {
	case empty && l.repeated:
		return errRepeated
	case empty:
		l.conclude(errSilent)
	default:
		l.conclude(nil)
	}
	return nil
}

// finish takes the end of the stream, or its failure, and tells the reading. Of words that were cut off, whole clauses count.
func (l *lead) finish(ended error) error {
	said := l.decoder.Said()
	rest, reading, missing := l.decoder.Finish()
	whole := errors.Is(ended, io.EOF)
	switch {
	case said: // and concluded
	case !whole:
		return ended
	case !l.decoder.Said():
		l.conclude(errHalfSaid)
		return errHalfSaid
	default:
		if err := l.accept(l.chunks.Push(rest)); err != nil {
			return err
		}
		if err := l.allSaid(); err != nil {
			return err
		}
	}
	if missing != nil {
		if !whole {
			return ended
		}
		return missing
	}
	l.w.progress.read(len(reading))
	l.w.post(Event{engine.Read{Utterance: l.w.say.Utterance, Visit: l.w.say.Visit, Reading: reading}})
	return nil
}

// conclude ends the words, with why they are not all; it reports whether they had not ended before.
func (l *lead) conclude(why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.over, l.degraded = true, why
	close(l.ends)
	l.look()
	return true
}

func (l *lead) look() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lead) text() string { return speak.Join(l.said()...) }

// said is a copy of the clauses so far.
func (l *lead) said() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.texts)
}

// outcome is how the words came out so far.
func (l *lead) outcome() (worded bool, degraded string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.degraded != nil {
		degraded = l.degraded.Error()
	}
	return len(l.texts) > 0, degraded
}

// unvoiced completes the words of an utterance whose voice has failed, as far as they come soon: they can be read.
func (l *lead) unvoiced() {
	if l.stop != nil {
		timer := time.NewTimer(readingWait)
		defer timer.Stop()
		select {
		case <-l.ends:
		case <-timer.C:
		}
	}
	l.conclude(errUnvoiced)
}

// await waits until all of the reply has come, ctx ends, or the limit is over.
func (l *lead) await(ctx context.Context, limit time.Duration) {
	if l.stop == nil {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// finished says whether nothing of the reply is still to come.
func (l *lead) finished() bool {
	if l.stop == nil {
		return true
	}
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// close ends the request, and waits for what reads it.
func (l *lead) close() {
	if l.stop != nil {
		l.stop(errForsaken)
		<-l.done
	}
}
