package agent

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// wordTime is how long the test's voice takes for a word.
const wordTime = 40 * time.Millisecond

// world is one interview with a real session, speaker and gate, and providers and a candidate made of chance. It notes what
// reaches the track, the journal and the room, and has its rules look at it.
type world struct {
	iv      *engine.Interview
	seed    uint64
	slow    time.Duration                      // how long a provider takes, at most
	tasks   func(*session.Meter) session.Tasks // nil: nobody carries them out
	listens bool                               // with real ears; otherwise the candidate reports what a listener would
	voice   *voice
	ears    *ears
	s       *session.Session
	began   time.Time
	asks    atomic.Uint64 // calls of providers so far

	mu       sync.Mutex
	rules    *rules
	keep     bool
	trace    []note
	released map[uint64]bool   // by generation
	onTrack  map[uint64]uint64 // utterances by generation
	audible  uint64            // the utterance heard last
	over     map[uint64]bool   // utterances that have ended
	speaking bool              // the candidate
	turns    int               // turns that were taken from the candidate
	facts    map[string]int
}

// newWorld prepares an interview; chance decides how slow its providers are.
func newWorld(iv *engine.Interview, seed uint64) *world {
	return &world{
		iv: iv, seed: seed, slow: 20*time.Millisecond + upTo(chance(seed, 1), 700*time.Millisecond), rules: newRules(iv),
		released: make(map[uint64]bool), onTrack: make(map[uint64]uint64), over: make(map[uint64]bool), facts: make(map[string]int),
	}
}

// chance is one of the seed's sources of random numbers. Everybody has their own, so that who draws first changes nothing.
func chance(seed, source uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, source)) }

// upTo is a random time, never the same twice in practice.
func upTo(rng *rand.Rand, d time.Duration) time.Duration { return time.Duration(rng.Int64N(int64(d))) }

// provider is the source of random numbers of one call of a provider.
func (w *world) provider() *rand.Rand { return chance(w.seed, 1000+w.asks.Add(1)) }

// play holds the interview in a bubble, for so long at most, with a candidate and what else is started beside it.
func (w *world) play(t *testing.T, limit time.Duration, candidate func(context.Context)) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil { // the bubble's: something waits for ever
			t.Errorf("seed %d breaks %v: %v", w.seed, closes, p)
		}
	}()
	synctest.Test(t, func(t *testing.T) { w.hold(t, limit, candidate) })
}

func (w *world) hold(t *testing.T, limit time.Duration, candidate func(context.Context)) {
	w.began = time.Now()
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, session.Reason("enough"))
	defer cancel()
	w.open(t)
	go candidate(ctx)
	_, err := w.s.Run(ctx)
	cancel()
	w.voice.close()
	if w.ears != nil {
		w.ears.close()
	}
	synctest.Wait()
	w.note(note{kind: noteOver, user: w.s.UserData(), err: err})
}

