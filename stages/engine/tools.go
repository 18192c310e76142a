package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// maxToolSteps is how many replies in a row may be tool calls without words; then scripted words are said. The number
// is the field's usual one (voice-pipeline facts: 3 in both frameworks read).
const maxToolSteps = 3

// toolCalled hears a proposal; the engine disposes. Each call has exactly one outcome, in the log.
func (s *step) toolCalled(e ToolCalled) {
	outcome := s.propose(e)
	s.fact("tool.called", field("tool", e.Name), field("call", e.Call), field("asked_visit", e.Visit), field("outcome", outcome))
}

func (s *step) propose(e ToolCalled) string {
	st, v := s.stage(), s.u.Current()
	if st == nil {
		return "noop: not started"
	}
	if e.Visit != s.u.Visit || s.u.HandoffDone || st.Final {
		if was := s.iv.Def.Stage(s.visited(e.Visit)); was != nil && was.Tool(e.Name) != nil && was.Tool(e.Name).Use == definition.ToolComplete {
			s.handoff(e.Visit, ReasonTool, "tool") // logs the lost attempt with its source (R001-40)
		}
		return "noop: stale"
	}
	tool := st.Tool(e.Name)
	if tool == nil {
		return "refused: unknown tool"
	}
	facts, err := arguments(e.Args)
	if err != nil {
		return "refused: " + err.Error()
	}
	s.propound(st, facts)
	if tool.Use == definition.ToolNote {
		return "accepted"
	}
	if v.Turns == 0 {
		return "refused: the candidate has not spoken in this stage"
	}
	if s.handoff(e.Visit, ReasonTool, "tool") {
		return "accepted"
	}
	return "noop"
}

func (s *step) visited(visit uint64) string {
	for _, v := range s.u.Visits {
		if v.Visit == visit {
			return v.Stage
		}
	}
	return ""
}

// propound notes what the model says it has learnt, as far as the candidate's own words bear it out.
func (s *step) propound(st *definition.Stage, facts map[string]string) {
	for i := range st.Slots {
		id := st.Slots[i].ID
		value := understand.Clip(strings.Join(strings.Fields(facts[id]), " "), 120)
		if value == "" || !s.borneOut(value) {
			continue
		}
		s.settle(id, state.Slot{Status: state.SlotFilled, Value: value, By: "model"})
	}
}

// borneOut: at least half of the value's longer words were said by the candidate; of all its words, where none is long.
func (s *step) borneOut(value string) bool {
	said := make(map[string]bool)
	for _, t := range s.u.Turns {
		if t.Speaker == state.SpeakerCandidate {
			for w := range strings.FieldsSeq(normalise(t.Text)) {
				said[w] = true
			}
		}
	}
	words := strings.Fields(normalise(value))
	if long := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return len(w) <= 3 }); len(long) > 0 {
		words = long
	}
	hit := 0
	for _, w := range words {
		if said[w] {
			hit++
		}
	}
	return len(words) > 0 && 2*hit >= len(words)
}

// arguments reads the flat object of a call; numbers become text, anything deeper is left out.
func arguments(raw json.RawMessage) (map[string]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var args map[string]any
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("the arguments are not a JSON object")
	}
	facts := make(map[string]string, len(args))
	for k, v := range args {
		switch v.(type) {
		case string, float64, bool:
			facts[k] = fmt.Sprint(v)
		}
	}
	return facts, nil
}

// afterTools: the model's reply was tool calls only, so the candidate still waits for words. The facts just noted may
// have completed the stage; if not, the next move is made, by scripted words after too many such replies.
func (s *step) afterTools() {
	v := s.u.Current()
	v.ToolSteps++
	st := s.stage()
	if reason, done := s.guard(st.Done, nil); done && reason != ReasonIntent {
		s.handoff(s.u.Visit, reason, "tool")
		return
	}
	s.ask(st, v, nil, v.ToolSteps < maxToolSteps)
}
