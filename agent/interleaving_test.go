package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Append implements state.Journal: it checks the rules after every event, on the session's goroutine.
func (w *world) Append(e state.Entry) error {
	ev, err := engine.Decode(e)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, e)
	switch ev := ev.(type) {
	case engine.VoiceStarted:
		w.checkKnown(ev.Utterance, "a first frame")
	case engine.VoiceEnded:
		w.checkEnded(ev)
	case engine.ToolCalled:
		w.checkKnown(ev.Utterance, "a tool call")
		if w.tools[ev.Call]++; w.tools[ev.Call] > 1 {
			w.violate("tool call %s came %d times", ev.Call, w.tools[ev.Call])
		}
	}
	var effects []engine.Effect
	before := w.u
	w.u, effects = w.iv.Step(w.u, e.At, ev)
	w.checkStep(before, effects)
	return nil
}

// Close implements state.Journal.
func (w *world) Close() error { return nil }

func (w *world) checkKnown(utterance uint64, what string) {
	if _, ok := w.said[utterance]; !ok {
		w.violate("%s of utterance %d, which the engine has not asked for", what, utterance)
	}
}

// Rules 3 and 5: one end each, and no word is kept that the track did not take.
func (w *world) checkEnded(e engine.VoiceEnded) {
	w.checkKnown(e.Utterance, "an end")
	if w.ended[e.Utterance]++; w.ended[e.Utterance] > 1 {
		w.violate("utterance %d ended %d times", e.Utterance, w.ended[e.Utterance])
	}
	if e.Failed != "" {
		return // its words were shown
	}
	samples := int64(0)
	for _, c := range w.calls {
		if c.utterance == e.Utterance {
			samples = max(samples, c.samples)
		}
	}
	// A word counts once its sound has been sent; the ends of clauses are estimated until they are synthesised.
	most := samples*int64(time.Second)/audio.VoiceRate/int64(wordTime) + 2
	if n := len(strings.Fields(e.Heard)); n > 0 && (samples == 0 || int64(n) > most) {
		w.violate("utterance %d: %d words are kept, %d samples were heard", e.Utterance, n, samples)
	}
}

// Rules 1, 2 and 7: an event asks for one utterance at most, a visit is left once, and visits only grow.
func (w *world) checkStep(before *state.UserData, effects []engine.Effect) {
	says := 0
	for _, e := range effects {
		if say, ok := e.(engine.Say); ok {
			says++
			if _, twice := w.said[say.Utterance]; twice {
				w.violate("utterance %d was asked for twice", say.Utterance)
			}
			w.said[say.Utterance] = saying{say, time.Now()}
		}
	}
	if says > 1 {
		w.violate("one event asked for %d utterances", says)
	}
	if w.u.Visit < before.Visit || w.u.Visit > before.Visit+1 || int(w.u.Visit) != len(w.u.Visits) {
		w.violate("visit %d follows %d, %d are noted", w.u.Visit, before.Visit, len(w.u.Visits))
	}
	for i, v := range w.u.Visits {
		if left := v.Reason != ""; left != (i < len(w.u.Visits)-1) && w.u.Ended == "" {
			w.violate("visit %d of %d: left because of %q", i+1, len(w.u.Visits), v.Reason)
		}
	}
}

// checkEnd holds the rules that only the end can show: every utterance was spoken once and ended once (those of the last
// moment may have been cut off by the end itself), and the journal tells the same story.
func (w *world) checkEnd(over time.Time) {
	spoken := make(map[uint64]int)
	for _, c := range w.calls {
		if !c.held {
			spoken[c.utterance]++
		}
	}
	for id, say := range w.said {
		if over.Sub(say.at) < time.Millisecond {
			continue
		}
		if spoken[id] != 1 {
			w.violate("utterance %d was spoken %d times", id, spoken[id])
		}
		if w.ended[id] != 1 && w.u.Floor.Utterance != id && w.calls[w.lastGen] != nil && w.lastUtterance() != id {
			w.violate("utterance %d ended %d times", id, w.ended[id])
		}
	}
	if was, is := asJSON(w.s.UserData()), asJSON(w.u); was != is {
		w.violate("the journal tells another story:\n%s\n%s", was, is)
	}
}

