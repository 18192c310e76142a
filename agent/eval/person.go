package eval

import (
	"cmp"
	"errors"
	"time"

	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// person returns who is interviewed: a model where there is one and the scenario says what it is to do, else the script.
func (h *holding) person() (simulate.Person, error) {
	switch {
	case h.Models.Candidate != nil && h.Scenario.Instructions != "":
		return &acted{h: h, part: h.actor()}, nil
	case len(h.Scenario.Lines) > 0:
		return &scripted{h: h, script: h.Scenario.Script()}, nil
	}
	return nil, errors.New("nobody can play this candidate: give a model (--candidate-model), or lines in the scenario")
}

// patienceOfCandidates is how long a candidate with nothing left to say listens before leaving.
const patienceOfCandidates = 1500 * time.Millisecond

// scripted is a candidate who says lines.
type scripted struct {
	h      *holding
	script *scenario.Script
	turns  int
	silent state.Millis // until then nothing is said
	leaves bool         // with the next opportunity
}

var _ simulate.Person = (*scripted)(nil)

// React implements simulate.Person.
func (p *scripted) React(s simulate.Situation) simulate.Action {
	if s.Say.Last || s.Say.Move == engine.MoveHold {
		return simulate.Action{}
	}
	if s.At < p.silent {
		return simulate.Action{}
	}
	if p.turns++; p.turns > p.h.Scenario.Turns {
		return simulate.Action{Gone: true, Reason: "it has taken long enough"}
	}
	if p.leaves {
		return simulate.Action{Gone: true, Wait: patienceOfCandidates}
	}
	line, there := p.script.Next(s.Text)
	if !there {
		if p.h.Scenario.Then == scenario.ThenSilent {
			return simulate.Action{}
		}
		return simulate.Action{Gone: true, Wait: patienceOfCandidates, Reason: "the script is over"}
	}
	return p.act(line, s.At)
}

// act does what a line says, at this time.
func (p *scripted) act(l scenario.Line, now state.Millis) simulate.Action {
	if l.Silent > 0 {
		p.silent = now + state.FromDuration(l.Silent)
		return simulate.Action{}
	}
	a := simulate.Action{
		Wait: max(l.Wait, p.h.Pace.Thought), Text: cmp.Or(l.Say, l.Typed, l.Interrupt), Typed: l.Typed != "", Code: l.Code, Language: l.Language, Away: l.Away,
	}
	p.leaves = l.Leave
	a.Gone = l.Leave && a.Text == "" && a.Code == ""
	return a
}

// Interrupt implements simulate.Person: the next line, if it is an interruption, is spoken into the words.
func (p *scripted) Interrupt(s simulate.Situation) (simulate.Action, bool) {
	if s.Say.Last {
		return simulate.Action{}, false
	}
	line, there := p.script.Peek(s.Text)
	if !there || line.Interrupt == "" || s.At < p.silent {
		return simulate.Action{}, false
	}
	_, _ = p.script.Next(s.Text) // the same
	p.turns++
	return simulate.Action{Wait: min(line.After, s.Lasts/2), Text: line.Interrupt}, true
}

// acted is a candidate played by a model.
type acted struct {
	h     *holding
	part  *actor
	turns int
}

var _ simulate.Person = (*acted)(nil)

// React implements simulate.Person.
func (p *acted) React(s simulate.Situation) simulate.Action {
	if s.Say.Last || s.Say.Move == engine.MoveHold {
		return simulate.Action{}
	}
	if p.turns++; p.turns > p.h.Scenario.Turns {
		return simulate.Action{Gone: true, Reason: "it has taken long enough"}
	}
	did, err := p.part.next(p.h.ctx, p.h.minutes.lines)
	if err != nil {
		p.h.fail(err)
		return simulate.Action{Gone: true, Reason: "the candidate's model failed"}
	}
	return did.action(p.h.Pace)
}

// Interrupt implements simulate.Person: a model hears what is said before it answers.
func (p *acted) Interrupt(simulate.Situation) (simulate.Action, bool) {
	return simulate.Action{}, false
}
