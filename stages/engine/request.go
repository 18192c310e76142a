package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// contextTurns is how many turns of the talk a model is shown; what lies further back is in the slots.
const contextTurns = 16

// Line is one message to a model.
type Line struct {
	Role string // system, user or assistant
	Text string
}

// ToolSpec is a tool as offered to a model.
type ToolSpec struct {
	Name, Description string
	Schema            json.RawMessage // JSON Schema of the arguments
}

// Request is what a model is asked in order to word a Say: who it is, what was heard, and the one move to make.
type Request struct {
	Lines []Line
	Tools []ToolSpec
}

// Request builds the request for a Say that has an Ask. again adds that the model's first try repeated a question.
func (iv *Interview) Request(u *state.UserData, say Say, again bool) (Request, error) {
	st := iv.Def.Stage(say.Stage)
	if st == nil || say.Ask == nil {
		return Request{}, fmt.Errorf("utterance %d of stage %q is not for a model to word", say.Utterance, say.Stage)
	}
	s := &step{iv: iv, u: u}
	system, err := iv.Words.Render(iv.Def.System, prompts.System, 0, s.data())
	if err != nil {
		return Request{}, fmt.Errorf("render the model's role: %w", err)
	}
	r := Request{Lines: []Line{{Role: "system", Text: system}}}
	r.Lines = append(r.Lines, talk(u.Turns)...)
	r.Lines = append(r.Lines, Line{Role: "system", Text: instruction(u, st, say, again)})
	if say.Ask.Tools {
		r.Tools = specs(st)
	}
	return r, nil
}

func instruction(u *state.UserData, st *definition.Stage, say Say, again bool) string {
	var b strings.Builder
	b.WriteString("Your next move, and nothing else: ")
	b.WriteString(say.Ask.Instruction)
	if len(u.Ledger.Said) > 0 {
		b.WriteString("\nAlready asked, not to be asked again: ")
		said := u.Ledger.Said
		b.WriteString(strings.Join(said[max(0, len(said)-12):], " / "))
	}
	if again {
		b.WriteString("\nYour last attempt repeated one of those. Ask something different that serves the same move.")
	}
	if len(st.Tools) > 0 {
		b.WriteString("\nIf the stage's purpose is fulfilled, call its completion tool instead and say nothing.")
	}
	return b.String()
}

// talk renders the last turns. The candidate's words are fenced and can neither close the fence nor open another.
func talk(turns []state.Turn) []Line {
	turns = turns[max(0, len(turns)-contextTurns):]
	lines := make([]Line, 0, len(turns))
	for _, t := range turns {
		if t.Speaker == state.SpeakerAgent {
			lines = append(lines, Line{Role: "assistant", Text: t.Text})
			continue
		}
		lines = append(lines, Line{Role: "user", Text: Fence(t.Text)})
	}
	return lines
}

// brackets keeps a candidate's words from closing their own fence.
var brackets = strings.NewReplacer("<", "‹", ">", "›")

// Fence marks a text as the candidate's words: data to every model, never instructions.
func Fence(text string) string {
	return "<candidate>" + brackets.Replace(text) + "</candidate>"
}

func specs(st *definition.Stage) []ToolSpec {
	out := make([]ToolSpec, 0, len(st.Tools))
	for i := range st.Tools {
		out = append(out, ToolSpec{Name: st.Tools[i].As, Description: st.Tools[i].Description, Schema: schema(st)})
	}
	return out
}

// schema describes the stage's slots as optional strings.
func schema(st *definition.Stage) json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	props := make(map[string]property, len(st.Slots))
	for i := range st.Slots {
		props[st.Slots[i].ID] = property{Type: "string", Description: st.Slots[i].Hint}
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": props, "additionalProperties": false})
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // strings always marshal; this is for the compiler
	}
	return raw
}
