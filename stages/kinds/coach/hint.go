package coach

import (
	"errors"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// hintLevels is how many hints of rising strength there are (R003-33).
const hintLevels = 3

// keys of the hints by stage.
var hintKeys = map[string]string{
	Clarification: "clarify.hint", Thought: "thought.hint", Complexity: "complexity.hint", Pseudocode: "code.hint",
	EdgeCases: "edge.hint", FollowUp: "follow.hint", Summary: "summary.hint",
}

// hintText returns the hint of a level, counted from 1; beyond the last there is none. For the idea itself the
// problem's own hints are used.
func (k *kit) hintText(b *expert.Board, level int) (string, bool) {
	lang := k.language(b)
	if p := b.Secret.Problem; p != nil && b.CurrentStage == Thought {
		if list, ok := p.Hints[lang]; ok && level >= 1 && level <= len(list) {
			return list[level-1], true
		}
	}
	list := k.words[lang].Phrases[hintKeys[b.CurrentStage]]
	if level < 1 || level > len(list) {
		return "", false
	}
	return list[level-1], true
}

// hint gives the next stronger hint, with a framework for thinking in help mode. When all have been given, the steps get
// smaller (R003-34).
func (k *kit) hint(b *expert.Board) expert.Response {
	text, ok := k.hintText(b, b.HintLevel+1)
	if !ok {
		r := expert.Success(k.say(b, "thought.steps"), "")
		r.Metadata["hints"] = "all given"
		return r
	}
	if b.Help {
		text = sentences(k.say(b, "help.lead"), text)
	}
	r := expert.Success(text, "")
	r.Hint = true
	r.Metadata["hint_level"] = b.HintLevel + 1
	return r
}

var (
	errNoTask  = errors.New("the board has no task")
	errNoStage = errors.New("the board has no stage")
)

// validate is what every shipped expert needs.
func validate(b *expert.Board) error {
	switch {
	case b.CurrentStage == "":
		return errNoStage
	case b.ProblemText == "":
		return errNoTask
	}
	return nil
}

// approach is an idea that the candidate named.
type approach struct {
	name  string // in the candidate's words
	brute bool
	cost  string // of time
	id    string
}

// approachIn returns the best approach that a text names.
func (k *kit) approachIn(b *expert.Board, text string) (approach, bool) {
	var best approach
	found := false
	consider := func(name, id, cost string, brute bool) {
		if name != "" && (!found || best.brute && !brute) {
			best, found = approach{name: name, brute: brute, cost: cost, id: id}, true
		}
	}
	if p := b.Secret.Problem; p != nil {
		for _, quality := range []string{problem.Best, problem.Better, problem.Brute} {
			for _, a := range p.Approaches {
				if a.Quality == quality {
					consider(understand.Which(text, a.Keywords), a.ID, a.Cost.Time, quality == problem.Brute)
				}
			}
		}
	} else {
		for _, pt := range k.patterns {
			consider(understand.Which(text, pt.Synonyms), pt.ID, timeOf(pt.Complexity), false)
		}
	}
	consider(understand.Which(text, k.brute.Words), "brute", k.brute.Cost, true)
	return best, found
}
