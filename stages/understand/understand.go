// Package understand finds, by rules kept as data per language, what a candidate's turn means: its intents and the
// facts in it. It is the understanding of an interview without a model, and the check on what a model proposes.
package understand

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
)

//go:embed *.yaml
var shipped embed.FS

// Shipped returns the rule files that come with Viva, one <locale>.yaml each.
func Shipped() fs.FS { return shipped }

// Intent is what the candidate wants beyond answering.
type Intent string

// The intents.
const (
	Done   Intent = "done"   // the answer, or the introduction, is complete
	Think  Intent = "think"  // asks for time
	Repeat Intent = "repeat" // did not understand the question
	Refuse Intent = "refuse" // will not or cannot answer
	End    Intent = "end"    // wants to stop the interview
)

// order is the priority in which intents are tested.
var order = []Intent{End, Repeat, Think, Refuse, Done}

// maxFact bounds a fact in characters: what does not fit is cut at a word.
const maxFact = 120

// Rules are the rules of one language; they are read-only and may be shared.
type Rules struct {
	intents  map[Intent]intentRule
	facts    map[string][]*regexp.Regexp
	notNames map[string]bool
}

type intentRule struct {
	words    int
	patterns []*regexp.Regexp
}

type rulesFile struct {
	Intents map[Intent]struct {
		Words    int      `yaml:"words"`
		Patterns []string `yaml:"patterns"`
	} `yaml:"intents"`
	Facts    map[string][]string `yaml:"facts"`
	Roles    string              `yaml:"roles"`
	NotNames string              `yaml:"not_names"`
}

// Load reads <locale>.yaml. The error lists every pattern that cannot be used.
func Load(fsys fs.FS, locale string) (*Rules, error) {
	text, err := fs.ReadFile(fsys, locale+".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the rules for language %q: %w", locale, err)
	}
	var file rulesFile
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("rules %s.yaml: %w", locale, err)
	}
	return compile(locale, &file)
}

func compile(locale string, file *rulesFile) (*Rules, error) {
	r := &Rules{intents: make(map[Intent]intentRule), facts: make(map[string][]*regexp.Regexp), notNames: make(map[string]bool)}
	words := strings.NewReplacer("{W}", `[\pL\pN'’-]+`, "{ROLE}", "(?:"+strings.Join(strings.Fields(file.Roles), "|")+")")
	var problems []error
	compiled := func(where string, patterns []string) []*regexp.Regexp {
		var out []*regexp.Regexp
		for n, p := range patterns {
			re, err := regexp.Compile("(?i)" + words.Replace(p))
			if err != nil {
				problems = append(problems, fmt.Errorf("rules %s.yaml: %s, pattern %d: %w", locale, where, n+1, err))
				continue
			}
			out = append(out, re)
		}
		return out
	}
	for name, rule := range file.Intents {
		if !slices.Contains(order, name) {
			problems = append(problems, fmt.Errorf("rules %s.yaml: unknown intent %q", locale, name))
		}
		r.intents[name] = intentRule{words: rule.Words, patterns: compiled(string(name), rule.Patterns)}
	}
	for name, patterns := range file.Facts {
		r.facts[name] = compiled(name, patterns)
	}
	for _, w := range strings.Fields(file.NotNames) {
		r.notNames[w] = true
	}
	return r, errors.Join(problems...)
}

// Intents returns the intents of a turn, the weightiest first.
func (r *Rules) Intents(text string) []Intent {
	text = plain(text)
	n := Words(text)
	var found []Intent
	for _, name := range order {
		rule := r.intents[name]
		if rule.words > 0 && n > rule.words {
			continue
		}
		if slices.ContainsFunc(rule.patterns, func(re *regexp.Regexp) bool { return re.MatchString(text) }) {
			found = append(found, name)
		}
	}
	return found
}

// Fact looks for the named fact in a turn and returns its words, at most 120 characters of them.
func (r *Rules) Fact(name, text string) (string, bool) {
	text = plain(text)
	for _, re := range r.facts[name] {
		for _, m := range re.FindAllStringSubmatch(text, 4) {
			v := strings.TrimSpace(m[re.SubexpIndex("v")])
			if v == "" || name == "name" && r.notNames[strings.ToLower(v)] {
				continue
			}
			if name == "name" {
				v = capital(v)
			}
			return Clip(v, maxFact), true
		}
	}
	return "", false
}

// Knows reports whether there are rules for the fact.
func (r *Rules) Knows(name string) bool { return len(r.facts[name]) > 0 }

// Words counts the words of a text. A script without spaces counts one word for every two letters.
func Words(text string) int {
	n, wide, in := 0, 0, false
	for _, c := range text {
		switch {
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			wide, in = wide+1, false
		case unicode.IsLetter(c) || unicode.IsNumber(c) || c == '\'' || c == '’' || c == '-':
			if !in {
				n++
			}
			in = true
		default:
			in = false
		}
	}
	return n + (wide+1)/2
}

// Clip cuts text to at most n characters, at the end of a word.
func Clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := string(runes[:n])
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-")
}

// apostrophes makes them all straight, as the patterns have them.
var apostrophes = strings.NewReplacer("’", "'", "‘", "'")

func plain(text string) string {
	return strings.Join(strings.Fields(apostrophes.Replace(text)), " ")
}

func capital(word string) string {
	runes := []rune(word)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}