func (w *world) lastUtterance() (id uint64) {
	for said := range w.said {
		id = max(id, said)
	}
	return id
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// play runs one interview and returns what was against the rules, and its facts.
func play(t *testing.T, iv *engine.Interview, seed uint64) *world {
	w := &world{
		iv: iv, rng: rand.New(rand.NewPCG(seed, 12)), calls: make(map[uint64]*call), released: make(map[uint64]bool),
		u: &state.UserData{}, said: make(map[uint64]saying), ended: make(map[uint64]int), tools: make(map[string]int), facts: make(map[string]int),
	}
	synctest.Test(t, func(t *testing.T) {
		var err error
		if w.voice, err = newVoice(w, w, w, zap.NewNop()); err != nil {
			t.Fatal(err)
		}
		w.s, err = session.New(session.Options{
			Interview: iv, Start: engine.Started{Session: "s", Locale: "en"}, Voice: w, Ears: w, Presence: w,
			Journal: w, Model: w, Logger: zap.NewNop(), Observe: w.observe, Speculate: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 40*time.Second, session.Reason("enough"))
		defer cancel()
		go w.candidate(ctx)
		_, err = w.s.Run(ctx)
		over := time.Now()
		cancel()
		w.voice.close()
		synctest.Wait()
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil {
			w.violate("the session failed: %v", err)
		}
		if late := time.Since(over); late > time.Second {
			w.violate("it took %v to close", late)
		}
		w.checkEnd(over)
	})
	return w
}

// candidate does anything at any time, as a listener would report it.
func (w *world) candidate(ctx context.Context) {
	for pass(ctx, w.upTo(4*time.Second)) == nil {
		switch w.upTo(20) {
		case 0:
			w.s.Post(session.Turn{Text: w.words(), Typed: true, Reason: "typed"})
		case 1:
			w.s.Post(session.Event{Event: engine.Away{}})
			_ = pass(ctx, w.upTo(3*time.Second)) // an end in between is found at the next one
			w.s.Post(session.Event{Event: engine.Back{}})
		case 2:
			w.s.Post(session.Event{Event: engine.TimerFired{Name: engine.TimerDeadline, ID: uint64(w.upTo(9)), Visit: 1}})
		default:
			w.speak(ctx)
		}
	}
}

func (w *world) words() string {
	texts := []string{
		"I am a baker", "I am really good at finding bugs that nobody else can find", "Let me think.", "that's all", "could you repeat that",
		"I would rather not say", "It was a project to replace the billing system", "hmm", "We reduced lost invoices by ninety percent",
	}
	return texts[w.upTo(time.Duration(len(texts)))]
}

// speak is a turn: speech, perhaps over the voice, silences that may be its end, and the decision.
func (w *world) speak(ctx context.Context) {
	taken := w.begin()
	text := w.words()
	began := time.Now()
	for {
		w.overlap(ctx)
		if w.chance(0.05) {
			w.s.Post(session.Event{Event: engine.LongSpeech{Lasted: 95_000, Words: 250}})
		}
		if pass(ctx, w.upTo(1500*time.Millisecond)) != nil || !w.stop(taken) {
			return
		}
		for range w.upTo(4) {
			if pass(ctx, w.upTo(250*time.Millisecond)) != nil || w.over(taken) {
				return
			}
			w.s.Post(session.Prospect{Text: w.almost(text), Began: began})
		}
		if pass(ctx, w.upTo(900*time.Millisecond)) != nil || w.over(taken) {
			return
		}
		if !w.chance(0.2) {
			break
		}
		taken = w.begin()
	}
	if w.chance(0.1) {
		w.s.Post(session.Event{Event: engine.NoWords{}})
		return
	}
	w.s.Post(session.Turn{Text: w.almost(text), Began: began})
}

// almost is the text as a recogniser may give it next.
func (w *world) almost(text string) string {
	switch w.upTo(5) {
	case 0:
		return strings.ToUpper(text) + "!"
	case 1:
		return text + " indeed"
	}
	return text
}

// begin reports speech, and how many turns had been taken by the other side before.
func (w *world) begin() (taken int) {
	w.mu.Lock()
	w.speaking = time.Now()
	taken = w.turns
	w.mu.Unlock()
	w.s.Post(session.Event{Event: engine.SpeechStarted{}})
	return taken
}

// stop reports silence, unless the turn was taken meanwhile.
func (w *world) stop(taken int) bool {
	w.mu.Lock()
	mine := w.turns == taken
	if mine {
		w.speaking = time.Time{}
	}
	w.mu.Unlock()
	if mine {
		w.s.Post(session.Event{Event: engine.SpeechStopped{}})
	}
	return mine
}

func (w *world) over(taken int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.turns != taken
}

// overlap decides about the voice that the candidate speaks over, in two steps.
func (w *world) overlap(ctx context.Context) {
	w.mu.Lock()
	id := uint64(0)
	if c := w.calls[w.lastGen]; c != nil && c.cut.IsZero() && w.ended[c.utterance] == 0 && !c.firm {
		id = c.utterance
	}
	w.mu.Unlock()
	if id == 0 {
		return
	}
	w.s.Post(session.Interruption{Utterance: id, Action: session.Duck})
	_ = pass(ctx, w.upTo(300*time.Millisecond)) // what follows is posted in any case, as a listener does
	w.s.Post(session.Interruption{Utterance: id, Action: session.Pause})
	_ = pass(ctx, w.upTo(500*time.Millisecond))
	action := session.Interrupt
	if w.chance(0.4) {
		action = session.Resume
	}
	w.s.Post(session.Interruption{Utterance: id, Action: action})
}

// interleavings is how many random interviews are played; the variable raises it for a long run.
func interleavings(t *testing.T) int {
	if testing.Short() {
		return 50
	}
	text := os.Getenv("VIVA_INTERLEAVINGS")
	if text == "" {
		return 500
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("VIVA_INTERLEAVINGS: %v", err)
	}
	return n
}

// firstSeed lets a failure be played again: its seed is printed.
func firstSeed(t *testing.T) uint64 {
	text := os.Getenv("VIVA_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("VIVA_SEED: %v", err)
	}
	return seed
}

// Rules 1 to 10 and 12 of the voice-pipeline facts, section 12, over random orders of events and times of providers, with
// replies prepared on speculation: nothing of one is heard, shown, journalled or called before its turn is decided.
func TestInterleavings(t *testing.T) {
	library, err := LoadLibrary("", "two_stage")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := library.Find(Metadata{})
	if err != nil {
		t.Fatal(err)
	}
	n, first := interleavings(t), firstSeed(t)
	t.Logf("%d interleavings from seed %d", n, first)
	facts := make(map[string]int)
	for seed := first; seed < first+uint64(n); seed++ {
		w := play(t, iv, seed)
		for name, count := range w.facts {
			facts[name] += count
		}
		if len(w.broken) > 0 {
			t.Fatalf("seed %d (VIVA_SEED=%d VIVA_INTERLEAVINGS=1 plays it again):\n%s", seed, seed, strings.Join(w.broken, "\n"))
		}
	}
	summary := make([]string, 0, 8)
	for _, name := range []string{"speculation.adopted", "speculation.discarded", "speculation.wasted", "tool.called", "handoff.done", "bargein", "voice.failed"} {
		summary = append(summary, fmt.Sprintf("%s %d", name, facts[name]))
		if facts[name] == 0 {
			t.Errorf("%s never happened: this test has lost its teeth", name)
		}
	}
	t.Log(strings.Join(summary, ", "))
}
