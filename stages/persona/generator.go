package persona

import (
	"fmt"
	"slices"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/knowledge"
	"github.com/vivavoice/viva/stages/material"
)

// DefaultRole is whom a candidate is interviewed as when nobody said so (R002-2).
const DefaultRole = "Junior Data Analyst"

// DefaultTotal is how many questions an interview has (R002-25, R002-61).
const DefaultTotal = 5

// topicLimit is how many topics go into a question (R002-15).
const topicLimit = 3

// ErrEnough says that all questions were asked: none more is made, and no model is troubled for one (R002-26).
var ErrEnough = fmt.Errorf("all questions have been asked: %w", expert.ErrRules)

// Pair is a question with the answer it was given, and the candidate's turns that make it.
type Pair struct {
	Question, Answer string
	Turns            []uint64 // ids; none where the answer is only noted
}

// Situation is what a question is made for.
type Situation struct {
	Persona *Persona // nil: the default
	Role    string   // "" = DefaultRole
	Locale  string
	// Asked are all questions so far, in order; the one to be made is number len(Asked)+1. Topics are what they were
	// about; "" where that is not known.
	Asked, Topics []string
	Total         int    // of the interview; 0 = DefaultTotal
	History       []Pair // what was answered
	// Materials are the candidate's résumé and the job description, if there are any.
	Materials []material.Document
	// Unheard is the question made last if nobody has heard enough of it; it is not among Asked. Nil = there is none.
	Unheard *Question
	Seed    uint64 // picks among equal questions of the bank
}

// Brief is a Situation with what the graph says about it.
type Brief struct {
	Situation
	Number       int
	Skills       []string          // what the persona listens for
	Top          []knowledge.Topic // the persona's weightiest topics
	Fresh        []knowledge.Topic // its weightiest topics that were not asked about, as many
	Requirements []string          // of the role
}

// Question is what is asked next.
type Question struct {
	Text  string
	Topic string // "" where it is not known
	By    string // "model" or "bank"
	// Builds are words of the candidate that it takes up; "" = none.
	Builds string
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
		s.Role = DefaultRole
	}
	if s.Total == 0 {
		s.Total = DefaultTotal
	}
	if len(s.Asked) >= s.Total {
		return Brief{}, ErrEnough
	}
	b := Brief{
		Situation: s, Number: len(s.Asked) + 1, Skills: g.graph.FocusSkills(s.Persona.ID),
		Top: g.graph.Topics(s.Persona.ID, topicLimit), Requirements: g.graph.Requirements(s.Role),
	}
	for _, t := range g.graph.Topics(s.Persona.ID, 0) {
		if len(b.Fresh) < topicLimit && !slices.Contains(s.Topics, t.ID) {
			b.Fresh = append(b.Fresh, t)
		}
	}
	return b, nil
}

// Closing is what is said after the last answer.
func (g *Generator) Closing(locale string) string { return in(g.cast.words.Closing, locale) }

// called returns the role's name in the language of the interview, fit to be spoken.
func (g *Generator) called(role, locale string) string {
	if id := g.graph.Role(role); id != "" && id == knowledge.ID(role) {
		return g.graph.Label(id, locale)
	}
	return Speakable(role, maxRole)
}
