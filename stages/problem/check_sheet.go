package problem

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/facts"
)

// What a problem needs at least, so that the interviewer can answer about it and tell right from wrong.
const (
	leastExamples  = 2
	leastEdgeCases = 3
)

// sheet checks the facts, the examples and the hints that belong to an approach.
func (f findings) sheet(p *Problem) {
	if !slices.ContainsFunc(p.Facts, func(one facts.Fact) bool { return one.ID == FactSize }) {
		f.Add("facts", "problem %s has no bounds: say under the fact %q how large the input gets", p.ID, FactSize)
	}
	facts.Sheet(p.Facts).Check("facts", f.Add)
	for i, one := range p.Facts {
		at := fmt.Sprintf("facts[%d]", i)
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
		f.data(fmt.Sprintf("examples[%d]", i), &p.Examples[i])
	}
	for i, n := range p.Nudges {
		at := fmt.Sprintf("nudges[%d]", i)
		_, right := p.Approach(n.StuckOn)
		if _, wrong := p.Wrong(n.StuckOn); !right && !wrong {
			f.Add(at+".stuck_on", "there is no approach %q, right or wrong", n.StuckOn)
		}
	}
}

// data checks an input with its result as a machine reads them.
func (f findings) data(at string, c *Case) {
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
		for _, lang := range p.Languages() {
			if len(m.Plain[lang]) == 0 {
				f.Add(at+".plain", "write in language %q how candidates put it", lang)
			}
		}
		f.data(at+".counter", &m.Counter.Case)
	}
}
