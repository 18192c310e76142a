package persona

import (
	"errors"
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
	"github.com/vivavoice/viva/stages/material"
)

// DefaultRole is whom a candidate is interviewed as when nobody said so (R002-2).
const DefaultRole = "Junior Data Analyst"

// DefaultTotal is how many questions an interview has (R002-25, R002-61).
const DefaultTotal = 5

// ErrEnough says that all questions were asked: none more is made (R002-26).
var ErrEnough = errors.New("all questions have been asked")

// Pair is a question with the answer it was given, and the candidate's turns that make it.
type Pair struct {
	Question, Answer string
	Turns            []uint64 // ids; none where the answer is only noted
}

// Situation is what a question is made for.
type Situation struct {
	Persona *cast.Persona // nil: the default
	Role    string        // "" = DefaultRole
	Assumed bool          // nobody named the role: it is not told as theirs
	Locale  string
	// Asked are all questions so far, in order; the one to be made is number len(Asked)+1. Topics are what they were
	// about; "" where that is not known.
	Asked, Topics []string
	Total         int    // of the interview; 0 = DefaultTotal
	History       []Pair // what was answered
	// Unheard is the question made last if nobody has heard enough of it; it is not among Asked. Nil = there is none.
	Unheard *Question
	Refused bool   // the candidate does not want to go on with the question that waits
	Seed    uint64 // picks among equal questions of the bank
}

// Brief is a Situation with what the graph says about it.
type Brief struct {
	Situation
	Number       int
	Requirements []string // of the role
}

// Question is what is asked next.
type Question struct {
	Text  string
	Topic string // "" where it is not known
}

// Generator makes questions.
type Generator struct {
	cast  *Cast
	graph *knowledge.Graph
}

// NewGenerator returns a generator over the personas and what is known of jobs.
func NewGenerator(cast *Cast, graph *knowledge.Graph) *Generator {
	return &Generator{cast: cast, graph: graph}
}

// Brief asks the graph what matters for the next question, the first one included (R002-17). It fails with ErrEnough when
// there is none to be made.
func (g *Generator) Brief(s Situation) (Brief, error) {
	if s.Persona == nil {
		s.Persona = g.cast.Default()
	}
	if s.Role == "" {
		s.Role, s.Assumed = DefaultRole, true
	}
	if s.Total == 0 {
		s.Total = DefaultTotal
	}
	if len(s.Asked) >= s.Total {
		return Brief{}, ErrEnough
	}
	return Brief{Situation: s, Number: len(s.Asked) + 1, Requirements: g.graph.Requirements(s.Role)}, nil
}

// Closing is what is said after the last answer.
func (g *Generator) Closing(locale string) string { return prompts.In(g.cast.words.Closing, locale) }

// called returns the role's name in the language of the interview, fit to be spoken. An alias stays what it is: a data analyst does not
// apply as a junior one.
func called(graph *knowledge.Graph, role, locale string) string {
	id, is := graph.Role(role), datafile.ID(role)
	named := func(lang string) bool { return datafile.ID(graph.Label(id, lang)) == is }
	if id != "" && (id == is || slices.ContainsFunc([]string{"en", "zh", "vi"}, named)) {
		return graph.Label(id, locale)
	}
	return material.Speakable(role, maxRole)
}
