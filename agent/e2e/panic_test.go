package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// brittle is a voice engine that panics, in a goroutine of the interview's, on what it is told to.
type brittle struct {
	tts.Synthesizer
	breaks func(text string) bool
}

// Synthesize implements tts.Synthesizer.
func (b brittle) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	if b.breaks(r.Text) {
		panic("what the candidate said: " + introduction)
	}
	return b.Synthesizer.Synthesize(ctx, r)
}

// fragile is a store whose journals panic, in the goroutine of the session, on events that they are told to.
type fragile struct {
	*store.Store
	breaks func(state.Entry) bool
	fails  func(state.Entry) bool // nil: none does
}

// Create implements state.Store.
func (f fragile) Create(ctx context.Context, session string) (state.Journal, error) {
	j, err := f.Store.Create(ctx, session)
	return fragileJournal{j, f}, err
}

// Resume goes on with a journal.
func (f fragile) Resume(ctx context.Context, session string) (state.Journal, []state.Entry, error) {
	j, entries, err := f.Store.Resume(ctx, session)
	return fragileJournal{j, f}, entries, err
}

type fragileJournal struct {
	state.Journal
	of fragile
}

// Append implements state.Journal.
func (j fragileJournal) Append(e state.Entry) error {
	if j.of.breaks(e) {
		panic("what the candidate said: " + introduction)
	}
	if j.of.fails != nil && j.of.fails(e) {
		return fmt.Errorf("write journal entry %d: %w", e.Seq, syscall.ENOSPC)
	}
	return j.Journal.Append(e)
}

// workshop is a worker with an archive, with something in it that breaks.
type workshop struct {
	*office
	database *store.Store
	counted  *prometheus.Registry
}

func openWorkshop(t *testing.T, voice func(string) bool, journal func(state.Entry) bool) *workshop {
	t.Helper()
	w := &workshop{counted: prometheus.NewRegistry()}
	var err error
	if w.database, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "interviews.db"), zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.database.Close() }) // the worker has ended before
	engines := localEngines(t)
	engines.TTS = brittle{engines.TTS, voice}
	metrics := agent.NewMetrics(w.counted)
	w.office = open(t, plan{engines: engines, archive: w.database, equip: func(o *agent.Options) {
		o.Store, o.Metrics = fragile{Store: w.database, breaks: journal}, metrics
	}})
	return w
}

// panics checks how many panics were counted and logged, and that no words were. Where the voice breaks, one more may have been on its way:
// the next clause is made while one is spoken.
func (w *workshop) panics(t *testing.T, want int, ahead bool) {
	t.Helper()
	logged := w.facts("interview.panicked")
	if n := len(logged); n != want && (!ahead || n != want+1) {
		t.Errorf("%d panics were logged, want %d", n, want)
	}
	want = len(logged)
	for _, f := range logged {
		if f.text("type") != "string" || !strings.Contains(f.text("stack"), "panic_test.go") {
			t.Errorf("logged as %v", f.Fields)
		}
	}
	for _, e := range w.logs.All() {
		for key, value := range e.ContextMap() {
			if text, is := value.(string); is && strings.Contains(text, "what the candidate said") {
				t.Errorf("the text of the panic is in the log: %s %s: %s", e.Message, key, text)
			}
		}
	}
	all, err := w.counted.Gather()
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, family := range all {
		if family.GetName() == "viva_panics_total" {
			for _, m := range family.GetMetric() {
				total += m.GetCounter().GetValue()
			}
		}
	}
	if int(total) != want {
		t.Errorf("%v panics were counted, want %d", total, want)
	}
}

// once is true the first time that ok is.
func once[A any](ok func(A) bool) func(A) bool {
	var was atomic.Bool
	return func(a A) bool { return ok(a) && was.CompareAndSwap(false, true) }
}

func never[A any](A) bool { return false }

func isBridge(text string) bool { return strings.Contains(text, "past experience") }

// parting is how an interview says goodbye that cannot be gone on with.
const parting = "I am sorry, something went wrong on my side, and I cannot go on with this interview. Thank you for your time. Goodbye."

func isParting(text string) bool { return strings.Contains(parting, text) }

func isTurn(e state.Entry) bool { return e.Type == "turn" }

