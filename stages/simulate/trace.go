package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// Step is one event of an interview and all that came of it: what was decided, why, and what was done. It is one line of
// a trace. Traces are for operators: they hold the candidate's words.
type Step struct {
	Seq   uint64          `json:"seq"`
	At    state.Millis    `json:"at"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"`
	// Stage, Item and Visit are where the interview stands afterwards.
	Stage string `json:"stage,omitempty"`
	Item  string `json:"item,omitempty"`
	Visit uint64 `json:"visit,omitempty"`
	// Facts are the decisions with their reasons, Effects what the session has to carry out, both in order.
	Facts   []Note `json:"facts,omitempty"`
	Effects []Note `json:"effects,omitempty"`
	// Patches are the changes of the blackboard: who, what, before and after (R003-20).
	Patches []state.Patch `json:"patches,omitempty"`
}

// Note is a named list of values, in order.
type Note engine.Fact

var _ json.Marshaler = Note{}

// MarshalJSON implements json.Marshaler: one object, its fields in their order. Durations are written as text.
func (n Note) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"name":` + strconv.Quote(n.Name))
	for _, f := range n.Fields {
		value := f.Value
		if d, is := value.(time.Duration); is {
			value = d.String()
		}
		key, err := json.Marshal(f.Key)
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("write %s of %s: %w", f.Key, n.Name, err)
		}
		b.WriteByte(',')
		b.Write(key)
		b.WriteByte(':')
		b.Write(raw)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Value returns a field, or nil.
func (n Note) Value(key string) any {
	for _, f := range n.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// String writes the note for people: name key=value key="several words".
func (n Note) String() string {
	var b strings.Builder
	b.WriteString(n.Name)
	for _, f := range n.Fields {
		text := fmt.Sprint(f.Value)
		if text == "" || text == "0" || text == "false" || text == "[]" {
			continue
		}
		if strings.ContainsAny(text, " \"\n") {
			text = strconv.Quote(text)
		}
		b.WriteString(" " + f.Key + "=" + text)
	}
	return b.String()
}

// describe records a step. The stage and visit that every fact carries are left out of the facts where they are those of
// the step.
func describe(iv *engine.Interview, e state.Entry, before, after *state.UserData, effects []engine.Effect) Step {
	s := Step{Seq: e.Seq, At: e.At, Event: e.Type, Data: e.Data, Stage: after.Stage, Visit: after.Visit}
	if v := after.Current(); v != nil {
		s.Item = v.Item
	}
	if e.Type == engine.Name(engine.CodeEdited{}) {
		s.whole(after)
	}
	s.Patches = slices.Clone(after.Patches[min(len(before.Patches), len(after.Patches)):])
	for _, x := range effects {
		if f, is := x.(engine.Fact); is {
			s.Facts = append(s.Facts, Note{Name: f.Name, Fields: elsewhere(f.Fields, s)})
			continue
		}
		if n := note(x); n.Name != "" {
			s.Effects = append(s.Effects, n)
		}
	}
	if after.Visit != before.Visit {
		s.Facts = append(s.Facts, activation(iv, after))
	}
	return s
}

// whole tells an edit of the candidate's code as the text that came of it: who reads a trace has no text to edit.
func (s *Step) whole(after *state.UserData) {
	var edit engine.CodeEdited
	change := engine.CodeChanged{}
	if json.Unmarshal(s.Data, &edit) != nil || json.Unmarshal(after.Fields[expert.FieldCode].Value, &change.Text) != nil {
		return // it is shown as it is
	}
	change.Language = edit.Language
	if data, err := json.Marshal(change); err == nil {
		s.Event, s.Data = engine.Name(change), data
	}
}

func elsewhere(fields []engine.Field, s Step) []engine.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f engine.Field) bool {
		return f.Key == "stage" && f.Value == s.Stage || f.Key == "visit" && f.Value == s.Visit
	})
}

// activation tells which experts lead the stage that was entered (R003-97).
func activation(iv *engine.Interview, u *state.UserData) Note {
	in := iv.Inspect(u)
	active := []string{}
	for name, is := range in.Active {
		if is {
			active = append(active, name)
		}
	}
	slices.Sort(active)
	return noteOf("inspection", "stage", in.Stage, "item", in.Item, "messages", in.Messages, "pattern", in.Pattern, "experts", active)
}

// noteOf pairs keys and values.
func noteOf(name string, pairs ...any) Note {
	n := Note{Name: name}
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Fields = append(n.Fields, engine.Field{Key: fmt.Sprint(pairs[i]), Value: pairs[i+1]})
	}
	return n
}

// note describes an effect that is not a fact; without a name, it is not shown.
func note(e engine.Effect) Note {
	switch e := e.(type) {
	case engine.Say:
		n := noteOf("say", "move", string(e.Move), "utterance", e.Utterance, "prompts", e.Prompts, "text", e.Text)
		if e.Lead != nil {
			n.Fields = append(n.Fields, engine.Field{Key: "must", Value: e.Lead.Must})
		}
		return n
	case engine.StopSpeech:
		return noteOf("stop", "utterance", e.Utterance, "reason", e.Reason)
	case engine.TakeTurn:
		return noteOf("take_turn", "reason", e.Reason)
	case engine.ArmTimer:
		return noteOf("arm", "timer", e.Name, "id", e.ID, "after", e.After)
	case engine.CancelTimer:
		return noteOf("disarm", "timer", e.Name, "id", e.ID)
	case engine.Publish:
		return noteOf("publish", "stage", e.Stage, "title", e.Title, "index", e.Index, "total", e.Total, "item", e.Item, "phase", e.Phase, "phases", e.Phases, "left", e.Left)
	case engine.Run:
		return noteOf("run", "task", e.Task, "kind", e.Kind, "company", e.Company, "evaluator", e.Evaluator, "attempt", e.Attempt, "budget", e.Budget)
	case engine.CancelRun:
		return noteOf("cancel", "task", e.Task, "reason", e.Reason)
	case engine.Judge:
		return noteOf("judge", "item", e.Item.ID, "by", e.By, "question", e.Item.Question, "rubric", e.Item.Rubric, "budget", e.Budget, "attempts", e.Attempts)
	case engine.Record:
		return noteOf("record", "on", e.On, "consent", e.Consent)
	case engine.End:
		return noteOf("end", "reason", e.Reason)
	}
	return Note{}
}

// Refold folds a journal, calls each with every step, and returns the state after the last one. The same definition and
// journal give the same steps and the same state. The error names the entry that cannot be read.
func Refold(iv *engine.Interview, journal []state.Entry, each func(Step)) (*state.UserData, error) {
	u := &state.UserData{}
	for _, e := range journal {
		ev, err := engine.Decode(e)
		if err != nil {
			return nil, err
		}
		after, effects := iv.Step(u, e.At, ev)
		if each != nil {
			each(describe(iv, e, u, after, effects))
		}
		u = after
	}
	return u, nil
}
