package simulate

import (
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// The things a candidate may do, besides answering.
const (
	doAnswer  = "answer"
	doVague   = "vague"
	doSilence = "silence"
	doNoise   = "noise"
	doSame    = "same" // the same words again
	doLeave   = "leave"
	doGone    = "gone"
)

// weight is how often something is done, in thousandths.
type weight struct {
	what string
	of   int
}

// manner is what makes a candidate.
type manner struct {
	does       []weight
	covers     [2]int           // how much an answer covers, at least and at most
	waits      [2]time.Duration // before an answer
	interrupts float64          // how often an utterance is spoken into
	typed      float64          // how often a turn is typed
	foreign    float64          // how often an answer is in the other language
	rambles    bool
}

var manners = map[Candidate]manner{
	Strong: {
		does:   []weight{{doAnswer, 920}, {"think", 20}, {"repeat", 15}, {doVague, 20}, {"hint", 5}, {doNoise, 10}, {doLeave, 5}, {doSilence, 5}},
		covers: [2]int{1, 2}, waits: [2]time.Duration{400 * time.Millisecond, 3 * time.Second}, interrupts: 0.03, typed: 0.05,
	},
	Weak: {
		does: []weight{
			{doAnswer, 330}, {doVague, 240}, {"unknown", 90}, {"refuse", 40}, {"hint", 80}, {"frustrated", 50}, {"short", 50}, {"repeat", 30},
			{"think", 30}, {"skip", 20}, {doSame, 10}, {doNoise, 10}, {doSilence, 15}, {doLeave, 5},
		},
		covers: [2]int{1, 1}, waits: [2]time.Duration{time.Second, 9 * time.Second}, interrupts: 0.02, typed: 0.05,
	},
	Silent: {
		does:  []weight{{doSilence, 930}, {doNoise, 55}, {doLeave, 15}},
		waits: [2]time.Duration{time.Second, 6 * time.Second},
	},
	Rambling: {
		does:   []weight{{doAnswer, 900}, {doVague, 60}, {"think", 20}, {doNoise, 20}},
		covers: [2]int{0, 1}, waits: [2]time.Duration{100 * time.Millisecond, time.Second}, interrupts: 0.1, rambles: true,
	},
	Hostile: {
		does: []weight{
			{doAnswer, 170}, {"skip", 170}, {"solution", 140}, {"attack", 220}, {doSame, 60}, {"frustrated", 50}, {"off_topic", 70}, {"short", 40},
			{"refuse", 40}, {doLeave, 15}, {doSilence, 15}, {doGone, 3}, {"quit", 7},
		},
		covers: [2]int{1, 1}, waits: [2]time.Duration{0, 800 * time.Millisecond}, interrupts: 0.5, typed: 0.2,
	},
	MixedTalk: {
		does:   []weight{{doAnswer, 870}, {doVague, 60}, {"hint", 20}, {"frustrated", 10}, {"repeat", 15}, {"think", 15}, {doNoise, 10}},
		covers: [2]int{1, 2}, waits: [2]time.Duration{500 * time.Millisecond, 4 * time.Second}, interrupts: 0.05, typed: 0.05, foreign: 0.5,
	},
}

// patience is how many turns a candidate takes part for before saying goodbye: an open talk has no other end.
const patience = 40

// person is a candidate in one interview.
type person struct {
	manner
	mind
	turns int
	last  string // what was said last
}

func newPerson(iv *engine.Interview, o Options) *person {
	rng := chance(o, "person")
	return &person{manner: manners[o.Candidate], mind: newMind(iv, rng)}
}

func (p *person) React(s Situation) Action {
	u, e := s.State, s.Say
	if e.Last || e.Move == engine.MoveHold {
		return Action{}
	}
	a := p.act(u, e)
	a.Wait = p.waits[0] + time.Duration(p.rng.Int64N(int64(p.waits[1]-p.waits[0])+1))
	if e.Move == engine.MoveGrant {
		a.Wait += time.Duration(p.rng.IntN(15)) * time.Second
	}
	return a
}

func (p *person) Interrupt(s Situation) (Action, bool) {
	lasts := s.Lasts
	if lasts < 2*time.Second || p.rng.Float64() >= p.interrupts {
		return Action{}, false
	}
	a := p.act(s.State, s.Say)
	a.Wait = time.Duration(p.rng.Int64N(int64(lasts)))
	return a, a.Text != "" && !a.Typed
}

func (p *person) act(u *state.UserData, e engine.Say) Action {
	p.turns++
	if p.turns > patience {
		return p.words("quit")
	}
	if v := u.Current(); v != nil && v.Choice != "" && p.rng.IntN(3) > 0 && len(p.does) > 3 {
		return p.words("offer")
	}
	what := p.pick()
	switch what {
	case doSilence:
		return Action{}
	case doNoise:
		return Action{Noise: true}
	case doLeave:
		return Action{Away: time.Duration(1+p.rng.IntN(40)) * time.Second}
	case doGone:
		return Action{Gone: true}
	case doSame:
		return p.finish(Action{Text: p.last})
	case doAnswer:
		return p.finish(p.answering(u, e))
	}
	return p.words(what)
}

func (p *person) pick() string {
	sum := 0
	for _, w := range p.does {
		sum += w.of
	}
	n := p.rng.IntN(sum)
	for _, w := range p.does {
		if n -= w.of; n < 0 {
			return w.what
		}
	}
	return doAnswer
}

func (p *person) words(purpose string) Action {
	return p.finish(Action{Text: p.lines(p.foreign).phrase(p.rng, purpose)})
}

// finish adds what a manner does to all words.
func (p *person) finish(a Action) Action {
	if p.rambles && a.Text != "" && p.turns <= patience {
		a.Text, a.GoOn = p.ramble(a.Text), p.rng.IntN(3)
	}
	a.Typed = p.rng.Float64() < p.typed
	a.Lost = p.rng.Float64() < 0.02
	if a.Text != "" {
		p.last = a.Text
	}
	return a
}

// ramble wraps a few words in very many.
func (p *person) ramble(core string) string {
	l := p.lines(0)
	var out []string
	n := 2 + p.rng.IntN(10)
	if p.rng.IntN(8) == 0 {
		n += 20 // beyond every limit of an answer
	}
	at := p.rng.IntN(n)
	for i := range n {
		if i == at {
			out = append(out, core)
		}
		out = append(out, l.phrase(p.rng, "ramble"))
	}
	return strings.Join(out, " ")
}

// answering says something about what was asked.
func (p *person) answering(u *state.UserData, e engine.Say) Action {
	l := p.lines(p.foreign)
	n := p.covers[0]
	if p.covers[1] > n {
		n += p.rng.IntN(p.covers[1] - n + 1)
	}
	if n == 0 {
		return Action{Text: l.phrase(p.rng, "vague")}
	}
	a := p.knows(u, e, l, n)
	if a.Text == "" {
		a.Text = l.phrase(p.rng, "story")
	}
	return a
}
