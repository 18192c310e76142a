package persona

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
	"github.com/vivavoice/viva/stages/understand"
)

// The names of the two experts.
const (
	ExpertMenu       = "persona_menu"
	ExpertQuestioner = "questioner"
)

// FieldClarified is the flag of the board that the menu was explained a second time. A definition need not declare it, nor the other
// fields that the experts read and write: what it does not declare, the engine keeps under expert.FieldExtra.
const FieldClarified = "persona_clarified"

// FlagAsked is raised when the last question has been answered.
const FlagAsked = "questions_answered"

// shippedGenerator is over the personas and the graph that come with Viva. It is built once: it is read-only.
var shippedGenerator = sync.OnceValues(func() (*Generator, error) {
	cast, err := Shipped()
	if err != nil {
		return nil, err
	}
	graph, err := knowledge.Default()
	if err != nil {
		return nil, fmt.Errorf("load what is known of jobs: %w", err)
	}
	return NewGenerator(cast, graph), nil
})

// Experts returns the two who lead the definition's persona interview, over the personas and the graph that come with Viva.
func Experts(p definition.Personas) ([]expert.Expert, error) {
	g, err := shippedGenerator()
	if err != nil {
		return nil, err
	}
	return g.Experts(p), nil
}

// Experts returns the two who lead a persona interview: the menu in one stage, and the questioner in another.
func (g *Generator) Experts(p definition.Personas) []expert.Expert {
	return []expert.Expert{menu{lead{g, p.Menu, p.Count}}, questioner{lead{g, p.Questions, p.Count}}}
}

// lead is what the two have in common.
type lead struct {
	*Generator
	stage string
	total int // questions; 0 = DefaultTotal
}

// ShouldActivate implements expert.Expert.
func (e lead) ShouldActivate(b expert.Board) bool { return b.CurrentStage == e.stage }

// ValidateContext implements expert.Expert. They need nothing: no persona is the default one.
func (e lead) ValidateContext(expert.Board) error { return nil }

// menu lets the candidate choose who interviews; its last words are the introduction and the first question.
type menu struct{ lead }

// questioner asks the questions.
type questioner struct{ lead }

var (
	_ expert.Expert   = menu{}
	_ expert.Repeater = questioner{}
)

// Name implements expert.Expert.
func (e menu) Name() string { return ExpertMenu }

// Name implements expert.Expert.
func (e questioner) Name() string { return ExpertQuestioner }

// choice is what the candidate's words, or somebody before them, chose.
func (e menu) choice(b *expert.Board) Choice {
	if c := e.cast.Preset(b.Text(cast.FieldPersona), cast.ByPage); c != nil {
		return *c
	}
	clarified, _ := b.Value(FieldClarified).(bool)
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

func (e menu) begin(b *expert.Board, c Choice, brief Brief, q Question) expert.Response {
	message := join(b.Locale, c.Say, Open(c.Persona, b.Locale, q.Text))
	r := e.response(message, expert.Onward, brief, q)
	r.Updates[cast.FieldChosenBy] = string(c.By)
	r.Metadata["persona"], r.Metadata["chosen_by"] = c.Persona.ID, string(c.By)
	return r
}

// Process implements expert.Expert: what waits once more for who did not understand it, the next question from the bank, or
// the end after the last answer.
func (e questioner) Process(b expert.Board) (expert.Response, error) {
	s := e.situation(&b, nil)
	if why := e.asksBack(&b, s); why != "" {
		r := expert.Success(e.again(&b, s, why), "")
		r.Wished = true
		return r, nil
	}
	brief, err := e.Brief(s)
	if errors.Is(err, ErrEnough) {
		r := expert.Success(e.Closing(b.Locale), expert.Onward)
		r.Updates = map[string]any{expert.FieldIndex: len(s.Asked), expert.FieldAnswers: s.answers()}
		r.Flags, r.Answered = []string{FlagAsked}, answered(s)
		return r, nil
	}
	if err != nil {
		return expert.Response{}, err
	}
	q := e.follow(&b, brief, e.Bank(brief))
	if s.Unheard != nil {
		q = *s.Unheard
	}
	return e.next(&b, brief, q), nil
}

// Repeat implements expert.Repeater.
func (e questioner) Repeat(b expert.Board, why expert.Occasion) string {
	return e.again(&b, e.situation(&b, nil), why)
}

// next asks a question; the first one follows the introduction, for an interview without a menu (R002-6, R002-7). Who did
// not want to answer the one before hears that this is all right.
func (e questioner) next(b *expert.Board, brief Brief, q Question) expert.Response {
	message := q.Text
	switch {
	case brief.Number == 1 && !introduced(b, brief.Persona):
		message = Open(brief.Persona, b.Locale, q.Text)
	case brief.Number > 1 && b.Wants(understand.Refuse, understand.Skip, understand.Frustrated):
		message = join(b.Locale, b.Fresh(prompts.In(e.cast.words.Decline, b.Locale), b.Seed), q.Text)
	}
	r := e.response(message, "", brief, q)
	r.Answered = answered(brief.Situation)
	if b.Text(cast.FieldChosenBy) == "" {
		r.Updates[cast.FieldChosenBy] = string(cast.ByDefault)
	}
	return r
}

// response is a question with what it changes on the board.
func (g *Generator) response(message, next string, b Brief, q Question) expert.Response {
	r := expert.Success(message, next)
	topics := slices.Concat(b.Topics, make([]string, max(0, len(b.Asked)-len(b.Topics))), []string{q.Topic})
	r.Updates = map[string]any{
		cast.FieldPersona: b.Persona.ID, cast.FieldRole: b.Role, cast.FieldRoleAssumed: b.Assumed, expert.FieldIndex: b.Number - 1, expert.FieldAnswers: b.answers(),
		expert.FieldQuestions: append(slices.Clone(b.Asked), q.Text), expert.FieldTopics: topics,
	}
	r.Metadata["number"], r.Metadata["topic"] = b.Number, q.Topic
	return r
}
