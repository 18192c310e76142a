package agent

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/vad"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// certain is voice activity detection of a tone: the real detector, fed with certainties.
type certain struct {
	detector *vad.Detector
	loud     bool
}

func (c *certain) Write(pcm []int16, at int64, report func(vad.Status)) {
	for i, sample := range pcm {
		c.loud = c.loud || sample != 0
		if end := at + int64(i) + 1; end%vad.Window == 0 {
			probability := float32(0.05)
			if c.loud {
				probability = 0.95
			}
			c.loud = false
			report(c.detector.Update(end-vad.Window, probability))
		}
	}
}

func (c *certain) Gap() vad.Status { return c.detector.Gap() }

// baker is a recogniser that understands the same of every segment, 150 ms after its end.
type baker struct{ handle func(stt.Event) }

func (baker) Open(_ context.Context, o stt.Options) (stt.Stream, error) { return baker{o.Handle}, nil }

func (baker) Write([]int16)             {}
func (baker) SpeechStarted(uint64, int) {}
func (baker) Close() error              { return nil }
func (b baker) SpeechEnded(segment uint64) {
	time.AfterFunc(150*time.Millisecond, func() { b.handle(stt.Final{Segment: segment, Text: "I am a baker."}) })
}

// unseen is a room in which nobody looks.
type unseen struct{}

func (unseen) State(string)                                {}
func (unseen) Stage(engine.Publish)                        {}
func (unseen) Words(uint64, string)                        {}
func (unseen) Said(uint64, string)                         {}
func (unseen) Candidate(uint64, string, session.Certainty) {}
func (unseen) Done(string)                                 {}

// booth is an interview with a real voice and real ears, and a microphone that hears a tone at times.
type booth struct {
	s      *session.Session
	began  time.Time
	store  *state.Memory
	mu     sync.Mutex
	traces []session.Trace // guarded by mu
}

// openBooth opens one whose voice is on the track; stage alters the first stage of the interview.
func openBooth(t *testing.T, track playout.FrameWriter, stage func(*definition.Stage), signals bool, talks func(since time.Duration) bool) *booth {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	library, err := LoadLibrary("", "two_stage")
	fail(err)
	iv, err := library.Find(Metadata{})
	fail(err)
	def := *iv.Def
	def.Stages = slices.Clone(def.Stages)
	stage(&def.Stages[0])
	iv, err = engine.New(&def, iv.Words, iv.Rules)
	fail(err)
	v, err := newVoice(slowVoice{}, track, sink{}, nil, zap.NewNop())
	fail(err)
	x := &ears{log: zap.NewNop()}
	x.listener, err = listen.New(t.Context(), listen.Options{VAD: &certain{detector: vad.NewDetector(250 * time.Millisecond)}, Recognizer: baker{}, Handle: x.handle})
	fail(err)
	b := &booth{began: time.Now(), store: state.NewMemory()}
	journal, err := b.store.Create(t.Context(), "booth")
	fail(err)
	b.s, err = session.New(session.Options{
		Interview: iv, Start: engine.Started{Session: "booth", Locale: "en"}, Voice: v, Ears: x, Presence: unseen{}, Journal: journal,
		Logger: zap.NewNop(), Trace: b.traced, Signals: signals, Speculate: true,
	})
	fail(err)
	x.to(b.s)
	go b.microphone(x, talks)
	t.Cleanup(func() { x.close(); v.close() })
	return b
}

func (b *booth) traced(x session.Trace) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.traces = append(b.traces, x)
}

func (b *booth) microphone(x *ears, talks func(time.Duration) bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	quiet, tone := make([]int16, 320), make([]int16, 320)
	for i := range tone {
		tone[i] = 3000
	}
	for {
		select {
		case <-b.s.Done():
			return
		case now := <-tick.C:
			frame := quiet
			if talks(now.Sub(b.began)) {
				frame = tone
			}
			x.hear(frame)
		}
	}
}

// Push to talk through the real ears: what is said with the button up is nothing; with it down, pauses longer than any silence
// that ends a turn end none; letting go ends it at once, and the answer comes.
func TestPushToTalkThroughTheEars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manual := func(st *definition.Stage) { st.Turn = "manual" }
		b := openBooth(t, sink{}, manual, true, func(since time.Duration) bool {
			in := func(from, to time.Duration) bool { return since >= from && since < to }
			return in(3*time.Second, 5*time.Second) || in(6200*time.Millisecond, 7200*time.Millisecond) || in(11*time.Second, 12*time.Second) ||
				in(12500*time.Millisecond, 14*time.Second)
		})
		release := 12 * time.Second
		time.AfterFunc(6*time.Second, func() { b.s.Post(session.Push{Down: true}) })
		time.AfterFunc(release, func() { b.s.Post(session.Push{}) })
		ctx, cancel := context.WithTimeoutCause(t.Context(), 15*time.Second, session.Reason("enough"))
		defer cancel()
		if _, err := b.s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, turn := range b.s.UserData().Turns {
			if turn.Speaker == state.SpeakerCandidate {
				said = append(said, turn.Text)
			}
		}
		if len(said) != 1 || said[0] != "I am a baker. I am a baker." {
			t.Errorf("understood %q", said)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.traces) < 2 || b.traces[1].Turn != 1 {
			t.Fatalf("records %+v", b.traces)
		}
		if after := b.traces[1].FirstPacket.Sub(b.began) - release; after < 0 || after > 400*time.Millisecond {
			t.Errorf("the answer came %v after the button was let go", after)
		}
	})
}
