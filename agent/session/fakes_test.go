package session_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// interviews are loaded once: they are read-only, and some tests hold hundreds.
var interviews = map[string]func() (*engine.Interview, error){
	"two_stage":    sync.OnceValues(func() (*engine.Interview, error) { return load("two_stage") }),
	"conversation": sync.OnceValues(func() (*engine.Interview, error) { return load("conversation") }),

	"system_design":   sync.OnceValues(func() (*engine.Interview, error) { return load("system_design") }),
	"algorithm_coach": sync.OnceValues(func() (*engine.Interview, error) { return load("algorithm_coach") }),

	"persona_interview": sync.OnceValues(func() (*engine.Interview, error) { return load("persona_interview") }),
}

func load(kind string) (*engine.Interview, error) {
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		return nil, err
	}
	words, err := prompts.Load(prompts.Shipped(), kind, "en")
	if err != nil {
		return nil, err
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		return nil, err
	}
	return kinds.New(defs[kind], words, rules)
}

func interview(t testing.TB, kind string) *engine.Interview {
	t.Helper()
	iv, err := interviews[kind]()
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// stage is a whole room in virtual time: a voice that takes three words a second, ears that do as told, and a candidate.
type stage struct {
	t       testing.TB
	s       *session.Session
	journal state.Journal
	store   *state.Memory

	mu        sync.Mutex
	air       context.Context // of the utterance in the air
	overlaps  int
	started   []uint64
	began     []time.Time // of started
	committed time.Time   // when the test decided a turn
	heard     []string
	released  map[uint64]chan struct{} // by generation; closed by Release
	prepared  []string                 // first clauses of utterances that were held
	states    []string
	titles    []string
	facts     []engine.Fact
	broken    error // the voice fails with it
	answer    func(s *session.Session, n int, text string)
	taken     func(s *session.Session)
	paused    bool
	plain     bool // no speculation
	done      string
}

// Speak implements session.Voice.
func (g *stage) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	if g.broken != nil {
		for {
			if _, err := src.Next(ctx); err != nil {
				return session.Spoken{Err: g.broken}
			}
		}
	}
	var heard []string
	begun := false
	for {
		clause, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return g.over(u, heard, false)
		}
		if !begun {
			begun = true
			if !g.hold(ctx, u, clause.Text) || !g.enter(ctx, u) {
				return session.Spoken{}
			}
			u.Started()
		}
		for _, w := range strings.Fields(clause.Text) {
			select {
			case <-ctx.Done():
				return g.over(u, heard, false)
			case <-time.After(333 * time.Millisecond):
			}
			heard = append(heard, w)
			u.Words(" " + w)
		}
	}
	if !begun {
		return session.Spoken{Complete: true}
	}
	return g.over(u, heard, true)
}

// Stage implements session.Presence.
func (g *stage) Stage(p engine.Publish) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.titles = append(g.titles, p.Stage)
}

func (g *stage) published() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.titles)
}

// hold waits until a held utterance is released; it reports false when it is cut before.
func (g *stage) hold(ctx context.Context, u session.Utterance, clause string) bool {
	if !u.Hold {
		return true
	}
	g.mu.Lock()
	g.prepared = append(g.prepared, clause)
	g.mu.Unlock()
	select {
	case <-g.release(u.Generation):
		return true
	case <-ctx.Done():
		return false
	}
}

func (g *stage) release(generation uint64) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.released == nil {
		g.released = make(map[uint64]chan struct{})
	}
	if g.released[generation] == nil {
		g.released[generation] = make(chan struct{})
	}
	return g.released[generation]
}

// Release implements session.Holder.
func (g *stage) Release(generation uint64) { close(g.release(generation)) }

// enter puts an utterance in the air, unless it was cut before.
func (g *stage) enter(ctx context.Context, u session.Utterance) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	g.started, g.began = append(g.started, u.ID), append(g.began, time.Now())
	if g.air != nil && g.air.Err() == nil {
		g.overlaps++ // the one before was neither over nor stopped
	}
	g.air = ctx
	return true
}

