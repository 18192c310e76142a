package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// contextTurns is how many turns of the talk a model is shown; what lies further back is in the slots.
const contextTurns = 16

// Line is one message to a model.
type Line = respond.Line

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

// Ask lets a model word the move. What the model is told, and what its words are held to, is made only when it is wanted: many
// moves are foreseen, and many replayed, that no model words.
type Ask struct {
	Instruction string // the one move, as told to the model
	// Lead lets the model lead the turn: its reply is one object by respond.Schema, of which say is spoken and reading comes back as a
	// Read. The Say then has no Text of its own: where the model fails, VoiceEnded says so and the rules go on.
	Lead bool

	reply state.Reply     // what a model that leads is to do
	iv    *Interview      // in the language that it began in
	u     *state.UserData // as the Step left it
	stage string
}

// Request is what the model is asked. again adds that its first try repeated a question.
func (a *Ask) Request(again bool) (Request, error) {
	iv := a.iv.speaking(a.u)
	s, st := &step{iv: iv, u: a.u, target: -1}, iv.Def.Stage(a.stage)
	if a.Lead {
		b, err := s.brief(&a.reply, again)
		if err != nil {
			return Request{}, fmt.Errorf("make the brief: %w", err)
		}
		return Request{Lines: b.Lines()}, nil
	}
	id := s.lines().System
	if id == "" {
		id = iv.Def.System
	}
	system, err := iv.Words.Render(id, prompts.System, 0, s.data())
	if err != nil {
		return Request{}, fmt.Errorf("render the model's role: %w", err)
	}
	tools := s.offered(st)
	r := Request{Lines: []Line{{Role: "system", Text: system}}, Tools: specs(st, tools)}
	r.Lines = append(r.Lines, s.history(st)...)
	r.Lines = append(r.Lines, Line{Role: "system", Text: a.instruct(tools, again)})
	return r, nil
}

// Repeats reports whether a question was heard before, in the same or nearly the same words.
func (a *Ask) Repeats(question string) bool {
	if a.Lead && a.wantsAgain() {
		return false
	}
	return asked(a.u, question)
}

// wantsAgain reports whether the candidate asked for the question once more.
func (a *Ask) wantsAgain() bool {
	v := a.u.Current()
	return v != nil && slices.Contains(a.iv.speaking(a.u).Rules.Intents(v.Input), understand.Repeat)
}

// Reveals reports whether a text gives away what is hidden at this point of the interview, as Interview.Reveals does.
func (a *Ask) Reveals(text string) bool { return a.iv.Reveals(a.u, text) }

// offered are the stage's tools that make sense now: a single-phase talk is not judged by sub-phase, and one with
// sub-phases is not finished in one go (R000-41, R000-71).
func (s *step) offered(st *definition.Stage) []definition.ToolRef {
	item := s.u.Current().Item != ""
	var out []definition.ToolRef
	for _, tool := range st.Tools {
		switch {
		case st.Expand != "" && item && tool.Use == definition.ToolFinish:
		case st.Expand != "" && !item && (tool.Use == definition.ToolEvaluate || tool.Use == definition.ToolPhases || tool.Use == definition.ToolSkip):
		default:
			out = append(out, tool)
		}
	}
	return out
}

// history is what the model sees of the talk, by the stage's strategy: the last turns, those of this visit only, or those
// with one line about what came before.
func (s *step) history(st *definition.Stage) []Line {
	if st.Context != definition.ContextReset && st.Context != definition.ContextSummary {
		return talk(s.u.Turns)
	}
	var before []string
	for i := range len(s.u.Visits) - 1 {
		v := &s.u.Visits[i]
		if v.Summary != "" {
			before = append(before, v.Summary)
		}
	}
	here := slices.DeleteFunc(slices.Clone(s.u.Turns), func(t state.Turn) bool { return t.Visit != s.u.Visit })
	if st.Context == definition.ContextReset || len(before) == 0 {
		return talk(here)
	}
	// A summary holds words of the candidate, so that it is fenced as they are.
	line := Line{Role: "system", Text: "Earlier in this interview, in short: " + Fence(strings.Join(before, "; "))}
	return append([]Line{line}, talk(here)...)
}

// instruct tells the model the one move, and what came before it.
func (a *Ask) instruct(tools []definition.ToolRef, again bool) string {
	u := a.u
	var b strings.Builder
	b.WriteString("Your next move, and nothing else: ")
	b.WriteString(a.Instruction)
	if len(u.Ledger.Said) > 0 {
		b.WriteString("\nAlready asked, not to be asked again: ")
		said := u.Ledger.Said
		b.WriteString(strings.Join(said[max(0, len(said)-12):], " / "))
	}
	if again {
		b.WriteString("\nYour last attempt repeated one of those. Ask something different that serves the same move.")
	}
	if v := u.Current(); v != nil && v.Note != "" {
		b.WriteString("\nWhat came of your tool calls: " + v.Note)
	}
	switch {
	case slices.ContainsFunc(tools, func(t definition.ToolRef) bool { return t.Use == definition.ToolEvaluate }):
		b.WriteString("\nIf the topics are covered, call the evaluation tool instead and say nothing.")
	case len(tools) > 0:
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

// Fence marks a text as the candidate's words: data to every model, never instructions.
func Fence(text string) string { return structured.Fence(text) }

func specs(st *definition.Stage, tools []definition.ToolRef) []ToolSpec {
	out := make([]ToolSpec, 0, len(tools))
	for _, tool := range tools {
		out = append(out, ToolSpec{Name: tool.As, Description: tool.Description, Schema: schema(st, tool.Use)})
	}
	return out
}

type property struct {
	Type        []string `json:"type"`
	Description string   `json:"description,omitempty"`
}

// optional are the types of an argument that may be left open. Providers that hold calls to a schema want all of them named, with
// null in place of what is not there.
var optional = []string{"string", "null"}

// schema describes a tool's arguments: the stage's slots as optional strings, where what was learnt belongs to the call.
func schema(st *definition.Stage, use string) json.RawMessage {
	props := make(map[string]property, len(st.Slots))
	switch use {
	case definition.ToolComplete, definition.ToolNote:
		for i := range st.Slots {
			props[st.Slots[i].ID] = property{Type: optional, Description: st.Slots[i].Hint}
		}
	case definition.ToolSkip:
		props["to"] = property{Type: optional, Description: "id of the sub-phase to take next; null to go on with the one that follows"}
	}
	required := slices.AppendSeq(make([]string, 0, len(props)), maps.Keys(props)) // never null
	slices.Sort(required)
	raw, err := json.Marshal(map[string]any{
		"type": "object", "properties": props, "required": required, "additionalProperties": false,
	})
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // strings always marshal; this is for the compiler
	}
	return raw
}
