package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// boardTurns is how much of the talk an expert is shown.
const boardTurns = 200

// blackboard is what experts and the engine have found out, field by field.
type blackboard struct{ *change }

// show is all that an expert may know at this turn. It shares no memory with the state (R003-19); what is secret stands
// in Secret only.
func (s blackboard) show(v *state.StageVisit, intents []understand.Intent) expert.Board {
	b := expert.Board{
		CurrentStage: v.Stage, Input: v.Input, Intents: slices.Clone(intents), Locale: s.iv.Words.Locale(), Help: v.HelpMode,
		HintLevel: v.HintLevel, Turns: v.Turns, Queue: slices.Clone(s.u.Queue), Seed: s.seed() + uint64(len(s.u.Turns)),
		Fields: make(map[string]any), Types: make(map[string]string, len(s.iv.Def.Fields)),
	}
	b.Secret.Fields = make(map[string]any)
	for i := range len(s.u.Visits) - 1 {
		b.StageHistory = append(b.StageHistory, s.u.Visits[i].Stage)
	}
	since := EasierSince(s.u)
	for _, t := range s.u.Turns[max(0, len(s.u.Turns)-boardTurns):] {
		if t.Visit <= since {
			continue // it was said of another problem
		}
		b.History = append(b.History, evaluate.Slice([]state.Turn{t}, t.Visit)...)
	}
	if p := s.problem(); p != nil {
		b.SetProblem(p)
	}
	for id, f := range s.iv.Def.Fields {
		b.Types[id] = f.Type
		if f.Type == "" {
			b.Types[id] = "text"
		}
	}
	for id, f := range s.u.Fields {
		if value := valueOf(f); s.iv.Def.Fields[id].Secret || id == expert.FieldExtra {
			b.Secret.Fields[id] = value
		} else {
			b.Fields[id] = value
		}
	}
	return b
}

// EasierSince is the visit with which the candidate left the problem before the one that is on; 0 = there was none. What was said up to it
// is about that one.
func EasierSince(u *state.UserData) uint64 {
	for _, v := range slices.Backward(u.Visits) {
		if v.Reason == ReasonEasier {
			return v.Visit
		}
	}
	return 0
}

func valueOf(f state.Field) (value any) {
	if len(f.Value) == 0 || json.Unmarshal(f.Value, &value) != nil {
		return nil
	}
	return value
}

// seed is the session's own number: the same in every replay.
func (s blackboard) seed() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.u.Session)) // a hash takes everything
	return h.Sum64()
}

// apply writes an expert's updates to the blackboard, each as a patch (R003-20).
func (s blackboard) apply(author string, updates map[string]any) {
	for _, id := range slices.Sorted(maps.Keys(updates)) {
		value := updates[id]
		if id == expert.FieldExtra {
			value = s.mergedExtra(value)
		}
		raw, err := json.Marshal(value)
		if err != nil {
			s.fact("field.refused", field("field", id), field("author", author), field("error", err.Error()))
			continue
		}
		s.write(author, id, raw)
	}
}

// mergedExtra adds what no field takes to what is there already (R003-21).
func (s blackboard) mergedExtra(value any) any {
	more, ok := value.(map[string]any)
	before, was := valueOf(s.u.Fields[expert.FieldExtra]).(map[string]any)
	if !ok || !was {
		return value
	}
	maps.Copy(before, more)
	return before
}

// write changes one field and keeps what it was.
func (s blackboard) write(author, id string, value json.RawMessage) {
	before := s.u.Fields[id]
	if string(before.Value) == string(value) {
		return
	}
	if s.u.Fields == nil {
		s.u.Fields = make(map[string]state.Field)
	}
	s.u.NextID++
	p := state.NewPatch(id, before.Value, value)
	p.ID, p.Author, p.At, p.Visit = s.u.NextID, author, s.u.Now, s.u.Visit
	s.u.Patches = append(s.u.Patches, p)
	s.u.Fields[id] = state.Field{Value: value, By: author, Visit: s.u.Visit}
	s.fact("field.changed", field("field", id), field("author", author), field("patch", s.u.NextID))
}

// ErrNoPatch says that there is no such patch, or that it is undone already.
var ErrNoPatch = errors.New("there is no such change to undo")

