package simulate

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// world is all that an interview has around it: one clock, and what is due on it.
type world struct {
	iv      *engine.Interview
	o       Options
	u       *state.UserData
	now     state.Millis
	due     []item // the earliest first
	ended   string
	entries []state.Entry
	check   *checker

	rng    *rand.Rand // latencies and chance
	voice  voice
	talk   *talk
	person Person      // nil = nobody: time alone
	words  Interviewer // who words what a model may; nil = the script
	tasks  *tasks
	judges judges
	timers map[uint64]bool // armed, by id
	said   map[string]bool // utterances heard
	heard  Heard
	// reported is the state of which the report was asked for; nil = it was not.
	reported *state.UserData
	plan     int // the candidate's newest intention; older ones are given up
}

func newWorld(iv *engine.Interview, o Options) *world {
	w := &world{
		iv: iv, o: o, u: &state.UserData{}, check: newChecker(iv), rng: chance(o, "world"), timers: make(map[uint64]bool),
		said: make(map[string]bool), voice: voice{
			open: make(map[uint64]engine.Say), cut: make(map[uint64]string), read: make(map[uint64]engine.Read),
		},
	}
	w.tasks = newTasks(iv, o)
	w.judges = judges{rng: chance(o, "judges"), faults: o.Model, honest: o.Honest, results: make(map[string]engine.Judged)}
	w.person, w.words = o.Person, o.Interviewer
	if w.person == nil {
		w.person = newPerson(iv, o)
	}
	if w.words == nil && o.Model {
		w.words = &model{iv: iv, rng: chance(o, "model")}
	}
	return w
}

// chance returns a source of chance of its own for each part, so that one part's draws do not shift another's.
func chance(o Options, part string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(string(o.Candidate) + "/" + part)) // a hash takes everything
	return rand.New(rand.NewPCG(o.Seed, h.Sum64()))          //nolint:gosec // a simulation has to come out the same again
}

// run starts the interview and goes on until it ends, or nothing is left to happen.
func (w *world) run(start engine.Event, opening ...engine.Event) {
	w.send(start)
	for _, ev := range opening {
		w.send(ev)
	}
	w.loop()
	for _, done := range w.judges.out { // some of what was judged comes only now, and all the rest a second time
		w.send(done)
	}
}

func (w *world) loop() {
	limit := state.FromDuration(w.o.Limit)
	for w.ended == "" && len(w.due) > 0 {
		x := w.due[0]
		w.due = w.due[1:]
		w.now = max(w.now, x.at)
		if w.now > limit || len(w.entries) > maxEvents {
			w.check.report(Progress, w.u, "it is still in stage %s after %s and %d events", w.u.Stage, w.now.Duration(), len(w.entries))
			return
		}
		x.do()
	}
	if w.ended == "" {
		w.check.report(Progress, w.u, "nothing will ever happen again in stage %s", w.u.Stage)
	}
}

// send journals an event, steps the engine and carries out the effects.
func (w *world) send(ev engine.Event) {
	entry, err := engine.Encode(uint64(len(w.entries)+1), w.now, ev)
	if err != nil {
		w.check.report(Replay, w.u, "the event %s cannot be journalled: %v", engine.Name(ev), err)
		return
	}
	w.entries = append(w.entries, entry)
	before := w.u
	after, effects := w.iv.Step(before, w.now, ev)
	w.u = after
	w.check.step(before, ev, after, effects)
	if w.o.Observe != nil {
		w.o.Observe(describe(w.iv, entry, before, after, effects))
	}
	for _, e := range effects {
		w.act(e)
	}
	if w.o.Probe && after.Visit != before.Visit && w.ended == "" {
		w.probe()
	}
}

func (w *world) act(e engine.Effect) {
	switch e := e.(type) {
	case engine.Say:
		w.say(e)
	case engine.StopSpeech:
		w.stop(e.Utterance)
	case engine.TakeTurn:
		w.takeTurn()
	case engine.ArmTimer:
		w.arm(e)
	case engine.CancelTimer:
		w.disarm(e)
	case engine.Run:
		w.ask(e)
	case engine.CancelRun:
		w.tasks.cancelled[e.Task] = true
	case engine.Judge:
		w.verdict(e)
	case engine.End:
		w.end(e.Reason)
	}
}

// late is how often something that was called off has happened already, so that the news of it is on its way.
const late = 0.05

