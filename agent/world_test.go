package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// wordTime is how long the test's voice takes for a word.
const wordTime = 80 * time.Millisecond

// call is one use of the voice.
type call struct {
	utterance uint64
	firm      bool
	held      bool // not released yet
	cut       time.Time
	paused    time.Time // zero: not paused
	samples   int64
}

// world is one interview with a real session, speaker and gate, and providers and a candidate made of chance. It watches
// what reaches the track and the journal, and keeps what is against the rules (voice-pipeline facts, section 12).
type world struct {
	iv    *engine.Interview
	voice *voice
	s     *session.Session

	mu       sync.Mutex
	rng      *rand.Rand // guarded by mu
	broken   []string
	calls    map[uint64]*call // by generation
	released map[uint64]bool  // by generation
	lastGen  uint64           // of the last frame of speech
	speaking time.Time        // since when the candidate speaks; zero: silent
	turns    int              // turns that were taken from the candidate
	calledID int

	// Belong to the session's goroutine until it has ended.
	u       *state.UserData // the state as the journal tells it
	entries []state.Entry
	said    map[uint64]saying
	ended   map[uint64]int
	tools   map[string]int
	facts   map[string]int
}

type saying struct {
	engine.Say
	at time.Time
}

func (w *world) violate(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

func (w *world) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.Float64() < p
}

// upTo is a random time, never the same twice in practice.
func (w *world) upTo(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.rng.Int64N(int64(d)))
}

// Encode implements playout.Encoder.
func (w *world) Encode(dst []byte, _ []int16) ([]byte, error) { return append(dst, 1), nil }

// WriteFrame is the track: the last place where a stale frame could be stopped.
func (w *world) WriteFrame(_ []byte, f playout.FrameInfo) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Silence || f.Generation == 0 {
		return nil
	}
	c := w.calls[f.Generation]
	now := time.Now()
	switch {
	case c == nil:
		w.violate("a frame of generation %d, which nobody asked for", f.Generation)
		return nil
	case c.held:
		w.violate("utterance %d was heard before its turn was decided", c.utterance)
	case f.Generation < w.lastGen:
		w.violate("a frame of generation %d after one of %d", f.Generation, w.lastGen)
	case !c.cut.IsZero() && now.After(c.cut):
		w.violate("utterance %d was heard %v after it was cut", c.utterance, now.Sub(c.cut))
	case !c.paused.IsZero() && now.After(c.paused):
		w.violate("utterance %d was heard %v after it was paused", c.utterance, now.Sub(c.paused))
	case c.samples == 0 && !c.firm && !w.speaking.IsZero() && now.After(w.speaking):
		w.violate("utterance %d began while the candidate had spoken for %v", c.utterance, now.Sub(w.speaking))
	}
	c.samples += int64(f.Samples)
	w.lastGen = f.Generation
	return nil
}

// Speak implements session.Voice in front of the real one.
func (w *world) Speak(ctx context.Context, u session.Utterance, src session.Source) session.Spoken {
	w.mu.Lock()
	c := &call{utterance: u.ID, firm: u.Firm, held: u.Hold && !w.released[u.Generation]}
	w.calls[u.Generation] = c
	w.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		c.cut = time.Now()
	})
	defer stop()
	return w.voice.Speak(ctx, u, src)
}

// Release implements session.Holder.
func (w *world) Release(generation uint64) {
	w.mu.Lock()
	w.released[generation] = true
	if c := w.calls[generation]; c != nil {
		c.held = false
	}
	w.mu.Unlock()
	w.voice.Release(generation)
}

// Pause implements session.Voice.
func (w *world) Pause() {
	w.voice.Pause()
	w.pausedSince(time.Now())
}

// Resume implements session.Voice.
func (w *world) Resume() {
	w.pausedSince(time.Time{})
	w.voice.Resume()
}

func (w *world) pausedSince(t time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.calls[w.lastGen]; c != nil {
		c.paused = t
	}
}

// Duck implements session.Voice.
func (w *world) Duck(on bool) { w.voice.Duck(on) }

// Audible implements session.Ears.
func (w *world) Audible(utterance uint64, on, _ bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if on {
		w.committed(utterance, "audible")
	}
}

