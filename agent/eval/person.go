package eval

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// person returns who is interviewed: a model where there is one and the scenario says what it is to do, else the script.
func (h *holding) person() (simulate.Person, error) {
	switch {
	case h.Models.Candidate != nil && h.Scenario.Instructions != "":
		return &person{h: h, actor: h.actor()}, nil
	case len(h.Scenario.Lines) > 0:
		return &person{h: h, script: h.Scenario.Script()}, nil
	}
	return nil, errors.New("nobody can play this candidate: give a model (--candidate-model), or lines in the scenario")
}

// patienceOfCandidates is how long a candidate with nothing left to say listens before leaving.
const patienceOfCandidates = 1500 * time.Millisecond

// person is a candidate who says lines, or is played by a model.
type person struct {
	h      *holding
	turns  int
	actor  *actor // nil: the script says what to do
	script *scenario.Script
	silent state.Millis    // until then nothing is said
	late   simulate.Action // what is said at due, whatever the interviewer says meanwhile
	due    state.Millis
	leaves bool // with the next opportunity
}

var _ simulate.Person = (*person)(nil)

func (p *person) React(s simulate.Situation) simulate.Action {
	if s.Say.Last || s.Say.Move == engine.MoveHold || s.At < p.silent {
		return simulate.Action{}
	}
	if p.turns++; p.turns > p.h.Scenario.Turns {
		return simulate.Action{Gone: true, Reason: "it has taken long enough"}
	}
	if p.actor != nil {
		return p.play()
	}
	if p.leaves {
		return simulate.Action{Gone: true, Wait: patienceOfCandidates}
	}
	if s.At < p.due {
		p.late.Wait = max((p.due - s.At).Duration(), p.h.Pace.Thought)
		return p.late
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
func (p *person) act(l scenario.Line, now state.Millis) simulate.Action {
	if l.Silent > 0 {
		p.silent = now + state.FromDuration(l.Silent)
		return simulate.Action{}
	}
	a := simulate.Action{
		Wait: max(l.Wait, p.h.Pace.Thought), Text: cmp.Or(l.Say, l.Typed, l.Interrupt), Typed: l.Typed != "", Code: l.Code, Language: l.Language, Away: l.Away,
	}
	p.leaves = l.Leave
	if l.Wait > p.h.Pace.Thought {
		p.late, p.due = a, now+state.FromDuration(l.Wait)
	}
	a.Gone = l.Leave && a.Text == "" && a.Code == ""
	return a
}

// Interrupt implements simulate.Person: the next line, if it is an interruption, is spoken into the words. A model hears what is said
// before it answers.
func (p *person) Interrupt(s simulate.Situation) (simulate.Action, bool) {
	if s.Say.Last || p.actor != nil {
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

// play does what the model says.
func (p *person) play() simulate.Action {
	did, err := p.actor.next(p.h.ctx, p.h.minutes.lines)
	if err != nil {
		p.h.fail(err)
		return simulate.Action{Gone: true, Reason: "the candidate's model failed"}
	}
	return did.action(p.h.Pace)
}

//go:embed candidate.txt
var candidateText string

// actor plays a candidate by a model, from the scenario's instructions and what can be heard and seen in the talk.
type actor struct {
	model  llm.Model
	system string
}

// did is what a candidate does, as the model says it.
type did struct {
	Does  string  `json:"does"`
	Text  string  `json:"text"`
	Code  string  `json:"code"`
	Pause float64 `json:"pause"` // s
}

// What a candidate can do.
const (
	doesSpeak  = "speak"
	doesSilent = "stay_silent"
	doesCode   = "write_code"
	doesType   = "type_in_chat"
	doesLeave  = "leave"
)

// DidSchema is the form of a played candidate's answer.
var DidSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"does":{"type":"string","enum":["speak","stay_silent","write_code","type_in_chat","leave"]},` +
	`"text":{"type":"string","description":"the words, as they are spoken or typed; empty when silent or leaving without a word"},` +
	`"code":{"type":"string","description":"with write_code: the whole text of the editor afterwards; else empty"},` +
	`"pause":{"type":"number","description":"seconds of thinking before it"}},` +
	`"required":["does","text","code","pause"],"additionalProperties":false}`)

const (
	actorTokens = 700
	maxPause    = 90 * time.Second
)

func (h *holding) actor() *actor {
	return &actor{model: h.watch(h.Models.Candidate), system: fmt.Sprintf(candidateText, h.Interview.Words.Locale(), h.Scenario.Instructions)}
}

// next asks what the candidate does now.
func (a *actor) next(ctx context.Context, lines []talk.Line) (did, error) {
	text, err := complete(ctx, a.model, llm.Request{Messages: a.messages(lines), Schema: DidSchema, SchemaName: "candidate", MaxTokens: actorTokens, Effort: llm.EffortLeast})
	if err != nil {
		return did{}, fmt.Errorf("ask the candidate's model: %w", err)
	}
	return readDid(text), nil
}

// readDid reads the model's answer. Words without the form are words that are spoken.
func readDid(text string) did {
	var d did
	object, err := structured.Object(text)
	if err == nil && structured.Check(DidSchema, object) == nil && json.Unmarshal(object, &d) == nil {
		return d
	}
	return did{Does: doesSpeak, Text: strings.TrimSpace(text)}
}

// messages are the talk as the candidate knows it: what the interviewer said is asked, what the candidate did was answered.
func (a *actor) messages(lines []talk.Line) []llm.Message {
	out := []llm.Message{{Role: llm.RoleSystem, Content: a.system}}
	var heard []string
	for _, l := range lines {
		switch l.Speaker {
		case talk.Interviewer:
			text := "Interviewer: " + l.Text
			if l.Cut {
				text += " — (you spoke over it)"
			}
			heard = append(heard, text)
		case talk.Happening:
			heard = append(heard, "("+l.Text+")")
		case talk.Candidate:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: heardText(heard)}, llm.Message{Role: llm.RoleAssistant, Content: "You: " + l.Text})
			heard = nil
		}
	}
	return append(out, llm.Message{Role: llm.RoleUser, Content: heardText(heard)})
}

func heardText(heard []string) string {
	if len(heard) == 0 {
		return "(nothing was said)"
	}
	return strings.Join(heard, "\n")
}

// action is what the candidate does on the interview's clock.
func (d did) action(pace Pace) simulate.Action {
	wait := max(pace.Thought, min(maxPause, time.Duration(d.Pause*float64(time.Second))))
	switch d.Does {
	case doesSilent:
		return simulate.Action{}
	case doesLeave:
		return simulate.Action{Wait: wait, Gone: true}
	case doesCode:
		return simulate.Action{Wait: wait, Code: d.Code, Text: d.Text}
	case doesType:
		return simulate.Action{Wait: wait, Text: d.Text, Typed: true}
	}
	return simulate.Action{Wait: wait, Text: d.Text}
}
