package persona

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/structured"
)

// The names of the two experts.
const (
	ExpertMenu       = "persona_menu"
	ExpertQuestioner = Name
)

// The fields of the board that the experts read and write. A definition need not declare them: what it does not declare,
// the engine keeps under expert.FieldExtra.
const (
	FieldPersona   = "persona"           // id; read too: who was chosen by dispatch or on the page
	FieldChosenBy  = "persona_chosen_by" // voice, page, metadata or default
	FieldClarified = "persona_clarified" // flag: the menu was explained a second time
	FieldRole      = "role"              // text; read too
	FieldQuestions = "questions"         // list: all questions, in order (R002-58)
	FieldTopics    = "question_topics"   // list: what they were about
	FieldIndex     = "question_index"    // number: questions that were answered
	FieldTotal     = "question_total"    // number; read only: how many there are to be
	FieldResume    = "resume"            // text; read only
	FieldJob       = "job_description"   // text; read only
)

// FlagAsked is raised when the last question has been answered.
const FlagAsked = "questions_answered"

// errRules says that rules answer this turn and no model is to be troubled.
var errRules = errors.New("there is nothing for a model to do at this turn")

// Experts returns the two who lead a persona interview: the menu in one stage, and the questioner in another.
func (g *Generator) Experts(menuStage, questionStage string) []expert.Modelled {
	return []expert.Modelled{menu{g, menuStage}, questioner{g, questionStage}}
}

// menu lets the candidate choose who interviews; its last words are the introduction and the first question.
type menu struct {
	*Generator
	stage string
}

// questioner asks the questions.
type questioner struct {
	*Generator
	stage string
}

var (
	_ expert.Modelled = menu{}
	_ expert.Modelled = questioner{}
)

// Name implements expert.Expert.
func (e menu) Name() string { return ExpertMenu }

// Name implements expert.Expert.
func (e questioner) Name() string { return ExpertQuestioner }

// ShouldActivate implements expert.Expert.
func (e menu) ShouldActivate(b expert.Board) bool { return b.CurrentStage == e.stage }

// ShouldActivate implements expert.Expert.
func (e questioner) ShouldActivate(b expert.Board) bool { return b.CurrentStage == e.stage }

// ValidateContext implements expert.Expert: the menu needs nothing.
func (e menu) ValidateContext(expert.Board) error { return nil }

// ValidateContext implements expert.Expert: the questioner needs nothing either, for whom no persona is the default one.
func (e questioner) ValidateContext(expert.Board) error { return nil }

// choice is what the candidate's words, or somebody before them, chose.
func (e menu) choice(b *expert.Board) Choice {
	if c := e.cast.Preset(text(b, FieldPersona), ByPage); c != nil {
		return *c
	}
	clarified, _ := value(b, FieldClarified).(bool)
	return e.cast.Hear(b.Input, b.Locale, clarified)
}

// Process implements expert.Expert: it clarifies once, or settles on a persona, which then introduces itself and asks the
// first question of the bank, all in one message (R002-5, R002-7).
func (e menu) Process(b expert.Board) (expert.Response, error) {
	c := e.choice(&b)
	if c.Persona == nil {
		return expert.Success(c.Say, "", expert.Update{Field: FieldClarified, Value: true}), nil
	}
	brief, err := e.Brief(e.situation(&b, c.Persona))
	if err != nil {
		return expert.Response{}, fmt.Errorf("make the first question: %w", err)
	}
	return e.begin(&b, c, brief, e.Bank(brief)), nil
}

// Ask implements expert.Modelled: a model words the first question of whoever was chosen.
func (e menu) Ask(b expert.Board) (structured.Question, error) {
	c := e.choice(&b)
	if c.Persona == nil {
		return structured.Question{}, errRules
	}
	return e.question(&b, c.Persona)
}

// Read implements expert.Modelled.
func (e menu) Read(b expert.Board, raw json.RawMessage) (expert.Response, error) {
	c := e.choice(&b)
	if c.Persona == nil {
		return expert.Response{}, errRules
	}
	brief, q, err := e.read(&b, c.Persona, raw)
	if err != nil {
		return expert.Response{}, err
	}
	return e.begin(&b, c, brief, q), nil
}

func (e menu) begin(b *expert.Board, c Choice, brief Brief, q Question) expert.Response {
	message := join(b.Locale, c.Say, c.Persona.Open(b.Locale, q.Text))
	r := e.response(message, expert.Onward, brief, q)
	r.Updates[FieldChosenBy], r.Updates[FieldIndex] = string(c.By), 0
	r.Metadata["persona"], r.Metadata["chosen_by"] = c.Persona.ID, string(c.By)
	return r
}

// Process implements expert.Expert: the next question from the bank, or the end after the last answer.
func (e questioner) Process(b expert.Board) (expert.Response, error) {
	s := e.situation(&b, nil)
	brief, err := e.Brief(s)
	if errors.Is(err, ErrEnough) {
		r := expert.Success(e.Closing(b.Locale), expert.Onward, expert.Update{Field: FieldIndex, Value: len(s.Asked)})
		r.Flags = []string{FlagAsked}
		return r, nil
	}
	if err != nil {
		return expert.Response{}, err
	}
	return e.next(&b, brief, e.Bank(brief)), nil
}

