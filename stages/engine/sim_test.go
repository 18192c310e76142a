package engine_test

import (
	"container/heap"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// interview loads a shipped kind in English.
func interview(t testing.TB, kind string) *engine.Interview {
	t.Helper()
	text, err := kinds.FS().ReadFile(kind + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	def, err := definition.Parse(kind+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return join(t, def)
}

func join(t testing.TB, def *definition.Definition) *engine.Interview {
	t.Helper()
	words, err := prompts.Load(prompts.Shipped(), def.Catalogue(), "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := kinds.New(def, words, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// sim runs an interview in virtual time: it plays what is said at three words a second, fires timers when they are due,
// and lets a candidate answer. It keeps everything that happened.
type sim struct {
	t     testing.TB
	iv    *engine.Interview
	u     *state.UserData
	now   state.Millis
	due   queue
	order int

	says     []engine.Say
	stops    []engine.StopSpeech
	facts    []engine.Fact
	plays    []interval
	entries  []state.Entry
	ended    string
	answer   func(s *sim, said engine.Say) // called when an utterance was heard to its end
	onSay    func(s *sim, said engine.Say) // called when an utterance is issued
	playing  uint64
	hold     bool // utterances are issued but not played
	takeTurn func(s *sim)
	onRun    func(s *sim, r engine.Run) // called when a task is started
}

type interval struct {
	utterance uint64
	visit     uint64
	from, to  state.Millis
}

type item struct {
	at    state.Millis
	order int
	ev    engine.Event
	do    func()
}

type queue []item

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(item)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func newSim(t testing.TB, iv *engine.Interview) *sim {
	return &sim{t: t, iv: iv, u: &state.UserData{}}
}

func (s *sim) start() *sim {
	s.send(engine.Started{Session: "test", Locale: "en"})
	return s
}

func (s *sim) after(d time.Duration, ev engine.Event) {
	s.order++
	heap.Push(&s.due, item{at: s.now + state.FromDuration(d), order: s.order, ev: ev})
}

func (s *sim) do(d time.Duration, f func()) {
	s.order++
	heap.Push(&s.due, item{at: s.now + state.FromDuration(d), order: s.order, do: f})
}

// say lets the candidate speak for as long as the words take, and ends the turn.
func (s *sim) say(d time.Duration, text string) {
	began := s.now + state.FromDuration(d)
	s.after(d, engine.SpeechStarted{})
	long := d + speaking(text)
	s.after(long, engine.SpeechStopped{})
	s.after(long+500*time.Millisecond, engine.UserTurn{Text: text, Began: began})
}

func speaking(text string) time.Duration {
	return time.Duration(1+len(strings.Fields(text))) * 333 * time.Millisecond
}

// send steps the engine and carries out the effects.
func (s *sim) send(ev engine.Event) {
	e, err := engine.Encode(uint64(len(s.entries)+1), s.now, ev)
	if err != nil {
		s.t.Fatal(err)
	}
	s.entries = append(s.entries, e)
	var effects []engine.Effect
	s.u, effects = s.iv.Step(s.u, s.now, ev)
	for _, e := range effects {
		s.act(e)
	}
}

func (s *sim) act(e engine.Effect) {
	switch e := e.(type) {
	case engine.Say:
		s.says = append(s.says, e)
		if s.onSay != nil {
			s.onSay(s, e)
		}
		if !s.hold {
			s.do(200*time.Millisecond, func() { s.play(e) })
		}
	case engine.StopSpeech:
		s.stops = append(s.stops, e)
		s.cut(e.Utterance)
	case engine.TakeTurn:
		if s.takeTurn != nil {
			s.do(0, func() { s.takeTurn(s) })
		}
	case engine.ArmTimer:
		s.after(e.After, engine.TimerFired{Name: e.Name, ID: e.ID, Visit: e.Visit})
	case engine.Fact:
		s.facts = append(s.facts, e)
	case engine.End:
		s.ended = e.Reason
	case engine.Run:
		if s.onRun != nil {
			s.onRun(s, e)
		}
	}
}

func (s *sim) play(e engine.Say) {
	if s.u.Floor.Utterance != e.Utterance || s.ended != "" {
		return
	}
	s.playing = e.Utterance
	s.plays = append(s.plays, interval{utterance: e.Utterance, visit: e.Visit, from: s.now, to: -1})
	s.send(engine.VoiceStarted{Utterance: e.Utterance})
	s.do(speaking(e.Text), func() {
		if s.playing != e.Utterance {
			return
		}
		s.playing = 0
		s.plays[len(s.plays)-1].to = s.now
		s.send(engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Heard: e.Text})
		if s.answer != nil && s.ended == "" {
			s.answer(s, e)
		}
	})
}

func (s *sim) cut(utterance uint64) {
	if s.playing != utterance {
		return
	}
	s.playing = 0
	p := &s.plays[len(s.plays)-1]
	p.to = s.now
	said := s.said(utterance)
	s.do(0, func() {
		s.send(engine.VoiceEnded{Utterance: utterance, Visit: said.Visit, Heard: "cut", Cut: true})
	})
}

func (s *sim) said(utterance uint64) engine.Say {
	for _, x := range s.says {
		if x.Utterance == utterance {
			return x
		}
	}
	return engine.Say{}
}

// run goes on until the interview ends or nothing is left to happen; an interview may not take longer than limit.
func (s *sim) run(limit time.Duration) *sim {
	for s.ended == "" && len(s.due) > 0 {
		x, _ := heap.Pop(&s.due).(item)
		s.now = max(s.now, x.at)
		if s.now > state.FromDuration(limit) {
			s.t.Fatalf("still going after %s in stage %s", limit, s.u.Stage)
		}
		if x.do != nil {
			x.do()
			continue
		}
		s.send(x.ev)
	}
	return s
}

// until runs up to a time.
func (s *sim) until(d time.Duration) {
	for s.ended == "" && len(s.due) > 0 && s.due[0].at <= state.FromDuration(d) {
		x, _ := heap.Pop(&s.due).(item)
		s.now = max(s.now, x.at)
		if x.do != nil {
			x.do()
		} else {
			s.send(x.ev)
		}
	}
	s.now = max(s.now, state.FromDuration(d))
}

func (s *sim) count(name string) int {
	n := 0
	for _, f := range s.facts {
		if f.Name == name {
			n++
		}
	}
	return n
}

func (s *sim) factsOf(name, key string) []any {
	var out []any
	for _, f := range s.facts {
		if f.Name != name {
			continue
		}
		for _, x := range f.Fields {
			if x.Key == key {
				out = append(out, x.Value)
			}
		}
	}
	return out
}

func (s *sim) stages() []string {
	var out []string
	for _, v := range s.u.Visits {
		out = append(out, v.Stage)
	}
	return out
}

func (s *sim) prompts() []string {
	var out []string
	for _, x := range s.says {
		out = append(out, x.Prompts...)
	}
	return out
}

// check holds the invariants that every run must keep.
func (s *sim) check() {
	s.t.Helper()
	for i, p := range s.plays {
		if i > 0 && s.plays[i-1].to > p.from {
			s.t.Errorf("utterances %d and %d overlap", s.plays[i-1].utterance, p.utterance)
		}
	}
	seen := make(map[string]bool)
	for _, x := range s.says {
		if slices.Contains(s.withdrawn(), x.Utterance) {
			continue // nobody heard a frame of it
		}
		for _, id := range x.Prompts {
			if seen[id] {
				s.t.Errorf("prompt %s was issued twice", id)
			}
			seen[id] = true
		}
	}
	for i := 1; i < len(s.u.Visits); i++ {
		if s.u.Visits[i].Visit != s.u.Visits[i-1].Visit+1 {
			s.t.Errorf("visits are not consecutive: %v", s.u.Visits)
		}
	}
	replayed, err := s.iv.Fold(s.entries)
	if err != nil {
		s.t.Fatal(err)
	}
	if a, b := asJSON(s.t, replayed), asJSON(s.t, s.u); a != b {
		s.t.Errorf("replay differs:\n%s\n%s", a, b)
	}
}

func (s *sim) withdrawn() []uint64 {
	var out []uint64
	for _, v := range s.factsOf("prompt.withdrawn", "utterance") {
		out = append(out, v.(uint64))
	}
	return out
}