// Rollback undoes a change of a field, and with it every later one of the same field (R003-20). The state given is left as
// it was. An interview in progress is rolled back by an Operator event, so that its journal knows.
func Rollback(u *state.UserData, patch uint64) (*state.UserData, error) {
	u = u.Clone()
	at := slices.IndexFunc(u.Patches, func(p state.Patch) bool { return p.ID == patch && !p.Undone })
	if at < 0 {
		return nil, fmt.Errorf("roll back patch %d: %w", patch, ErrNoPatch)
	}
	name := u.Patches[at].Field
	value := u.Fields[name].Value
	for i := len(u.Patches) - 1; i >= at; i-- {
		p := &u.Patches[i]
		if p.Field != name || p.Undone {
			continue
		}
		before, ok := p.Was(value)
		if !ok {
			return nil, fmt.Errorf("roll back patch %d: patch %d is not of what is there now: %w", patch, p.ID, ErrNoPatch)
		}
		value, p.Undone = before, true
	}
	if value == nil {
		delete(u.Fields, name)
		return u, nil
	}
	u.Fields[name] = state.Field{Value: value, By: "rollback", Visit: u.Visit}
	return u, nil
}

// setOut picks the problem and fills the fields that are known from the start.
func (s blackboard) setOut() {
	if p := s.pick(); p != nil {
		s.take(p)
		return
	}
	s.fill()
}

// pick chooses the problem: the one that dispatch names, or one of the wanted difficulties by the session's seed.
func (s blackboard) pick() *problem.Problem {
	wanted := s.iv.Def.Problems
	if wanted == nil || s.iv.Problems == nil {
		return nil
	}
	levels := wanted.Levels
	if level := s.u.Vars[varDifficulty]; level != "" {
		levels = []string{level}
	}
	p, err := s.iv.Problems.Pick(s.u.Vars[wanted.Pick], levels, s.seed())
	if err != nil {
		s.fact("problem.unknown", field("error", understand.Clip(err.Error(), maxFailure)))
		p, err = s.iv.Problems.Pick("", nil, s.seed())
	}
	if err != nil {
		return nil
	}
	return p
}

// varDifficulty is the variable that may name the difficulty of the problem.
const varDifficulty = "difficulty"

// simplerProblem is an easier one than the interview's, or nil.
func (s blackboard) simplerProblem() *problem.Problem {
	p := s.problem()
	if p == nil {
		return nil
	}
	if simpler := s.iv.Problems.Easier(p, s.seed()); simpler != p {
		return simpler
	}
	return nil
}

// take makes a problem the interview's: what was known about another one is forgotten, with a patch for each field.
func (s blackboard) take(p *problem.Problem) {
	s.u.Problem = p.ID
	for _, id := range slices.Sorted(maps.Keys(s.u.Fields)) {
		s.write("engine", id, json.RawMessage("null"))
	}
	queue(s).waive()
	s.u.Flags = nil
	s.fact("problem.taken", field("problem", p.ID), field("difficulty", p.Difficulty))
	s.fill()
}

// fill writes the fields that come from the problem or from variables.
func (s blackboard) fill() {
	for _, id := range slices.Sorted(maps.Keys(s.iv.Def.Fields)) {
		if value := s.from(s.iv.Def.Fields[id]); value != "" {
			s.apply("engine", map[string]any{id: value})
		}
	}
}

func (s blackboard) from(f definition.BoardField) string {
	name, of := f.From, s.problem()
	if v, ok := strings.CutPrefix(name, "var."); ok {
		return s.u.Vars[v]
	}
	if of == nil {
		return ""
	}
	switch name {
	case "problem.id":
		return of.ID
	case "problem.text":
		return problem.In(of.Text, s.iv.Words.Locale())
	case "problem.title":
		return problem.In(of.Title, s.iv.Words.Locale())
	case "problem.difficulty":
		return of.Difficulty
	case "problem.pattern":
		return of.Pattern
	case "problem.complexity":
		return of.Complexity.String()
	}
	return ""
}

// problem is the one that the interview is about, or nil.
func (s *situation) problem() *problem.Problem { return s.iv.Problem(s.u.Problem) }

// Problem returns the problem with this id, or nil.
func (iv *Interview) Problem(id string) *problem.Problem {
	if iv.Problems == nil {
		return nil
	}
	p, _ := iv.Problems.Find(id)
	return p
}
