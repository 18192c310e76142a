// Package knowledge is what an interviewer knows of jobs: facts such as "a senior developer looks at trade-offs" in a graph
// that is asked by patterns with variables, and the bank of questions that belongs to it. All of it is data: YAML files
// that are checked whole when they are loaded.
//
// A Graph is read-only and may be shared. Queries are function calls: no network, no clock (R002-16).
package knowledge

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
)

// The predicates that the shipped graph declares and the accessors below read.
const (
	FocusSkill      = "focus_skill"      // persona, skill: what the persona listens for
	PersonaPriority = "persona_priority" // persona, topic, weight from 0 to 1
	RoleRequirement = "role_requirement" // role, requirement, the weightiest first
	RoleAlias       = "role_alias"       // another name of a role, role
	QuestionSkill   = "question_skill"   // question, skill that its answer shows
	QuestionTopic   = "question_topic"   // question, topic
	QuestionPersona = "question_persona" // question, persona that may ask it
	variable        = "$"                // what a variable begins with
	anything        = "$_"               // the variable that is not bound
	numberArgument  = ":number"          // what a declaration puts behind an argument that is a number
)

// Binding is one way in which a pattern holds: the value of each variable, without its $.
type Binding map[string]string

// Predicate is a kind of fact.
type Predicate struct {
	Name      string
	Arguments []string // names, in order; their number is the arity
	numbers   []bool   // which of them are numbers
}

// Topic is something to talk about, with how much a persona cares.
type Topic struct {
	ID     string  `json:"id"`
	Weight float64 `json:"weight"` // from 0 to 1
}

// Question is one of the bank.
type Question struct {
	ID      string // persona.topic.name
	Persona string
	Topic   string
	Skills  []string
	Opening bool              // broad enough to begin an interview with
	Text    map[string]string // by language; {role} stands for the role
}

// Graph is the facts.
type Graph struct {
	predicates map[string]*Predicate
	order      []string // of the predicates
	facts      map[string][][]string
	questions  []Question
	labels     map[string]map[string]string
}

// Match returns every binding of the variables (arguments that begin with $) under which the fact is in the graph, in the
// order in which the facts were read. Without variables a fact that is there gives one empty binding. A variable that
// comes twice must be the same both times; $_ is anything. An unknown predicate, or a wrong number of arguments, has no
// bindings.
func (g *Graph) Match(pred string, args ...string) []Binding {
	p := g.predicates[pred]
	if p == nil || len(args) != len(p.Arguments) {
		return nil
	}
	want := slices.Clone(args)
	for i, a := range want {
		if p.numbers[i] && !strings.HasPrefix(a, variable) {
			want[i] = canonical(a)
		}
	}
	var out []Binding
	for _, fact := range g.facts[pred] {
		if b, ok := unify(want, fact); ok {
			out = append(out, b)
		}
	}
	return out
}

func unify(args, fact []string) (Binding, bool) {
	b := make(Binding)
	for i, a := range args {
		name, isVariable := strings.CutPrefix(a, variable)
		bound, known := b[name]
		switch {
		case a == anything:
		case !isVariable && a != fact[i], isVariable && known && bound != fact[i]:
			return nil, false
		case isVariable:
			b[name] = fact[i]
		}
	}
	return b, true
}

// canonical writes a number in the one way in which the graph keeps it.
func canonical(number string) string {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// each returns the values of one variable.
func (g *Graph) each(name, pred string, args ...string) []string {
	var out []string
	for _, b := range g.Match(pred, args...) {
		out = append(out, b[name])
	}
	return out
}

// FocusSkills returns what the persona listens for: none for a persona that is not known (R002-14, R002-18).
func (g *Graph) FocusSkills(persona string) []string {
	return g.each("skill", FocusSkill, datafile.ID(persona), "$skill")
}

// Topics returns the topics of a persona by falling weight; of equal weights the one that was read first comes first.
// There are at most limit of them; limit 0 means all (R002-15, R002-18).
func (g *Graph) Topics(persona string, limit int) []Topic {
	var out []Topic
	for _, b := range g.Match(PersonaPriority, datafile.ID(persona), "$topic", "$weight") {
		weight, err := strconv.ParseFloat(b["weight"], 64)
		if err != nil {
			continue // the loader takes numbers only
		}
		out = append(out, Topic{ID: b["topic"], Weight: weight})
	}
	slices.SortStableFunc(out, func(a, b Topic) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return 0
	})
	if limit > 0 {
		out = out[:min(limit, len(out))]
	}
	return out
}

// Role returns the id under which the graph knows a role: by its id or its name in any language and spelling, or by an alias;
// "" = it does not.
func (g *Graph) Role(name string) string {
	id := datafile.ID(name)
	for _, role := range g.Roles() {
		named := func(label string) bool { return datafile.ID(label) == id }
		if role == id || slices.ContainsFunc(slices.Collect(maps.Values(g.labels[role])), named) {
			return role
		}
	}
	if roles := g.each("role", RoleAlias, id, "$role"); len(roles) > 0 {
		return roles[0]
	}
	return ""
}

// Requirements returns what a role asks for, the weightiest first: none for a role that is not known.
func (g *Graph) Requirements(role string) []string {
	id := g.Role(role)
	if id == "" {
		return nil
	}
	return g.each("requirement", RoleRequirement, id, "$requirement")
}

// Roles returns the ids of all roles.
func (g *Graph) Roles() []string {
	var out []string
	for _, role := range g.each("role", RoleRequirement, "$role", anything) {
		if !slices.Contains(out, role) {
			out = append(out, role)
		}
	}
	return out
}

// Questions returns the questions of the bank that a persona may ask about a topic; "" stands for any persona or topic.
func (g *Graph) Questions(persona, topic string) []Question {
	var out []Question
	for _, q := range g.questions {
		if (persona == "" || q.Persona == datafile.ID(persona)) && (topic == "" || q.Topic == topic) {
			out = append(out, q)
		}
	}
	return out
}

// Label returns how a skill, topic, requirement or role is called in a language; without a label, its id with spaces.
func (g *Graph) Label(id, locale string) string {
	if text := prompts.In(g.labels[id], locale); text != "" {
		return text
	}
	return strings.ReplaceAll(id, "_", " ")
}
