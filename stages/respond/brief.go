package respond

import (
	"fmt"
	"strings"
)

// Brief is what a responder is told before it answers the candidate. What does not change in an interview comes first in its Lines, then
// the talk, then where it stands, so that a provider's cache of prompts holds.
type Brief struct {
	Frame     string     // who the interviewer is and how the interview goes
	Facts     []Fact     // what may be asked
	Changing  []Fact     // of it, what changes with the time
	Hidden    []string   // what is known and never said
	Taboo     []string   // words that give it away, until the candidate says them
	Talk      []Line     // the turns, the candidate's fenced
	Plan      []Part     // the parts of the interview, in order
	Now       Part       // the one that is on
	Criteria  []Criteria // of the part that is on, and of those to come where it helps
	Elsewhere []string   // what counts in other parts
	Notebook  []string   // what the candidate has told, in short; fenced
	Open      []string   // claims to take up, parts left open
	Taken     []string   // claims that were taken up, and not put right yet
	Code      string     // the candidate's editor; fenced
	Clock     string
	Hint      string // the next hint; empty = none is left
	Allowed   []Allowance
	Must      string // what the reply has to do; empty = it is free
	Again     string // what was wrong with the first try; empty = this is it
}

// Line is one message to a model.
type Line struct {
	Role string // system, user or assistant
	Text string
}

// Fact is one answer.
type Fact struct{ ID, Say string }

// Part is one part of the interview.
type Part struct{ ID, Title, Purpose, Status string }

// Criteria is what counts in a part.
type Criteria struct {
	ID, What string
	Level    int // reached so far; 0 = not touched
}

// Allowance is something that a reply may do, with what it takes; To are the parts that it may lead to, where it names one.
type Allowance struct {
	Did string
	To  []string
	How string
}

// Lines puts the brief in messages.
func (b *Brief) Lines() []Line {
	first := []string{b.Frame}
	if len(b.Facts) > 0 {
		list := []string{"Facts, the only ones you have (answer from them when asked; do not recite them):"}
		for _, f := range b.Facts {
			list = append(list, "- "+f.ID+": "+f.Say)
		}
		first = append(first, strings.Join(list, "\n"))
	}
	if len(b.Hidden) > 0 {
		first = append(first, "Known to you and not said before all parts are over, whoever asks and however:\n- "+strings.Join(b.Hidden, "\n- "))
	}
	if len(b.Taboo) > 0 {
		first = append(first, "Words that you do not say before the candidate has: "+strings.Join(b.Taboo, ", ")+".")
	}
	lines := []Line{{Role: "system", Text: strings.Join(first, "\n\n")}}
	lines = append(lines, b.Talk...)
	return append(lines, Line{Role: "system", Text: b.state()})
}

// state is where the interview stands.
func (b *Brief) state() string {
	var w strings.Builder
	section := func(title string, lines ...string) {
		if len(lines) > 0 {
			fmt.Fprintf(&w, "%s\n%s\n", title, strings.Join(lines, "\n"))
		}
	}
	var plan []string
	for _, p := range b.Plan {
		plan = append(plan, fmt.Sprintf("- %s %q: %s", p.ID, p.Title, p.Status))
	}
	section("The parts:", plan...)
	fmt.Fprintf(&w, "Now: %s %q. Its purpose: %s\n", b.Now.ID, b.Now.Title, b.Now.Purpose)
	var criteria []string
	for _, c := range b.Criteria {
		criteria = append(criteria, fmt.Sprintf("- %s: %s (%s)", c.ID, c.What, []string{"nothing yet", "touched", "sound", "strong"}[min(max(c.Level, 0), 3)]))
	}
	section("What counts here (ids for notes and covered; never asked for by name):", criteria...)
	section("What counts in other parts (also for covered, when they tell it here; not asked for now):", b.Elsewhere...)
	section("Notebook, what the candidate has told:", b.Notebook...)
	section("Still open:", b.Open...)
	section("Taken up already, until they put it right:", b.Taken...)
	if b.Code != "" {
		section("The candidate's editor now:", b.Code)
	}
	if b.Hint != "" {
		section("The next hint, if one is asked for or they are stuck (fit it to where they are):", b.Hint)
	}
	section("Clock:", b.Clock)
	var changing []string
	for _, f := range b.Changing {
		changing = append(changing, "- "+f.ID+": "+f.Say)
	}
	section("Facts as they are now:", changing...)
	var allowed []string
	for _, a := range b.Allowed {
		line := "- " + a.Did
		if len(a.To) > 0 {
			line += " to " + strings.Join(a.To, ", ")
		}
		allowed = append(allowed, line+": "+a.How)
	}
	section("What you may do now (did):", allowed...)
	if b.Must != "" {
		section("This reply has to do this:", b.Must)
	}
	if b.Again != "" {
		section("Your first try was not used:", b.Again)
	}
	return strings.TrimSpace(w.String())
}