// open makes the voice, with a lead as short as the test's words are, and the session.
func (w *world) open(t *testing.T) {
	t.Helper()
	v := &voice{started: make(map[uint64]func())}
	var err error
	if v.gate, err = playout.New(playout.Options{Writer: w, Encoder: w, Started: v.begun, Lead: 600 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	v.speaker = &speak.Speaker{TTS: w, Gate: v.gate, Logger: zap.NewNop()}
	w.voice = v
	meter := session.NewMeter(w.iv.Def.Budget.SessionTokens)
	var tasks session.Tasks
	if w.tasks != nil {
		tasks = w.tasks(meter)
	}
	var model llm.Model // in every third world there is none: the rules speak
	if w.seed%3 > 0 {
		model = w
	}
	w.s, err = session.New(session.Options{
		Interview: w.iv, Start: engine.Started{Session: "s", Locale: "en"}, Voice: w, Ears: w, Presence: w,
		Journal: w, Model: model, Logger: zap.NewNop(), Observe: w.observe, Speculate: true, Tasks: tasks, Meter: meter,
	})
	if err != nil {
		t.Fatal(err)
	}
	if w.listens {
		w.ears = w.listen(t)
		w.ears.to(w.s)
	}
}

// note has the rules look at what has happened.
func (w *world) note(n note) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteLocked(n)
}

func (w *world) noteLocked(n note) {
	n.at = time.Since(w.began)
	if w.keep {
		w.trace = append(w.trace, n)
	}
	w.rules.see(n)
}

// post hands the session a fact of the ears. The order of the notes is that of the mailbox.
func (w *world) post(m session.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.s.Post(m) {
		return
	}
	switch m := m.(type) {
	case session.Event:
		if _, timer := m.Event.(engine.TimerFired); !timer {
			w.noteLocked(note{kind: notePosted, event: m.Event})
		}
	case session.Turn:
		w.noteLocked(note{kind: notePosted, event: engine.UserTurn{Text: m.Text}})
	}
}

// Append implements state.Journal: the rules are checked after every event, on the session's goroutine.
func (w *world) Append(e state.Entry) error {
	ev, err := engine.Decode(e)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteLocked(note{kind: noteJournalled, clock: e.At, event: ev, user: w.s.UserData()})
	switch ev := ev.(type) {
	case engine.VoiceEnded:
		w.over[ev.Utterance] = true
	case engine.SpeechStarted:
		w.heardSpeech(true)
	case engine.SpeechStopped:
		w.heardSpeech(false)
	}
	return nil
}

// heardSpeech: where the ears are real, the candidate speaks once they say so.
func (w *world) heardSpeech(on bool) {
	if w.ears != nil {
		w.noteLocked(note{kind: noteSpeech, on: on})
	}
}

// Close implements state.Journal.
func (w *world) Close() error { return nil }

// Encode implements playout.Encoder.
func (w *world) Encode(dst []byte, _ []int16) ([]byte, error) { return append(dst, 1), nil }

// WriteFrame is the track: the last place where a stale frame could be stopped.
func (w *world) WriteFrame(_ []byte, f playout.FrameInfo) error {
	if f.Generation == 0 {
		return nil
	}
	n := note{kind: noteFrame, generation: f.Generation, n: int64(f.Samples)}
	if f.Silence {
		n.n = 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteLocked(n)
	w.audible = w.onTrack[f.Generation]
	return nil
}

// Speak implements session.Voice in front of the real one.
func (w *world) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	w.mu.Lock()
	w.onTrack[u.Generation] = u.ID
	w.noteLocked(note{kind: noteAsked, generation: u.Generation, utterance: u.ID, firm: u.Firm, on: u.Hold && !w.released[u.Generation]})
	w.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { w.note(note{kind: noteCut, generation: u.Generation}) })
	defer stop()
	spoken := w.voice.Speak(ctx, u, src)
	w.note(note{kind: noteSpoke, generation: u.Generation, text: spoken.Heard, on: spoken.Complete, err: spoken.Err})
	return spoken
}

// Release implements session.Holder.
func (w *world) Release(generation uint64) {
	w.mu.Lock()
	w.released[generation] = true
	w.noteLocked(note{kind: noteReleased, generation: generation})
	w.mu.Unlock()
	w.voice.Release(generation)
}

// Pause implements session.Voice.
func (w *world) Pause() {
	w.voice.Pause()
	w.note(note{kind: notePaused, on: true})
}

// Resume implements session.Voice.
func (w *world) Resume() {
	w.note(note{kind: notePaused})
	w.voice.Resume()
}

// Duck implements session.Voice.
func (w *world) Duck(on bool) { w.voice.Duck(on) }

// Audible implements session.Ears.
func (w *world) Audible(utterance uint64, on, firm bool) {
	if on {
		w.note(note{kind: noteShown, utterance: utterance})
	}
	if w.ears != nil {
		w.ears.Audible(utterance, on, firm)
	}
}

// Take implements session.Ears as a listener does: the silence is reported, then the turn.
func (w *world) Take() {
	if w.ears != nil {
		w.ears.Take()
		return
	}
	w.mu.Lock()
	spoke := w.speaking
	w.speaking = false
	w.turns++
	w.noteLocked(note{kind: noteSpeech})
	w.mu.Unlock()
	if spoke {
		w.post(session.Event{Event: engine.SpeechStopped{}})
		w.post(session.Turn{Text: "and that is what I was going to say"})
		return
	}
	w.post(session.Event{Event: engine.NoWords{}})
}

// Expect implements session.Ears.
func (w *world) Expect(mode, answer string) {
	if w.ears != nil {
		w.ears.Expect(mode, answer)
	}
}

// State, Stage, Candidate and Done implement session.Presence; they need no watching.
func (w *world) State(string) {}

// Stage implements session.Presence.
func (w *world) Stage(engine.Publish) {}

// Candidate implements session.Presence.
func (w *world) Candidate(uint64, string, session.Certainty) {}

// Done implements session.Presence.
func (w *world) Done(string) {}

// Words implements session.Presence.
func (w *world) Words(utterance uint64, _ string) {
	w.note(note{kind: noteShown, utterance: utterance})
}

// Said implements session.Presence.
func (w *world) Said(utterance uint64, _ string) { w.note(note{kind: noteShown, utterance: utterance}) }

func (w *world) observe(f engine.Fact) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.facts[f.Name]++
	w.noteLocked(note{kind: noteLogged, fact: f})
}
