package eval

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/structured"
)

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