func (w *world) arm(e engine.ArmTimer) {
	w.timers[e.ID] = true
	w.after(e.After, func() {
		if w.timers[e.ID] {
			delete(w.timers, e.ID)
			w.send(engine.TimerFired{Name: e.Name, ID: e.ID, Visit: e.Visit})
		}
	})
}

func (w *world) disarm(e engine.CancelTimer) {
	delete(w.timers, e.ID)
	if w.person != nil && w.chance(late) {
		visit := w.u.Visit
		w.after(w.between(0, 30*time.Millisecond), func() { w.send(engine.TimerFired{Name: e.Name, ID: e.ID, Visit: visit}) })
	}
}

// ask has a task answered, once, twice or never.
func (w *world) ask(r engine.Run) {
	if w.o.Runner != nil {
		done, after := w.o.Runner.Do(r)
		w.answered(answer{TaskDone: done, after: after, times: 1})
		return
	}
	if r.Kind == engine.TaskReport && w.o.Honest && !w.tasks.mute {
		w.askReport(r)
		return
	}
	w.answered(w.tasks.do(r))
}

func (w *world) answered(a answer) {
	for n := range a.times {
		w.after(a.after+time.Duration(n)*20*time.Millisecond, func() {
			if !w.tasks.cancelled[a.Task] || w.chance(late) {
				w.send(a.TaskDone)
			}
		})
	}
}

// end closes the session: what is in the air is cut, and that is the last thing in the journal.
func (w *world) end(reason string) {
	w.ended = reason
	for _, id := range slices.Sorted(maps.Keys(w.voice.open)) {
		w.cutShort(id)
		w.stopped(id)
	}
}

// after plans something.
func (w *world) after(d time.Duration, do func()) {
	x := item{at: w.now + state.FromDuration(d), do: do}
	i := sort.Search(len(w.due), func(i int) bool { return w.due[i].at > x.at })
	w.due = slices.Insert(w.due, i, x)
}

// chance draws whether something happens that seldom does; with Steady it never does.
func (w *world) chance(share float64) bool { return !w.o.Steady && w.rng.Float64() < share }

// between draws a duration; with Steady it is the one in the middle.
func (w *world) between(low, high time.Duration) time.Duration {
	if w.o.Steady {
		return (low + high) / 2
	}
	return low + time.Duration(w.rng.Int64N(int64(high-low)+1))
}

// item is what happens at a time; of those at the same one, what was planned first.
type item struct {
	at state.Millis
	do func()
}

// probe continues from here on a copy with time alone: no candidate, no model, no answers to tasks. The end has to come.
func (w *world) probe() {
	o := w.o
	o.Probe, o.Observe, o.Person, o.Interviewer, o.Runner = false, nil, nil, nil, nil
	p := newWorld(w.iv, o)
	p.person, p.words, p.tasks.mute, p.judges.mute = nil, nil, true, true
	p.u, p.now = w.u.Clone(), w.now
	p.restore()
	p.loop()
	if p.ended == "" {
		w.check.report(Progress, w.u, "from stage %s, time alone leads no further than stage %s", w.u.Stage, p.u.Stage)
	}
}

// restore puts back around a state what it implies: its timers run, its utterance is in the air, its candidate falls silent.
func (w *world) restore() {
	for name, t := range w.u.Timers {
		w.arm(engine.ArmTimer{Name: name, ID: t.ID, Visit: t.Visit, After: t.Left(w.now).Duration()})
	}
	if f := w.u.Floor; f.Utterance != 0 {
		e := engine.Say{Utterance: f.Utterance, Visit: f.Visit, Stage: w.u.Stage, Move: engine.Move(f.Move), Text: f.Text, Last: f.Last}
		if f.Audible {
			w.voice.open[e.Utterance], w.voice.air, w.voice.text, w.voice.began = e, e.Utterance, e.Text, w.now
			w.after(Speaking(e.Text), func() {
				if w.voice.air == e.Utterance {
					w.voice.air = 0
					w.ending(engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Heard: e.Text})
				}
			})
		} else {
			w.say(e)
		}
	}
	if w.u.Floor.Candidate {
		w.after(time.Second, func() { w.send(engine.SpeechStopped{}) })
		w.after(2*time.Second, func() { w.send(engine.NoWords{Reason: "silence"}) })
	}
	if w.u.Floor.Away {
		w.after(time.Second, func() { w.send(engine.Back{}) })
	}
}