// committed checks that a call about an utterance comes from one that was decided on.
func (w *world) committed(utterance uint64, what string) {
	for generation, c := range w.calls {
		if c.utterance == utterance && !c.held && (w.released[generation] || c.cut.IsZero() || c.samples > 0) {
			return
		}
	}
	w.violate("%s of utterance %d, which was never decided on", what, utterance)
}

// Take implements session.Ears as a listener does: the silence is reported, then the turn.
func (w *world) Take() {
	w.mu.Lock()
	spoke := !w.speaking.IsZero()
	w.speaking = time.Time{}
	w.turns++
	w.mu.Unlock()
	if spoke {
		w.s.Post(session.Event{Event: engine.SpeechStopped{}})
		w.s.Post(session.Turn{Text: "and that is what I was going to say"})
		return
	}
	w.s.Post(session.Event{Event: engine.NoWords{}})
}

// Expect, State, Stage, Candidate and Done need no watching.

// Expect implements session.Ears.
func (w *world) Expect(string) {}

// State implements session.Presence.
func (w *world) State(string) {}

// Stage implements session.Presence.
func (w *world) Stage(engine.Publish) {}

// Candidate implements session.Presence.
func (w *world) Candidate(uint64, string, bool) {}

// Done implements session.Presence.
func (w *world) Done(string) {}

// Words implements session.Presence.
func (w *world) Words(utterance uint64, _ string) { w.shown(utterance) }

// Said implements session.Presence.
func (w *world) Said(utterance uint64, _ string) { w.shown(utterance) }

func (w *world) shown(utterance uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.committed(utterance, "words")
}

func (w *world) observe(f engine.Fact) { w.facts[f.Name]++ }

// Stream implements llm.Model.
func (w *world) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	r := &chancy{w: w, ctx: ctx}
	for range 1 + int(w.upTo(3)) {
		r.pieces = append(r.pieces, llm.Delta{Text: "That is good to hear, truly it is. "})
	}
	switch w.upTo(10) {
	case 0:
		return nil, errors.New("status 500")
	case 1:
		r.end = errors.New("reset")
	case 2, 3:
		w.mu.Lock()
		w.calledID++
		id := fmt.Sprint("model-", w.calledID)
		w.mu.Unlock()
		name := []string{"note_introduction", "self_intro_complete", "experience_complete"}[w.upTo(3)]
		r.pieces = append(r.pieces[:w.upTo(2)], llm.Delta{ToolCall: &llm.ToolCall{ID: id, Name: name}})
	default:
		r.pieces = append(r.pieces, llm.Delta{Text: "What came next?"})
	}
	return r, nil
}

// chancy is a reply whose pieces come at random times.
type chancy struct {
	w      *world
	ctx    context.Context
	pieces []llm.Delta
	end    error
}

func (r *chancy) Next() (llm.Delta, error) {
	if err := pass(r.ctx, r.w.upTo(700*time.Millisecond)); err != nil {
		return llm.Delta{}, err
	}
	if len(r.pieces) > 0 {
		d := r.pieces[0]
		r.pieces = r.pieces[1:]
		return d, nil
	}
	if r.end != nil {
		return llm.Delta{}, r.end
	}
	return llm.Delta{}, io.EOF
}

func (r *chancy) Close() error { return nil }

func pass(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Synthesize implements tts.Synthesizer.
func (w *world) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	words := len(strings.Fields(r.Text))
	s := &sound{w: w, ctx: ctx, left: words * int(wordTime*audio.VoiceRate/time.Second)}
	if w.chance(0.03) {
		s.left /= 2
		s.end = errors.New("voice broke off")
	}
	return s, nil
}

// sound is speech that comes after a random time, and then at once.
type sound struct {
	w      *world
	ctx    context.Context
	left   int
	waited bool
	end    error
}

func (s *sound) Rate() int { return audio.VoiceRate }

func (s *sound) Read(pcm []int16) (int, error) {
	if !s.waited {
		s.waited = true
		if err := pass(s.ctx, s.w.upTo(500*time.Millisecond)); err != nil {
			return 0, err
		}
	}
	n := min(len(pcm), s.left)
	s.left -= n
	for i := range n {
		pcm[i] = 5000
	}
	switch {
	case n > 0:
		return n, nil
	case s.end != nil:
		return 0, s.end
	}
	return 0, io.EOF
}

func (s *sound) Close() error { return nil }
