package coach

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// recogniser finds out which pattern solves the task, and makes sure that the candidate has understood it.
type recogniser struct{ *kit }

const (
	termsKnown = 2  // key terms that show somebody understood the task
	wordsKnown = 8  // words that do, for a task without key terms
	clarifyMax = 3  // turns after which the talk goes on all the same
	certain    = 1. // confidence in what a problem file says
)

// process answers a turn.
func (e recogniser) process(b *expert.Board) expert.Response {
	found := e.recognise(b)
	var r expert.Response
	switch {
	case stuck(b) && b.Turns < clarifyMax:
		r = e.hint(b)
	case e.understood(b) || b.Turns >= clarifyMax:
		r = expert.Success(sentences(e.say(b, "clarify.good"), e.onward(b)), Thought)
	default:
		r = expert.Success(e.say(b, "clarify.more"), "")
	}
	r.Updates = found.updates(b)
	r.Metadata["confidence"], r.Metadata["candidates"], r.Metadata["terms"] = found.confidence, found.candidates, found.terms
	return r
}

// recognition is what the task turned out to be.
type recognition struct {
	pattern, complexity string
	candidates, terms   []string
	confidence          float64
}

// updates writes what the board does not know yet (R003-29).
func (f recognition) updates(b *expert.Board) map[string]any {
	out := make(map[string]any)
	if f.pattern != "" && b.IdentifiedPattern() == "" {
		out[expert.FieldPattern] = f.pattern
	}
	if f.complexity != "" && b.ComplexityExpectation() == "" {
		out[expert.FieldComplexity] = f.complexity
	}
	return out
}

// recognise takes the problem file's word, or else looks for the cues of patterns in the task (R003-28).
func (k *kit) recognise(b *expert.Board) recognition {
	if p := b.Secret.Problem; p != nil {
		return recognition{
			pattern: p.Pattern, complexity: p.Complexity.String(), candidates: slices.Clone(p.Candidates),
			terms: slices.Clone(problem.In(p.Terms, b.Locale)), confidence: certain,
		}
	}
	return k.derive(b.ProblemText)
}

// derive ranks the patterns by how many of their cues the task holds. A task without any gets the commonest pattern,
// with no confidence.
func (k *kit) derive(task string) recognition {
	type ranked struct {
		pattern
		cues []string
	}
	var list []ranked
	total := 0
	for _, p := range k.patterns {
		cues := all(task, p.Cues)
		total += len(cues)
		list = append(list, ranked{p, cues})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(len(b.cues), len(a.cues)) })
	out := recognition{pattern: list[0].ID, complexity: list[0].Complexity, terms: list[0].cues}
	for _, p := range list {
		if len(p.cues) > 0 {
			out.candidates = append(out.candidates, p.ID)
		}
	}
	if total > 0 {
		out.confidence = float64(len(list[0].cues)) / float64(total)
	}
	return out
}

// understood reports whether the candidate has told the task back.
func (e recogniser) understood(b *expert.Board) bool {
	said := strings.Join(said(b), " ")
	if p := b.Secret.Problem; p != nil {
		return len(all(said, problem.In(p.Terms, e.language(b)))) >= termsKnown
	}
	return understand.Words(b.Input) >= wordsKnown
}

// onward asks whoever has an idea already to try it; the others get a clue.
func (e recogniser) onward(b *expert.Board) string {
	told := strings.Join(said(b), "\n")
	if _, named := e.approachIn(b, told); named || conclusion.Read(told).Time != nil {
		return e.say(b, "thought.example")
	}
	if p := b.Secret.Problem; p != nil {
		if ways := p.Named(b.Input, e.language(b)); len(ways) > 0 {
			if _, wrong := p.Wrong(ways[0]); wrong { // not good enough, but theirs
				return e.say(b, "thought.start")
			}
			return e.say(b, "thought.example")
		}
	}
	return e.clue(b)
}

// clue is a question that sets the candidate thinking without naming the pattern (R003-30).
func (e recogniser) clue(b *expert.Board) string {
	p := b.Secret.Problem
	if p == nil {
		text, _ := e.hintText(&expert.Board{CurrentStage: Thought, Locale: b.Locale, Input: b.Input}, 2)
		return text
	}
	clues := problem.In(p.Clues, e.language(b))
	return clues[b.Seed%uint64(len(clues))]
}

// all returns all the phrases that the text holds.
func all(text string, phrases []string) []string {
	var out []string
	for _, p := range phrases {
		if understand.Says(text, []string{p}) {
			out = append(out, p)
		}
	}
	return out
}