// Ask implements expert.Modelled. After the last question it fails with ErrEnough: no sixth one is made or paid for
// (R002-26).
func (e questioner) Ask(b expert.Board) (structured.Question, error) { return e.question(&b, nil) }

// Read implements expert.Modelled.
func (e questioner) Read(b expert.Board, raw json.RawMessage) (expert.Response, error) {
	brief, q, err := e.read(&b, nil, raw)
	if err != nil {
		return expert.Response{}, err
	}
	return e.next(&b, brief, q), nil
}

// next asks a question; the first one follows the introduction, for an interview without a menu (R002-6, R002-7).
func (e questioner) next(b *expert.Board, brief Brief, q Question) expert.Response {
	message := q.Text
	if brief.Number == 1 {
		message = brief.Persona.Open(b.Locale, q.Text)
	}
	r := e.response(message, "", brief, q)
	r.Updates[FieldIndex] = brief.Number - 1
	return r
}

// question asks a model.
func (g *Generator) question(b *expert.Board, p *Persona) (structured.Question, error) {
	brief, err := g.Brief(g.situation(b, p))
	if err != nil {
		return structured.Question{}, err
	}
	return g.Ask(brief)
}

// read takes a model's answer.
func (g *Generator) read(b *expert.Board, p *Persona, raw json.RawMessage) (Brief, Question, error) {
	brief, err := g.Brief(g.situation(b, p))
	if err != nil {
		return Brief{}, Question{}, err
	}
	q, err := g.Read(brief, raw)
	if err != nil {
		return Brief{}, Question{}, fmt.Errorf("%w: %w", expert.ErrMalformed, err)
	}
	return brief, q, nil
}

// response is a question with what it changes on the board.
func (g *Generator) response(message, next string, b Brief, q Question) expert.Response {
	r := expert.Success(message, next)
	topics := slices.Concat(b.Topics, make([]string, max(0, len(b.Asked)-len(b.Topics))), []string{q.Topic})
	r.Updates = make(map[string]any)
	r.Updates[FieldPersona], r.Updates[FieldRole] = b.Persona.ID, b.Role
	r.Updates[FieldQuestions], r.Updates[FieldTopics] = append(slices.Clone(b.Asked), q.Text), topics
	by := "rules"
	if q.By == "model" {
		by = q.By
	}
	r.Metadata = map[string]any{"by": by, "number": b.Number, "topic": q.Topic}
	return r
}

// situation reads the board. Without p the persona is that of the board.
func (g *Generator) situation(b *expert.Board, p *Persona) Situation {
	if p == nil {
		p, _ = g.cast.Find(text(b, FieldPersona))
	}
	s := Situation{
		Persona: p, Locale: b.Locale, Asked: list(value(b, FieldQuestions)), Topics: list(value(b, FieldTopics)), Seed: b.Seed,
	}
	for field, kind := range map[string]material.Kind{FieldResume: material.Resume, FieldJob: material.JobDescription} {
		if words := text(b, field); words != "" {
			s.Materials = append(s.Materials, material.Document{Kind: kind, Text: words})
		}
	}
	slices.SortFunc(s.Materials, func(a, b material.Document) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	s.Role = Role(text(b, FieldRole), g.graph, s.Materials...)
	if n, ok := value(b, FieldTotal).(float64); ok && n >= 1 {
		s.Total = int(n)
	}
	s.History = pairs(b, s.Asked)
	return s
}

// pairs puts every question together with what was said after it.
func pairs(b *expert.Board, asked []string) []Pair {
	turns := b.History
	if n := len(turns); b.Input != "" && (n == 0 || turns[n-1].Role != evaluate.RoleUser) {
		turns = append(slices.Clone(turns), evaluate.Turn{Role: evaluate.RoleUser, Content: b.Input})
	}
	var out []Pair
	next := 0
	for _, t := range turns {
		if t.Role != evaluate.RoleUser {
			if at := heard(t.Content, asked[next:]); at >= 0 {
				out, next = append(out, Pair{Question: asked[next+at]}), next+at+1
			}
			continue
		}
		if n := len(out); n > 0 {
			out[n-1].Answer = strings.TrimSpace(out[n-1].Answer + " " + t.Content)
		}
	}
	return slices.DeleteFunc(out, func(p Pair) bool { return p.Answer == "" })
}

// enoughHeard is how many words of a question must have been heard before it was interrupted.
const enoughHeard = 4

// heard returns which of the questions the interviewer's words were, whole or cut off; -1 = none.
func heard(words string, asked []string) int {
	words = normalise(words)
	return slices.IndexFunc(asked, func(q string) bool {
		q = normalise(q)
		cut := strings.HasPrefix(q, words) && len(strings.Fields(words)) >= enoughHeard
		return q != "" && strings.Contains(words, q) || cut
	})
}

// value reads a field of the board, declared or not.
func value(b *expert.Board, field string) any {
	if v := b.Value(field); v != nil {
		return v
	}
	return b.Extra(field)
}

func text(b *expert.Board, field string) string {
	s, _ := value(b, field).(string)
	return s
}

// list reads a list of texts, whichever way JSON left it.
func list(v any) []string {
	switch x := v.(type) {
	case []string:
		return slices.Clone(x)
	case []any:
		out := make([]string, 0, len(x))
		for _, item := range x {
			s, _ := item.(string)
			out = append(out, s)
		}
		return out
	}
	return nil
}
