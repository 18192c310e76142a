package coach

import (
	"strings"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// summariser names the pattern at last, and sums up what to take along.
type summariser struct{ *kit }

// process answers a turn.
func (e summariser) process(b *expert.Board) expert.Response {
	if stuck(b) && b.HintLevel == 0 {
		return e.hint(b)
	}
	key := "summary.not_named"
	if understand.Which(b.Input, e.names(b)) != "" {
		key = "summary.named"
	}
	r := expert.Success(sentences(e.say(b, key), e.sum(b)), expert.Onward)
	r.Flags = []string{FlagSummarised}
	r.Metadata["named"] = key == "summary.named"
	return r
}

// names are the words for the pattern.
func (e summariser) names(b *expert.Board) []string {
	out := append([]string{strings.ReplaceAll(patternOf(b), "_", " ")}, b.Secret.Synonyms...)
	if p := b.Secret.Problem; p != nil {
		for _, name := range p.Names {
			out = append(out, name)
		}
	}
	for _, p := range e.patterns {
		if p.ID == patternOf(b) {
			out = append(out, p.Synonyms...)
		}
	}
	return out
}

// patternOf is what the recogniser found, or what the problem file says.
func patternOf(b *expert.Board) string {
	if found := b.IdentifiedPattern(); found != "" {
		return found
	}
	return b.Secret.Pattern
}

func (e summariser) sum(b *expert.Board) string {
	if p := b.Secret.Problem; p != nil {
		return problem.In(p.Summary, e.language(b))
	}
	return e.say(b, "summary.plain", "pattern", strings.ReplaceAll(patternOf(b), "_", " "))
}
