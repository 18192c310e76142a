package twostage

import (
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// pattern is a regular expression that is read from data. It matches without regard to case, line by line.
type pattern struct{ prefilter.Pattern }

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (p *pattern) UnmarshalYAML(text []byte) (err error) {
	var source string
	if err := yaml.Unmarshal(text, &source); err != nil {
		return err
	}
	if p.Pattern, err = prefilter.New("(?im)" + source); err != nil {
		return fmt.Errorf("pattern %q: %w", source, err)
	}
	return nil
}

// sentence is a piece of text that patterns look at.
type sentence struct{ text, folded string }

func newSentence(text string) sentence { return sentence{text, prefilter.Fold(text)} }

func (p pattern) match(s sentence) bool { return p.May(s.folded) && p.MatchString(s.text) }

// groups returns the groups of the first match, or nil.
func (p pattern) groups(s sentence) []string {
	if !p.May(s.folded) {
		return nil
	}
	return p.FindStringSubmatch(s.text)
}

// allGroups returns the groups of all matches.
func (p pattern) allGroups(s sentence) [][]string {
	if !p.May(s.folded) {
		return nil
	}
	return p.FindAllStringSubmatch(s.text, -1)
}
