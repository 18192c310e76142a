package expert

import (
	"strings"

	"github.com/vivavoice/viva/stages/problem"
)

// NameSummariser is the expert of the last stage.
const NameSummariser = "PatternSummarizer"

// summariser names the pattern at last, and sums up what to take along.
type summariser struct{ *kit }

var _ Expert = summariser{}

// Name implements Expert.
func (summariser) Name() string { return NameSummariser }

// ShouldActivate implements Expert: it leads the last stage, which the other experts leave open (R003-10).
func (summariser) ShouldActivate(b Board) bool { return b.CurrentStage == Summary }

// ValidateContext implements Expert.
func (summariser) ValidateContext(b Board) error { return validate(&b) }

// Process implements Expert.
func (e summariser) Process(b Board) (Response, error) {
	if b.stuck() && b.HintLevel == 0 {
		return e.hint(&b), nil
	}
	key := "summary.not_named"
	if which(b.Input, e.names(&b)) != "" {
		key = "summary.named"
	}
	r := Success(sentences(e.say(&b, key), e.sum(&b)), Onward)
	r.Flags = []string{FlagSummarised}
	r.Metadata["named"] = key == "summary.named"
	return r, nil
}

// names are the words for the pattern.
func (e summariser) names(b *Board) []string {
	out := append([]string{strings.ReplaceAll(b.pattern(), "_", " ")}, b.Secret.Synonyms...)
	if p := b.Secret.Problem; p != nil {
		for _, name := range p.Names {
			out = append(out, name)
		}
	}
	for _, p := range e.patterns {
		if p.ID == b.pattern() {
			out = append(out, p.Synonyms...)
		}
	}
	return out
}

// pattern is what the recogniser found, or what the problem file says.
func (b *Board) pattern() string {
	if found := b.IdentifiedPattern(); found != "" {
		return found
	}
	return b.Secret.Pattern
}

func (e summariser) sum(b *Board) string {
	if p := b.Secret.Problem; p != nil {
		return problem.In(p.Summary, e.language(b))
	}
	return e.say(b, "summary.plain", "pattern", strings.ReplaceAll(b.pattern(), "_", " "))
}
