package session_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// dice are rolled from many goroutines.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func (d *dice) upTo(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

func (d *dice) within(limit time.Duration) time.Duration {
	return time.Duration(d.upTo(int(limit/time.Millisecond))) * time.Millisecond
}

// moody is a voice whose first sound takes anything up to three seconds, and that now and then fails, at once or halfway.
type moody struct {
	*stage
	dice *dice
}

func (v moody) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	fails := v.dice.upTo(20)
	if fails == 0 {
		return session.Spoken{Err: errors.New("tts: status 500")}
	}
	spoken := v.stage.Speak(ctx, u, &slow{src: src, wait: v.dice.within(3 * time.Second)})
	if fails == 1 && !spoken.Complete {
		spoken.Err = errors.New("tts: connection reset")
	}
	return spoken
}

type slow struct {
	src  speak.Source
	wait time.Duration
}

func (s *slow) Next(ctx context.Context) (speak.Clause, error) {
	select {
	case <-ctx.Done():
		return speak.Clause{}, context.Cause(ctx)
	case <-time.After(s.wait):
	}
	s.wait /= 2
	return s.src.Next(ctx)
}

// erratic is a model that answers in any of the ways models do, after any time.
func erratic(d *dice) modelFunc {
	return func(llm.Request) reply {
		r := reply{wait: d.within(6 * time.Second)}
		switch d.upTo(10) {
		case 0:
			r.hang = true
		case 1:
			r.err = errors.New("status 500")
		case 2:
			r.text, r.err = []string{"I see. That is rather "}, errors.New("reset")
		case 3:
			r.text = []string{`{"say":"`, `I see, Sam. And then?","reading":{"acts":[{"kind":"answer","quote":"um"}],"did":"finish"}}`}
		case 4:
			r.text = []string{`{"say":"Well then. `, `","reading":{"did":"dance","to":7}}`}
		case 5:
			r.text = []string{"What do you do at the moment?"}
		default:
			r.text = []string{"I see. ", "And what ", "came of it in the end?"}
		}
		return r
	}
}

// anybody is a candidate without any manners: they answer, interrupt, cough, type, ramble, lose the connection, or keep silent.
type anybody struct {
	g    *stage
	dice *dice
	mu   sync.Mutex
	gone time.Duration // in all
}

var remarks = []string{
	"um", "no", "that's all", "let me think", "could you repeat that", "I'd rather not say", "I am a teacher and I am good at patience",
	"I built a school for nine hundred children because the old one had burnt down", "It was a project for the whole town",
}

func (p *anybody) post(after time.Duration, m session.Message) {
	time.AfterFunc(after, func() { p.g.s.Post(m) })
}

func (p *anybody) event(after time.Duration, ev engine.Event) {
	p.post(after, session.Event{Event: ev})
}

// acts does one or two things in the time to come.
func (p *anybody) acts() {
	for range 1 + p.dice.upTo(2) {
		after := p.dice.within(12 * time.Second)
		switch p.dice.upTo(9) {
		case 0, 1, 2, 3:
			p.speaks(after, remarks[p.dice.upTo(len(remarks))])
		case 4:
			time.AfterFunc(after, func() {
				p.g.s.Post(session.Interruption{Utterance: p.inTheAir(), Action: session.Interrupt})
			})
			p.speaks(after, "wait, wait")
		case 5: // a cough
			p.event(after, engine.SpeechStarted{})
			p.event(after+300*time.Millisecond, engine.SpeechStopped{})
			p.event(after+900*time.Millisecond, engine.NoWords{})
		case 6:
			p.post(after, session.Turn{Text: remarks[p.dice.upTo(len(remarks))], Typed: true})
		case 7:
			p.event(after, engine.SpeechStarted{})
			p.event(after+91*time.Second, engine.LongSpeech{Lasted: 91_000, Words: 200})
			p.event(after+93*time.Second, engine.SpeechStopped{})
			p.event(after+94*time.Second, engine.NoWords{})
		case 8:
			p.leaves(after)
		}
	}
}

func (p *anybody) speaks(after time.Duration, text string) {
	began := time.Now().Add(after)
	long := time.Duration(len(strings.Fields(text))) * 333 * time.Millisecond
	p.event(after, engine.SpeechStarted{})
	p.event(after+long, engine.SpeechStopped{})
	p.post(after+long+p.dice.within(4*time.Second), session.Turn{Text: text, Began: began})
}

func (p *anybody) leaves(after time.Duration) {
	away := p.dice.within(15 * time.Second)
	p.mu.Lock()
	p.gone += away
	p.mu.Unlock()
	p.event(after, engine.Away{})
	p.event(after+away, engine.Back{})
}

func (p *anybody) inTheAir() uint64 {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	if n := len(p.g.started); n > 0 {
		return p.g.started[n-1]
	}
	return 0
}

