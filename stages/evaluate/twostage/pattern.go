package twostage

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"

	"github.com/goccy/go-yaml"
)

// pattern is a regular expression that is read from data. It matches without regard to case, line by line.
type pattern struct {
	re *regexp.Regexp
	// foreign says that every match holds a letter beyond ASCII, so that most sentences need not be looked at.
	foreign bool
}

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (p *pattern) UnmarshalYAML(text []byte) error {
	var source string
	if err := yaml.Unmarshal(text, &source); err != nil {
		return err
	}
	source = "(?im)" + source
	re, err := regexp.Compile(source)
	if err != nil {
		return fmt.Errorf("pattern %q: %w", source, err)
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return fmt.Errorf("pattern %q: %w", source, err)
	}
	p.re, p.foreign = re, foreignOnly(tree)
	return nil
}

// foreignOnly reports whether every match of a pattern holds a rune beyond ASCII.
func foreignOnly(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.ContainsFunc(re.Rune, func(r rune) bool { return r > unicode.MaxASCII })
	case syntax.OpCharClass:
		return len(re.Rune) > 0 && re.Rune[0] > unicode.MaxASCII // ranges are in order
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, foreignOnly)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !foreignOnly(sub) })
	case syntax.OpCapture, syntax.OpPlus:
		return foreignOnly(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min > 0 && foreignOnly(re.Sub[0])
	}
	return false
}

// sentence is a piece of text that patterns look at.
type sentence struct {
	text  string
	ascii bool
}

func newSentence(text string) sentence {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return sentence{text, false}
		}
	}
	return sentence{text, true}
}

func (p pattern) match(s sentence) bool { return (!p.foreign || !s.ascii) && p.re.MatchString(s.text) }

// groups returns the groups of the first match, or nil.
func (p pattern) groups(s sentence) []string {
	if p.foreign && s.ascii {
		return nil
	}
	return p.re.FindStringSubmatch(s.text)
}

// allGroups returns the groups of all matches.
func (p pattern) allGroups(s sentence) [][]string {
	if p.foreign && s.ascii {
		return nil
	}
	return p.re.FindAllStringSubmatch(s.text, -1)
}