// A panic in a goroutine of one interview is that interview's: it goes on from its journal, in the same room, with what was open,
// and is held to its end. Another interview of the worker hears nothing of it.
func TestOneInterviewPanics(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		voice   func(string) bool
		journal func(state.Entry) bool
		heard   bool // the answer that it broke on was in the journal
	}{
		"in an utterance": {once(isBridge), never[state.Entry], true},
		"in the session":  {never[string], once(isTurn), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openWorkshop(t, test.voice, test.journal)
			other := visit{room: roomName(t) + "-other"}
			neighbour := enter(t, other)
			w.dispatch(other.room, twoStage)
			neighbour.ear.awaitVoice(t, time.Time{}, 300*time.Millisecond)

			g := enter(t, visit{})
			w.dispatch(roomName(t), twoStage)
			g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
			g.types(introduction)
			w.await("interview.resumed", map[string]any{"room": roomName(t)})
			if test.heard { // the words that broke off come again as they were, if nobody has heard any of them
				eventually(t, "the interview to go on", func() bool { return g.said("back")+g.said("past experience") > 0 })
			} else {
				g.awaitWords("back")
				g.awaitTurn(0)
				g.types(introduction)
				g.awaitWords("past experience")
			}
			neighbour.types(introduction)
			neighbour.awaitWords("past experience")
			answered := 0
			for i, next := range []string{"what changed because of it", "goodbye"} {
				for _, answer := range answers[2*i+1 : 2*i+3] {
					g.awaitTurn(answered)
					answered = len(g.transcripts(false))
					g.types(answer)
				}
				g.awaitWords(next)
			}
			g.awaitAgentLeft()
			if result := w.jobEnded(roomName(t)).text("result"); result != "success" {
				t.Errorf("the job ended with %q", result)
			}
			w.panics(t, 1, false)
			r := w.record(roomName(t), "two_stage")
			checkOneVoiceEach(t, r)
			if r.user.Ended != "done" {
				t.Errorf("it ended with %q", r.user.Ended)
			}
		})
	}
}

// An interview that panics again after it was resumed ends with a goodbye that is heard, and with a report; nobody takes it up.
func TestInterviewPanicsTwice(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{"in an utterance": "speak", "in the session": "session"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var broken atomic.Bool
			w := openWorkshop(t,
				func(text string) bool { return where == "speak" && broken.Load() && !isParting(text) },
				func(e state.Entry) bool { return where == "session" && broken.Load() && e.Type != "stop" })
			g := enter(t, visit{})
			w.dispatch(roomName(t), `{"interview":"evaluation"}`)
			g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
			broken.Store(true)
			g.types(introduction)
			g.awaitWords("something went wrong on my side")
			g.ear.awaitVoice(t, time.Now(), 300*time.Millisecond)
			g.awaitAgentLeft()
			if result := w.jobEnded(roomName(t)).text("result"); result != "failed" {
				t.Errorf("the job ended with %q", result)
			}
			w.panics(t, 2, where == "speak")
			page, err := w.database.List(t.Context(), store.Filter{})
			if err != nil || len(page.Sessions) != 1 {
				t.Fatalf("%d sessions are left: %v", len(page.Sessions), err)
			}
			s := page.Sessions[0]
			if s.State != store.Failed || s.Reason != "broken" {
				t.Errorf("the store has %+v", s.Session)
			}
			if r := w.record(roomName(t), "evaluation"); r.user.Ended != "broken" {
				t.Errorf("its journal ends with %q", r.user.Ended)
			}
			if raw, err := w.database.Report(t.Context(), s.ID); err != nil || len(raw) == 0 {
				t.Errorf("it has no report: %v", err)
			}
		})
	}
}

// A journal that takes nothing any more ends the interview, but not without a word; what is in it is left to be reported.
func TestFullDiskIsSpokenOf(t *testing.T) {
	t.Parallel()
	database, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "interviews.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // the worker has ended before
	o := open(t, plan{archive: database, equip: func(o *agent.Options) {
		o.Store = fragile{Store: database, breaks: never[state.Entry], fails: isTurn}
	}})
	g := enter(t, visit{})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.types(introduction)
	g.awaitWords("something went wrong on my side")
	g.ear.awaitVoice(t, time.Now(), 300*time.Millisecond)
	g.awaitAgentLeft()
	if result := o.jobEnded(roomName(t)).text("result"); result != "failed" {
		t.Errorf("the job ended with %q", result)
	}
	page, err := database.List(t.Context(), store.Filter{})
	if err != nil || len(page.Sessions) != 1 || page.Sessions[0].State != store.Live {
		t.Errorf("the store has %+v: %v", page.Sessions, err)
	}
}