// longest is the sum of the limits of the two-stage interview: both stages with their grace, and the goodbye.
const longest = (90+10+300+10)*time.Second + 20*time.Second

// R001-2, R001-5, R001-7, R001-9, R001-45, R001-46, R001-52, R001-76, RX-9, RX-10, RX-11: anybody, with any providers. No two
// utterances overlap, each utterance has one end, the interview is over within its limits, and the journal tells the same story.
func TestAnybodyWithAnyProviders(t *testing.T) {
	seeds := 400
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			d := &dice{rng: rand.New(rand.NewPCG(uint64(seed), 11))}
			var model llm.Model
			if seed%3 > 0 {
				model = erratic(d)
			}
			g, gone := anyInterview(t, d, model)
			reason, err := g.s.Run(t.Context())
			if err != nil || reason != "done" {
				t.Fatalf("seed %d: ended with %q, %v", seed, reason, err)
			}
			if lasted, limit := time.Since(began), longest+gone(); lasted > limit {
				t.Errorf("seed %d: it took %s, more than %s", seed, lasted, limit)
			}
			if g.overlaps > 0 {
				t.Errorf("seed %d: %d times two utterances were in the air", seed, g.overlaps)
			}
			sameStory(t, seed, g)
		})
	}
}

// anyInterview prepares a session with moody providers and a candidate without manners; gone tells how long they were away.
func anyInterview(t *testing.T, d *dice, model llm.Model) (g *stage, gone func() time.Duration) {
	t.Helper()
	g = newStage(t, "two_stage", nil)
	p := &anybody{g: g, dice: d}
	g.answer = func(*session.Session, int, string) { p.acts() }
	g.taken = func(s *session.Session) {
		if d.upTo(2) == 0 {
			s.Post(session.Turn{Text: "and so on and on it went", Began: time.Now().Add(-20 * time.Second)})
			return
		}
		s.Post(session.Event{Event: engine.NoWords{}})
	}
	var err error
	g.s, err = session.New(session.Options{
		Interview: interview(t, "two_stage"), Start: engine.Started{Session: "test", Locale: "en"}, Voice: moody{g, d}, Ears: g, Presence: g,
		Journal: g.journal, Model: model, Logger: zap.NewNop(), Observe: g.observe,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.acts()
	return g, func() time.Duration {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.gone
	}
}

// sameStory replays the journal step by step: the state comes out the same, every utterance has one end and no other, save
// those that the end of the session cut off; and nothing was asked twice.
func sameStory(t *testing.T, seed int, g *stage) {
	t.Helper()
	entries, err := g.store.Read(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	iv, u := interview(t, "two_stage"), &state.UserData{}
	ends := make(map[uint64]int)
	stopped := make(map[uint64]state.Millis)
	var said []uint64
	for _, e := range entries {
		ev, err := engine.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := ev.(engine.VoiceEnded); ok {
			ends[end.Utterance]++
		}
		var effects []engine.Effect
		u, effects = iv.Step(u, e.At, ev)
		for _, x := range effects {
			switch x := x.(type) {
			case engine.Say:
				said = append(said, x.Utterance)
			case engine.StopSpeech:
				stopped[x.Utterance] = e.At
			}
		}
	}
	if diff := cmp.Diff(g.s.UserData(), u); diff != "" {
		t.Errorf("seed %d: the journal tells another story:\n%s", seed, diff)
	}
	for i, id := range said {
		missed := i == len(said)-1 || stopped[id] == u.Now // it was still to come when the session ended
		if n := ends[id]; n > 1 || n == 0 && !missed {
			t.Errorf("seed %d: utterance %d of %v ended %d times", seed, id, said, n)
		}
		delete(ends, id)
	}
	if len(ends) > 0 {
		t.Errorf("seed %d: utterances ended that were never said: %v", seed, ends)
	}
	for stage, ids := range u.Ledger.Asked {
		seen := make(map[string]bool)
		for _, id := range ids {
			if seen[id] {
				t.Errorf("seed %d: in %s %s was issued twice", seed, stage, id)
			}
			seen[id] = true
		}
	}
}

// RX-1: a session holds any kind. The open conversation goes on until the candidate asks to stop.
func TestConversationUntilTheCandidateStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, "conversation", nil)
		g.answer = func(s *session.Session, n int, _ string) {
			if n == 4 {
				say(s, "I would like to stop now")
				return
			}
			say(s, "well, this and that, mostly")
		}
		if reason := run(t, g); reason != "done" || len(g.heard) != 5 {
			t.Errorf("ended with %q after %q", reason, g.heard)
		}
		if diff := cmp.Diff([]string{"TALK", "DONE"}, g.titles); diff != "" {
			t.Error(diff)
		}
	})
}
