package coach

import (
	"embed"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
)

//go:embed words/*.yaml
var shipped embed.FS

// locales are the languages the experts speak; the first stands in for others.
var locales = []string{"en", "zh"}

// words is what the experts say in one language.
type words struct {
	Phrases   map[string][]string `yaml:"phrases"`
	Issues    map[string]string   `yaml:"issues"`     // questions about faults of the code
	FollowUps map[string]string   `yaml:"follow_ups"` // by aim, for tasks without a bank
}

// pattern is what is known of a pattern without a problem file.
type pattern struct {
	ID         string   `yaml:"id"`
	Complexity string   `yaml:"complexity"`
	Cues       []string `yaml:"cues"`
	Synonyms   []string `yaml:"synonyms"`
}

// kit is what all shipped experts share: words, rules and patterns. It is read-only.
type kit struct {
	words    map[string]*words
	rules    map[string]*understand.Rules
	patterns []pattern
	brute    struct {
		Cost  string   `yaml:"cost"`
		Words []string `yaml:"words"`
	}
	code map[string]*regexp.Regexp
}

func newKit(fsys fs.FS) (*kit, error) {
	k := &kit{words: make(map[string]*words), rules: make(map[string]*understand.Rules)}
	var problems []error
	for _, locale := range locales {
		var w words
		rules, err := understand.Load(understand.Shipped(), locale)
		problems = append(problems, err, datafile.Read(fsys, "words/"+locale+".yaml", &w))
		k.words[locale], k.rules[locale] = &w, rules
	}
	problems = append(problems, datafile.Read(fsys, "words/patterns.yaml", &k.patterns), datafile.Read(fsys, "words/brute.yaml", &k.brute),
		datafile.Read(fsys, "words/code.yaml", &k.code))
	return k, errors.Join(problems...)
}

// language returns the language to reply in: the candidate's, if the experts speak it (R003-96).
func (k *kit) language(b *expert.Board) string {
	for _, tag := range []string{understand.Language(b.Input, b.Locale), b.Locale} {
		lang := prompts.Language(tag)
		if k.words[lang] != nil {
			return lang
		}
	}
	return locales[0]
}

// say picks a wording that was not heard yet and fills it in; pairs are names and values.
func (k *kit) say(b *expert.Board, key string, pairs ...string) string {
	pick := b.Fresh(k.words[k.language(b)].Phrases[key], b.Seed+uint64(max(0, b.Turns)))
	for i := 0; i+1 < len(pairs); i += 2 {
		pick = strings.ReplaceAll(pick, "{"+pairs[i]+"}", pairs[i+1])
	}
	return pick
}

// costs returns what the candidate's turn concludes about cost. A cost of which nothing else is said answers the last question.
func (k *kit) costs(b *expert.Board) conclusion.Reading {
	asked := conclusion.Time
	for _, t := range slices.Backward(b.History) {
		if t.Role == evaluate.RoleAgent {
			asked = conclusion.Asks(t.Content)
			break
		}
	}
	return conclusion.About(b.Input, asked)
}

// said returns what the candidate has said, this turn included.
func said(b *expert.Board) []string {
	var out []string
	for _, t := range b.History {
		if t.Role == evaluate.RoleUser {
			out = append(out, t.Content)
		}
	}
	return append(out, b.Input)
}

// stuck reports whether the candidate's turn asks for help instead of answering.
func stuck(b *expert.Board) bool {
	return b.Wants(understand.Hint, understand.Frustrated, understand.Answer, understand.Refuse)
}

// Asks reports whether a text asks something.
func Asks(text string) bool { return strings.ContainsAny(text, "?？") }

// sentences joins what is not empty; Chinese puts no space between sentences.
func sentences(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "。") {
			b.WriteByte(' ')
		}
		b.WriteString(p)
	}
	return b.String()
}
