package engine

import (
	"encoding/json"
	"errors"
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
	if s.loading() {
		return "refused: the stage has not begun"
	}
	if tool == nil {
		return "refused: unknown tool"
	}
	facts, err := arguments(e.Args)
	if err != nil {
		return "refused: " + err.Error()
	}
	return s.dispose(e, st, v, tool, facts)
}

// dispose answers a call of a tool that the stage has, with arguments that can be read.
func (s *step) dispose(e ToolCalled, st *definition.Stage, v *state.StageVisit, tool *definition.ToolRef, facts map[string]string) string {
	s.propound(st, facts)
	switch tool.Use {
	case definition.ToolNote:
		return "accepted"
	case definition.ToolPhases:
		return s.answered(s.phasesTool())
	case definition.ToolQuestion:
		return s.answered(s.questionTool())
	case definition.ToolHint:
		v.HintDue = s.hintLeft(st, v)
		return s.answered(map[bool]string{true: "accepted: the next hint follows", false: "refused: no hint is left"}[v.HintDue])
	}
	if v.Turns == 0 {
		return s.answered("refused: the candidate has not spoken in this stage")
	}
	switch tool.Use {
	case definition.ToolEvaluate:
		return s.answered(s.evaluateTool(st, v))
	case definition.ToolSkip:
		return s.answered(s.skipTool(st, v, facts))
	case definition.ToolFinish:
		if v.Item != "" {
			return s.answered("refused: the sub-phases are passed one by one; " + s.progress())
		}
	}
	if tool.Use == definition.ToolComplete && st.Gate != nil {
		return s.answered(s.evaluateTool(st, v)) // a gate lets nobody past on a model's word
	}
	if s.handoff(e.Visit, ReasonTool, "tool") {
		return "accepted"
	}
	return "noop"
}

// answered notes a call's outcome for the model as well as for the log. What a judgement said is noted already.
func (s *step) answered(outcome string) string {
	if s.result != outcome {
		s.tell(outcome)
	}
	return outcome
}

// evaluateTool has the gate judge because the model thinks that the stage is covered (R000-41).
func (s *step) evaluateTool(st *definition.Stage, v *state.StageVisit) string {
	switch {
	case st.Gate == nil:
		return "refused: this stage is not judged"
	case !s.rested(st.Gate, v):
		return "refused: it was judged just now; discuss the gaps first"
	}
	if s.judge("tool") == later {
		return "accepted: the judgement is on its way"
	}
	return s.result
}

// phasesTool tells where the interview stands among its sub-phases, and asks for them if nobody has (R000-37, R000-39).
func (s *step) phasesTool() string {
	if s.u.Expansion == nil && s.iv.Def.Provider != nil && !s.u.Flags[flagSingle] {
		s.loadPhases()
		return "accepted: the sub-phases are being loaded"
	}
	return s.progress()
}

// progress tells which sub-phases are done, which is current, and which are left (R000-23).
func (s *step) progress() string {
	e := s.u.Expansion
	if e == nil {
		return "there are no sub-phases: the design is one talk"
	}
	return fmt.Sprintf("%d sub-phases; done: %s; current: %s; left: %s", len(e.Items), listed(e.Completed), e.Current().ID, listed(e.Remaining()))
}

func listed(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// questionTool tells the interview's question, and asks for it if nobody has (R000-5).
func (s *step) questionTool() string {
	if q := s.interviewQuestion(); q != "" && (s.iv.Def.Provider == nil || s.u.Flags[flagQuestion]) {
		return "the question is: " + q
	}
	if s.iv.Def.Provider == nil || s.iv.Def.Provider.Question == "" {
		return "refused: this interview has no question of its own"
	}
	s.loadQuestion()
	return "accepted: the question is being loaded"
}

// interviewQuestion is the question that the interview is about.
func (s *step) interviewQuestion() string {
	if p := s.iv.Def.Provider; p != nil && p.Question != "" {
		return s.u.Vars[p.Question]
	}
	return s.u.Vars[VarQuestion]
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
		return nil, errors.New("the arguments are not a JSON object")
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
	if s.waiting() {
		return // the move follows when it is known what came of the call
	}
	if reason, done := s.guard(st.Done, nil); done && reason != ReasonIntent && st.Gate == nil {
		s.handoff(s.u.Visit, reason, "tool")
		return
	}
	if v.HintDue && s.hint(st, v, MoveHint) {
		return
	}
	s.ask(st, v, nil, v.ToolSteps < maxToolSteps)
}
