package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/candidate"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// Aloud has talks held in real rooms, by whichever worker is dispatched into them. The server of Deps is required.
type Aloud struct {
	Deps      candidate.Deps
	AgentName string
	// Voice is the candidate's, for a language.
	Voice func(locale string) candidate.Voice
	// Record is the path without its ending where a talk's sound is kept; nil or "" = it is not.
	Record func(scenario string) string
}

// HoldAloud holds a talk in a real room, in real time: the worker's interviewer, the candidate of the scenario with a synthetic voice.
// The candidate's model keeps the interviewer waiting as long as it takes. The error says why there is no talk.
func HoldAloud(ctx context.Context, what Holding, a *Aloud) (*talk.Talk, Subject, error) {
	h := newHolding(ctx, what)
	person, err := h.person()
	if err != nil {
		return nil, Subject{}, err
	}
	m := h.Scenario.Metadata
	m.Interview, m.Locale = h.Interview.Def.Kind, h.Interview.Words.Locale()
	metadata, err := json.Marshal(m)
	if err != nil {
		return nil, Subject{}, fmt.Errorf("dispatch %s: %w", h.Scenario.ID, err)
	}
	call := candidate.Call{
		Name: cmp.Or(m.Candidate.Name, "Candidate"), AgentName: a.AgentName, Metadata: string(metadata), Partner: &partner{h: h, person: person},
		Voice: a.Voice(m.Locale), StageAttribute: agent.AttributeStage,
	}
	if limit, limited := h.Interview.Def.WorstCase(); limited {
		call.Limit = limit + 5*time.Minute
	}
	if a.Record != nil {
		call.Record = a.Record(h.Scenario.ID)
	}
	held, err := candidate.Converse(ctx, call, a.Deps)
	if err == nil {
		err = h.problem()
	}
	if err != nil {
		return nil, Subject{}, fmt.Errorf("hold %s aloud: %w", h.Scenario.ID, err)
	}
	t := h.talk(talk.Viva)
	t.Model = cmp.Or(h.Model, a.AgentName)
	t.Lines, t.Ended, t.Took, t.Voice = finished(held.Lines), string(held.Outcome), held.Took, &held.Voice
	t.Checks = []talk.Check{repeats(t.Lines), audible(held.Voice)}
	return t, about(h.Interview, started(h)), nil
}

// started is what is known of an interview before it begins: another process holds it.
func started(h *holding) *state.UserData {
	m := h.Scenario.Metadata
	u, _ := h.Interview.Step(&state.UserData{}, 0, engine.Started{
		Session: "eval", Locale: h.Interview.Words.Locale(), Vars: m.Vars, Candidate: state.Candidate{Name: m.Candidate.Name},
	})
	return u
}

// audible checks that every turn was answered, and that nobody talked over the candidate.
func audible(v talk.Voice) talk.Check {
	c := talk.Check{Name: "answered, not talked over", Passed: v.Missing == 0 && v.Overlaps == 0}
	if !c.Passed {
		c.Detail = fmt.Sprintf("%d answers missing, %d overlaps of %v in all", v.Missing, v.Overlaps, v.Overlapped)
	}
	return c
}

// partner lets the candidate of a scenario talk in a room.
type partner struct {
	h      *holding
	person simulate.Person
}

var _ candidate.Partner = (*partner)(nil)

func (p *partner) Next(_ context.Context, heard candidate.Heard) (candidate.Move, error) {
	p.h.minutes.lines = append(p.h.minutes.lines, heard.Lines...)
	var words string
	for _, l := range heard.Lines {
		words += " " + l.Text
	}
	if heard.Missing {
		p.h.minutes.add(talk.Line{Speaker: talk.Happening, What: talk.Silence, Text: "nobody speaks", At: heard.At, Until: heard.At})
	}
	a := p.person.React(simulate.Situation{Say: engine.Say{Move: engine.MoveProbe}, Text: words, At: state.FromDuration(heard.At)})
	if err := p.h.problem(); err != nil {
		return candidate.Move{}, err
	}
	return p.move(a, heard.At)
}

// move is what the candidate does, and puts it down for the next time.
func (p *partner) move(a simulate.Action, at time.Duration) (candidate.Move, error) {
	m := candidate.Move{Wait: a.Wait, Leave: a.Gone}
	if a.Code != "" {
		raw, err := json.Marshal(engine.CodeChanged{Text: a.Code, Language: cmp.Or(a.Language, "pseudocode")})
		if err != nil {
			return m, fmt.Errorf("send the candidate's code: %w", err)
		}
		m.Send = append(m.Send, candidate.Message{Topic: agent.TopicCode, Payload: raw})
		p.h.minutes.code = a.Code
	}
	switch {
	case a.Away > 0: // a synthetic candidate stays connected: it is as if nothing were heard of it
		m.Wait = a.Away
	case a.Typed:
		m.Type = a.Text
	default:
		m.Say = a.Text
	}
	if a.Text != "" {
		p.h.minutes.add(talk.Line{Speaker: talk.Candidate, Text: a.Text, At: at, Until: at, Code: a.Code})
	}
	return m, nil
}
