package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/vad"
	"github.com/vivavoice/viva/stages/engine"
)

const (
	frameTime    = 20 * time.Millisecond
	frameSamples = stt.SampleRate / 50
	// cycle is after how many samples the microphone's sound repeats itself: a prime, so that no whole frames make one, and
	// too quiet and too low for a voice, so that nobody looks for its melody in silence.
	cycle = 251
)

// microphone is a candidate who speaks, pauses and coughs for random times. Each sample tells its own number: above zero
// where it is loud, below where it is silent.
type microphone struct {
	w     *world
	rng   *rand.Rand
	at    int
	loud  bool
	until time.Time
	pcm   [frameSamples]int16
}

func (m *microphone) act(ctx context.Context) {
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.w.s.Done():
			return
		case now := <-tick.C:
			m.turnOver(now)
			m.w.ears.listener.Write(m.frame())
		}
	}
}

// turnOver begins or ends to speak when it is time.
func (m *microphone) turnOver(now time.Time) {
	if now.Before(m.until) {
		return
	}
	m.loud = !m.loud
	longest := 3 * time.Second
	switch m.rng.IntN(3) {
	case 0:
		longest = 400 * time.Millisecond
	case 1:
		longest = 1500 * time.Millisecond
	}
	m.until = now.Add(upTo(m.rng, longest))
	if m.rng.IntN(30) == 0 {
		m.w.s.Post(session.Event{Event: engine.Away{}})
		m.w.s.Post(session.Event{Event: engine.Back{}})
	}
}

func (m *microphone) frame() []int16 {
	for i := range m.pcm {
		v := int16(m.at%cycle + 1)
		if !m.loud {
			v = -v
		}
		m.pcm[i] = v
		m.at++
	}
	return m.pcm[:]
}

// signs is voice activity detection for the microphone's samples: the real detector, fed with certainties.
type signs struct{ detector *vad.Detector }

func (s *signs) Write(pcm []int16, at int64, report func(vad.Status)) {
	for i, v := range pcm {
		if end := at + int64(i) + 1; end%vad.Window == 0 {
			probability := float32(0.05)
			if v > 0 {
				probability = 0.95
			}
			report(s.detector.Update(end-vad.Window, probability))
		}
	}
}

func (s *signs) Gap() vad.Status { return s.detector.Gap() }

// Open implements stt.Recognizer.
func (w *world) Open(_ context.Context, o stt.Options) (stt.Stream, error) {
	w.note(note{kind: noteOpened})
	ctx, stop := context.WithCancel(context.Background())
	d := &dictation{w: w, ctx: ctx, stop: stop, handle: o.Handle, ended: make(chan uint64, 256)}
	d.work.Go(d.run)
	return d, nil
}

// dictation is a recogniser's stream that understands anything, late, and sometimes nothing.
type dictation struct {
	w      *world
	ctx    context.Context
	stop   context.CancelFunc
	handle func(stt.Event)
	ended  chan uint64 // SpeechEnded sends, run receives
	work   sync.WaitGroup
	next   int // sample
}

// Write notes the samples in the runs that they came in.
func (d *dictation) Write(pcm []int16) {
	from := 0
	for i := 1; i <= len(pcm); i++ {
		if i == len(pcm) || ordinal(pcm[i]) != (ordinal(pcm[i-1])+1)%cycle {
			d.took(ordinal(pcm[from]), i-from)
			from = i
		}
	}
}

func (d *dictation) took(first, n int) {
	at := d.next - d.next%cycle + first
	d.w.note(note{kind: noteSound, generation: uint64(at), n: int64(n)})
	d.next = at + n
}

// ordinal is the sample's own, within a cycle.
func ordinal(v int16) int { return int(max(v, -v)) - 1 }

func (d *dictation) SpeechStarted(uint64, int) {}

func (d *dictation) SpeechEnded(segment uint64) { d.ended <- segment }

func (d *dictation) Close() error {
	d.stop()
	d.work.Wait()
	return nil
}

func (d *dictation) run() {
	for {
		select {
		case <-d.ctx.Done():
			return
		case segment := <-d.ended:
			if !d.understand(segment) {
				return
			}
		}
	}
}

func (d *dictation) understand(segment uint64) bool {
	rng := d.w.provider()
	text := remarks[rng.IntN(len(remarks))]
	if pass(d.ctx, upTo(rng, d.w.slow)) != nil {
		return false
	}
	if rng.IntN(2) == 0 {
		d.handle(stt.Partial{Segment: segment, Text: text})
	}
	if pass(d.ctx, upTo(rng, d.w.slow)) != nil {
		return false
	}
	switch rng.IntN(12) {
	case 0:
		d.handle(stt.Failed{Segment: segment, Err: errors.New("status 500")})
	case 1, 2:
		d.handle(stt.Final{Segment: segment})
	default:
		d.handle(stt.Final{Segment: segment, Text: text})
	}
	return true
}

// playWithEars is a random interview with a real listener and a microphone.
func playWithEars(t *testing.T, interviews []*engine.Interview, seed uint64, keep bool) *world {
	t.Helper()
	rng := chance(seed, 0)
	w := newWorld(interviews[rng.IntN(len(interviews))], seed)
	w.rules.fed = false
	w.rules.patience = 3100 * time.Millisecond // the listener's limit is 3 s, looked at every 50 ms
	w.listens, w.keep = true, keep
	m := &microphone{w: w, rng: rng}
	w.play(t, 4*time.Second+upTo(rng, 14*time.Second), m.act)
	return w
}

// listen opens real ears on the world's recogniser. It belongs into the bubble.
func (w *world) listen(t *testing.T) *ears {
	t.Helper()
	x := &ears{log: zap.NewNop()}
	var err error
	x.listener, err = listen.New(t.Context(), listen.Options{VAD: &signs{vad.NewDetector(250 * time.Millisecond)}, Recognizer: w, Language: "en", Handle: x.handle})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// One interleaving in fifty has real ears as well, from the microphone's samples on: whatever happens, the recogniser hears
// each of them once, in order, over every handoff.
func TestInterleavingsWithEars(t *testing.T) {
	interviews := paces(t)
	n, first := max(1, interleavings(t)/50), firstSeed(t)
	t.Logf("%d interleavings with ears from seed %d", n, first)
	y := newTally(first, n)
	playAll(t, y, t.Name(), func(t *testing.T, seed uint64) *world {
		w := playWithEars(t, interviews, seed, n == 1)
		w.facts["samples.heard"] += int(w.rules.heardTo)
		return w
	})
	if n > 20 && !t.Failed() {
		y.report(t, "samples.heard", "handoff.done", "bargein", "turn.received", "turn.no_words", "speculation.adopted")
	}
}