func (g *stage) over(_ session.Utterance, heard []string, complete bool) session.Spoken {
	g.mu.Lock()
	text := strings.Join(heard, " ")
	if len(heard) > 0 {
		g.heard = append(g.heard, text)
	}
	if complete {
		g.air = nil
	}
	n, answer := len(g.heard), g.answer
	g.mu.Unlock()
	if answer != nil && complete && len(heard) > 0 {
		answer(g.s, n, text)
	}
	return session.Spoken{Heard: text, Complete: complete}
}

func (g *stage) Pause()                                      { g.paused = true }
func (g *stage) Resume()                                     { g.paused = false }
func (g *stage) Duck(bool)                                   {}
func (g *stage) Audible(uint64, bool, bool)                  {}
func (g *stage) Expect(string, string)                       {}
func (g *stage) Words(uint64, string)                        {}
func (g *stage) Said(uint64, string)                         {}
func (g *stage) Candidate(uint64, string, session.Certainty) {}
func (g *stage) Done(reason string)                          { g.done = reason }
func (g *stage) State(s string)                              { g.states = append(g.states, s) }
func (g *stage) observe(f engine.Fact)                       { g.facts = append(g.facts, f) }
func (g *stage) count(name string) int                       { return len(g.values(name, "stage")) }
func (g *stage) Take()                                       { g.taken(g.s) }
func (g *stage) values(name, key string) (out []any) {
	for _, f := range g.facts {
		for _, x := range f.Fields {
			if f.Name == name && x.Key == key {
				out = append(out, x.Value)
			}
		}
	}
	return out
}

func newStage(t testing.TB, kind string, model llm.Model) *stage {
	t.Helper()
	return (&stage{t: t, store: state.NewMemory()}).open(kind, model)
}

// open makes the session of a stage.
func (g *stage) open(kind string, model llm.Model) *stage {
	t := g.t
	t.Helper()
	g.taken = func(s *session.Session) { s.Post(session.Event{Event: engine.NoWords{}}) }
	journal, err := g.store.Create(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	g.journal = journal
	g.s, err = session.New(session.Options{
		Interview: interview(t, kind), Start: engine.Started{Session: "test", Locale: "en"}, Voice: g, Ears: g, Presence: g,
		Journal: journal, Model: model, Logger: zap.NewNop(), Observe: g.observe, Speculate: !g.plain,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// say is a candidate who speaks after a moment, for as long as the words take.
func say(s *session.Session, text string) {
	began := time.Now().Add(800 * time.Millisecond)
	long := time.Duration(len(strings.Fields(text))) * 333 * time.Millisecond
	time.AfterFunc(800*time.Millisecond, func() { s.Post(session.Event{Event: engine.SpeechStarted{}}) })
	time.AfterFunc(800*time.Millisecond+long, func() {
		s.Post(session.Event{Event: engine.SpeechStopped{}})
		s.Post(session.Turn{Text: text, Began: began})
	})
}

// modelFunc is a model made of a function from the request to a reply.
type modelFunc func(r llm.Request) reply

type reply struct {
	wait time.Duration // before the first delta
	text []string
	err  error
	hang bool // never answers
}

// asking lets one request in at a time: drafts may ask while the reply before them is still on its way.
var asking sync.Mutex

func (f modelFunc) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	asking.Lock()
	defer asking.Unlock()
	return &replyStream{ctx: ctx, reply: f(r)}, nil
}

type replyStream struct {
	ctx   context.Context
	reply reply
	begun bool
}

func (s *replyStream) Next() (llm.Delta, error) {
	if s.reply.hang {
		<-s.ctx.Done()
		return llm.Delta{}, s.ctx.Err()
	}
	if !s.begun {
		s.begun = true
		select {
		case <-s.ctx.Done():
			return llm.Delta{}, s.ctx.Err()
		case <-time.After(s.reply.wait):
		}
	}
	if len(s.reply.text) > 0 {
		d := llm.Delta{Text: s.reply.text[0]}
		s.reply.text = s.reply.text[1:]
		return d, nil
	}
	if s.reply.err != nil {
		return llm.Delta{}, s.reply.err
	}
	return llm.Delta{}, io.EOF
}

func (s *replyStream) Close() error { return nil }
