package agent

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
)

// interleavings is how many random interviews are played; the variable raises it for a long run. A short run is one under the
// race detector.
func interleavings(t *testing.T) uint64 {
	t.Helper()
	if testing.Short() {
		return 1000
	}
	return fromEnv(t, "VIVA_INTERLEAVINGS", 2000)
}

// firstSeed lets a failure be played again: its seed is printed.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	return fromEnv(t, "VIVA_SEED", 1)
}

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// paces is the shipped interview as it is, now and then, and in a hurry: with limits and silences a fifth, a twelfth and a thirtieth as
// long, so that a few seconds see deadlines, every rung of the silence ladder, and the goodbye.
func paces(t *testing.T) []*engine.Interview {
	t.Helper()
	iv, err := shippedLibrary(t).Find(Metadata{})
	if err != nil {
		t.Fatal(err)
	}
	few, err := understand.Load(fewRules, "en")
	if err != nil {
		t.Fatal(err)
	}
	slow, quick, rushed := hurried(iv, few, 5), hurried(iv, few, 12), hurried(iv, few, 30)
	return []*engine.Interview{iv, slow, slow, quick, quick, rushed, rushed}
}

// fewRules understand what anyone says, and nothing else: the shipped rules are most of an interview's work.
var fewRules = fstest.MapFS{"en.yaml": {Data: []byte(`
intents:
  end: {words: 0, patterns: ['like to stop']}
  think: {words: 0, patterns: ['^let me think']}
  repeat: {words: 0, patterns: ['^could you repeat']}
  refuse: {words: 0, patterns: ['rather not']}
  done: {words: 0, patterns: ['^that''s all']}
facts:
  role: ['^i am a (?P<v>baker)']
  highlight: ['(?P<v>good at finding bugs)']
  situation: ['(?P<v>project to replace)']
  result: ['^we reduced (?P<v>lost invoices)']
`)}}

func hurried(iv *engine.Interview, rules *understand.Rules, times definition.Duration) *engine.Interview {
	def := *iv.Def
	def.Stages = slices.Clone(def.Stages)
	for i := range def.Stages {
		st := &def.Stages[i]
		st.Limits.Hard /= times
		st.Limits.Grace /= times
		st.Limits.Think /= times
		st.NoInput = slices.Clone(st.NoInput)
		for j := range st.NoInput {
			st.NoInput[j].After /= times
		}
	}
	return &engine.Interview{Def: &def, Words: iv.Words, Rules: rules}
}

// tally adds up what happened in many interviews.
type tally struct {
	mu      sync.Mutex
	next    uint64 // seed
	end     uint64
	events  int
	virtual time.Duration
	facts   map[string]int
}

func newTally(first, n uint64) *tally {
	return &tally{next: first, end: first + n, facts: make(map[string]int)}
}

// seed gives out the seeds, each once.
func (y *tally) seed() (uint64, bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.next++
	return y.next - 1, y.next <= y.end
}

// stop gives out no more.
func (y *tally) stop() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.next = y.end
}

func (y *tally) add(w *world) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.events += w.rules.events
	y.virtual += w.rules.now
	for name, n := range w.facts {
		y.facts[name] += n
	}
}

// report fails where something never happened.
func (y *tally) report(t *testing.T, names ...string) {
	t.Helper()
	var told strings.Builder
	for _, name := range names {
		fmt.Fprintf(&told, ", %s %d", name, y.facts[name])
		if y.facts[name] == 0 && !testing.Short() {
			t.Errorf("%s never happened: this test has lost its teeth", name)
		}
	}
	t.Logf("%d events, %v in virtual time%s", y.events, y.virtual.Round(time.Second), told.String())
}

// playAll plays the seeds, as many at a time as there are processors, until one breaks a rule.
func playAll(t *testing.T, y *tally, name string, play func(t *testing.T, seed uint64) *world) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(2000)) // thousands of short lives
	t.Run("seeds", func(t *testing.T) {
		for n := range runtime.GOMAXPROCS(0) {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				for seed, more := y.seed(); more; seed, more = y.seed() {
					w := play(t, seed)
					if len(w.rules.broken) > 0 {
						t.Errorf("seed %d breaks %d rules:\n%s%s", seed, len(w.rules.broken), lines(w.rules.broken), w.story())
					}
					if t.Failed() {
						y.stop()
						t.Fatalf("again: VIVA_SEED=%d VIVA_INTERLEAVINGS=1 go test -count 100 -failfast -run '^%s$' ./agent", seed, name)
					}
					y.add(w)
				}
			})
		}
	})
}

func lines(broken []breach) string {
	var b strings.Builder
	for _, x := range broken[:min(len(broken), 10)] {
		fmt.Fprintln(&b, x)
	}
	return b.String()
}

// story tells what happened, where the trace was kept: a line for each note but those of sound and facts.
func (w *world) story() string {
	var b strings.Builder
	for _, n := range w.trace {
		switch n.kind {
		case noteFrame, noteSound, noteShown, noteLogged:
		case noteJournalled:
			fmt.Fprintf(&b, "%12v journalled %s %+v\n", n.at, engine.Name(n.event), n.event)
		default:
			fmt.Fprintf(&b, "%12v %v generation %d utterance %d on %t %q %v\n", n.at, n.kind, n.generation, n.utterance, n.on, n.text, n.err)
		}
	}
	return b.String()
}

// playSeed is one random interview. Its length, its pace and the manners of its candidate and providers hang on the seed.
func playSeed(t *testing.T, interviews []*engine.Interview, seed uint64, keep bool) *world {
	t.Helper()
	rng := chance(seed, 0)
	w := newWorld(interviews[rng.IntN(len(interviews))], seed)
	w.keep = keep
	p := &anyone{w: w, rng: rng, hurry: 100*time.Millisecond + upTo(rng, 3*time.Second)}
	limit := 2*time.Second + upTo(rng, 12*time.Second)
	w.play(t, limit, func(ctx context.Context) { p.act(ctx) })
	return w
}

// The twelve rules of the voice-pipeline facts, section 12, after every event of interviews in a random order of events and
// with random times of providers, replies prepared on speculation among them.
func TestInterleavings(t *testing.T) {
	interviews := paces(t)
	n, first := interleavings(t), firstSeed(t)
	t.Logf("%d interleavings from seed %d", n, first)
	y := newTally(first, n)
	playAll(t, y, t.Name(), func(t *testing.T, seed uint64) *world { return playSeed(t, interviews, seed, n == 1) })
	if n > 1 && !t.Failed() {
		y.report(t, "speculation.adopted", "speculation.discarded", "speculation.wasted", "reading.taken", "lead.missed", "handoff.done", "bargein",
			"voice.failed", "reply.held", "candidate.away", "fallback", "session.end")
	}
}
