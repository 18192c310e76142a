package problem

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/facts"
)

// What a problem needs at least, so that the interviewer can answer about it and tell right from wrong.
const (
	leastExamples  = 2
	leastEdgeCases = 3
)

// texts checks that there are words in every language of the problem.
func (f findings) texts(p *Problem, at string, texts map[string]string) {
	for _, lang := range p.Languages() {
		if strings.TrimSpace(texts[lang]) == "" {
			f.Add(at, "the words in language %q are missing", lang)
		}
	}
}

// sheet checks the facts, the examples and the hints that belong to an approach.
func (f findings) sheet(p *Problem) {
	if !slices.ContainsFunc(p.Facts, func(one facts.Fact) bool { return one.ID == FactSize }) {
		f.Add("facts", "problem %s has no bounds: say under the fact %q how large the input gets", p.ID, FactSize)
	}
	facts.Sheet(p.Facts).Check("facts", f.Add)
	for i, one := range p.Facts {
		at := fmt.Sprintf("facts[%d]", i)
		f.texts(p, at+".say", one.Say)
		for _, lang := range p.Languages() {
			if len(p.asked(one)[lang]) == 0 {
				f.Add(at+".asks", "write in language %q how candidates ask for %s", lang, one.ID)
			}
		}
	}
	if len(p.Examples) < leastExamples {
		f.Add("examples", "problem %s needs at least %d worked examples, each with in, out and why", p.ID, leastExamples)
	}
	for i := range p.Examples {
		at := fmt.Sprintf("examples[%d]", i)
		f.worked(p, at, &p.Examples[i])
		f.texts(p, at+".why", p.Examples[i].Why)
	}
	for i, n := range p.Nudges {
		at := fmt.Sprintf("nudges[%d]", i)
		_, right := p.Approach(n.StuckOn)
		if _, wrong := p.Wrong(n.StuckOn); !right && !wrong {
			f.Add(at+".stuck_on", "there is no approach %q, right or wrong", n.StuckOn)
		}
		f.questions(p, at+".say", n.Say)
	}
	if len(p.FirstStep) > 0 {
		f.texts(p, "first_step", p.FirstStep)
	}
}

// worked checks an input with its result.
func (f findings) worked(p *Problem, at string, c *Case) {
	f.texts(p, at+".in", c.In)
	f.texts(p, at+".out", c.Out)
	if c.Data != "" && !json.Valid([]byte(c.Data)) {
		f.Add(at+".data", "this is not JSON: give the arguments as a list")
	}
	if c.Want != "" && !json.Valid([]byte(c.Want)) {
		f.Add(at+".want", "this is not JSON: give the result")
	}
}

func (p *Problem) approachIDs() []string {
	return datafile.Names(p.Approaches, func(a *Approach) string { return a.ID })
}

// mistakes checks the usual wrong approaches, and that there is one.
func (f findings) mistakes(p *Problem) {
	if len(p.Mistakes) == 0 {
		f.Add("wrong", "problem %s has no wrong approach: give at least one, with a counter-example", p.ID)
	}
	right := p.approachIDs()
	f.Distinct("wrong", ".id", "approach", datafile.Names(p.Mistakes, func(m *Mistake) string { return m.ID }))
	if !slices.ContainsFunc(p.Approaches, func(a Approach) bool { return a.Quality == Best && a.Cost.Time == p.Complexity.Time }) {
		f.Add("approaches", "problem %s has no reference cost: no best approach takes the time of complexity, %s", p.ID, p.Complexity.Time)
	}
	for i := range p.Mistakes {
		m, at := &p.Mistakes[i], fmt.Sprintf("wrong[%d]", i)
		if m.ID == "" || slices.Contains(right, m.ID) {
			f.Add(at, "give the wrong approach an id of its own")
		}
		f.texts(p, at+".names", m.Names)
		for _, lang := range p.Languages() {
			if len(m.Plain[lang]) == 0 {
				f.Add(at+".plain", "write in language %q how candidates put it", lang)
			}
		}
		f.worked(p, at+".counter", &m.Counter.Case)
		f.questions(p, at+".counter.say", m.Counter.Say)
	}
}

// told adds by path what the sheet lets the candidate hear before the summary: all but what is hidden.
func (p *Problem) told(texts func(at string, in map[string]string)) {
	for i, one := range p.Facts {
		if one.Tell != facts.Never {
			texts(fmt.Sprintf("facts[%d].say", i), one.Say)
		}
	}
	worked := func(at string, c *Case) {
		texts(at+".in", c.In)
		texts(at+".out", c.Out)
		texts(at+".why", c.Why)
	}
	for i := range p.Examples {
		worked(fmt.Sprintf("examples[%d]", i), &p.Examples[i])
	}
	for i := range p.EdgeCases {
		worked(fmt.Sprintf("edge_cases[%d]", i), &p.EdgeCases[i].Case)
	}
	for i := range p.Mistakes {
		at := fmt.Sprintf("wrong[%d].counter", i)
		worked(at, &p.Mistakes[i].Counter.Case)
		texts(at+".say", p.Mistakes[i].Counter.Say)
	}
	for i := range p.Nudges {
		texts(fmt.Sprintf("nudges[%d].say", i), p.Nudges[i].Say)
	}
	texts("first_step", p.FirstStep)
}
