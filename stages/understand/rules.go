package understand

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/understand/classify"
	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// common is the file with the word lists that serve every language.
const common = "any"

// Rules are the rules of one language; they are read-only and may be shared.
type Rules struct {
	intents  map[Intent]intentRule
	facts    map[string][]prefilter.Pattern
	notNames map[string]bool
	lexicons map[string]lexicon
	also     []*Rules // rules of other languages for intents

	locale string
	acts   actRules // see Acts
}

type intentRule struct {
	words    int
	patterns []prefilter.Pattern
	short    []string            // triggers that count in short turns only
	not      []prefilter.Pattern // wordings that are taken out before anything is looked for
}

// A turn is short, so that a mere trigger word counts, up to so many characters or so many words (R003-68).
const (
	shortCharacters = 12
	shortWords      = 4
)

// matches looks for the rule in a text; folded is the same text, as fold makes it.
func (r *intentRule) matches(text, folded string, words int) bool {
	short := words <= shortWords || utf8.RuneCountInString(text) <= shortCharacters
	if !short && r.words > 0 && words > r.words {
		return false
	}
	long := r.words > 0 && words > r.words
	if !r.triggered(text, folded, short, long) {
		return false
	}
	taken := false
	for i := range r.not {
		if not := &r.not[i]; not.May(folded) && not.MatchString(text) {
			text = not.ReplaceAllString(text, " ")
			folded, taken = prefilter.Fold(text), true
		}
	}
	return !taken || r.triggered(text, folded, short, long)
}

// triggered looks for a trigger word or a pattern; long turns have triggers at most.
func (r *intentRule) triggered(text, folded string, short, long bool) bool {
	if short && contains(strings.ToLower(text), r.short) {
		return true
	}
	if long {
		return false
	}
	for i := range r.patterns {
		if p := &r.patterns[i]; p.May(folded) && p.MatchString(text) {
			return true
		}
	}
	return false
}

func contains(text string, any []string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
}

type ruleOfIntent struct {
	Words    int      `yaml:"words"`
	Patterns []string `yaml:"patterns"`
	Short    []string `yaml:"short"`
	Not      []string `yaml:"not"`
}

type rulesFile struct {
	// Also names the languages whose intents count too.
	Also     []string                `yaml:"also"`
	Intents  map[Intent]ruleOfIntent `yaml:"intents"`
	Facts    map[string][]string     `yaml:"facts"`
	Roles    string                  `yaml:"roles"`
	NotNames string                  `yaml:"not_names"`
	Lexicons map[string]struct {
		Words    []string `yaml:"words"`
		Patterns []string `yaml:"patterns"`
	} `yaml:"lexicons"`
}

// Load reads <locale>.yaml, or the file of the locale's language, with the rules of the languages it names and the
// word lists of any.yaml. The error lists every pattern that cannot be used.
func Load(fsys fs.FS, locale string) (*Rules, error) {
	if fsys != shipped {
		return load(fsys, locale)
	}
	if r, is := ready.Load(locale); is {
		if rules, is := r.(*Rules); is {
			return rules, nil
		}
	}
	r, err := load(fsys, locale)
	if err == nil {
		ready.Store(locale, r)
	}
	return r, err
}

// ready are the shipped rules by locale: they are read-only, and to compile them takes a tenth of a second.
var ready sync.Map

func load(fsys fs.FS, locale string) (*Rules, error) {
	r, file, err := read(fsys, locale)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, other := range file.Also {
		more, _, err := read(fsys, other)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		r.also = append(r.also, more)
	}
	shared, _, err := read(fsys, common)
	switch {
	case err == nil:
		r.adopt(shared)
	case !errors.Is(err, fs.ErrNotExist):
		problems = append(problems, err)
	}
	return r, errors.Join(problems...)
}

func read(fsys fs.FS, locale string) (*Rules, *rulesFile, error) {
	text, err := fs.ReadFile(fsys, locale+".yaml")
	if lang, _, regional := strings.Cut(locale, "-"); regional && errors.Is(err, fs.ErrNotExist) {
		text, err = fs.ReadFile(fsys, lang+".yaml")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the rules for language %q: %w", locale, err)
	}
	var file rulesFile
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, nil, fmt.Errorf("rules %s.yaml: %w", locale, err)
	}
	acts, err := readActs(fsys, locale)
	if err != nil {
		return nil, nil, err
	}
	c := compiler{locale: locale, words: strings.NewReplacer("{W}", `[\pL\pN'’-]+`,
		"{ROLE}", "(?:"+strings.Join(strings.Fields(file.Roles), "|")+")")}
	r := c.rules(&file)
	r.locale = locale
	if r.acts, err = c.acts(acts); err != nil {
		return nil, nil, err
	}
	return r, &file, errors.Join(c.problems...)
}

// actsFile is acts/<language>.yaml; en.yaml explains it.
type actsFile struct {
	Distress []string             `yaml:"distress"`
	Not      []string             `yaml:"not"`
	Well     []string             `yaml:"well"`
	Nothing  []string             `yaml:"nothing"`
	Asks     []string             `yaml:"asks"`
	Says     []string             `yaml:"says"`
	Amends   []string             `yaml:"amends"`
	Cheerful []string             `yaml:"cheerful"`
	Sure     []string             `yaml:"sure"`
	Named    map[ActKind][]string `yaml:"named"`
	Travel   string               `yaml:"travel"`
}

// readActs reads acts/<locale>.yaml, or the file of the locale's language. A language without one has no acts but answers.
func readActs(fsys fs.FS, locale string) (*actsFile, error) {
	var file actsFile
	lang := prompts.Language(locale)
	for _, name := range []string{locale, lang} {
		text, err := fs.ReadFile(fsys, "acts/"+name+".yaml")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = yaml.UnmarshalWithOptions(text, &file, yaml.Strict())
		}
		if err != nil {
			return nil, fmt.Errorf("rules acts/%s.yaml: %w", name, err)
		}
		break
	}
	return &file, nil
}

// acts makes the rules of a file, with the model of the language where there is one.
func (c *compiler) acts(file *actsFile) (actRules, error) {
	out := actRules{
		distress: c.quick("distress", file.Distress), not: c.quick("not", file.Not), well: c.quick("well", file.Well), nothing: c.quick("nothing", file.Nothing), asks: c.quick("asks", file.Asks), says: c.quick("says", file.Says), amends: c.quick("amends", file.Amends),
		cheerful: c.quick("cheerful", file.Cheerful), sure: c.quick("sure", file.Sure),
		named: make(map[ActKind][]prefilter.Pattern), travel: strings.Fields(file.Travel),
	}
	for kind, patterns := range file.Named {
		if kind == namedEnd {
			out.ends = c.quick("named, end", patterns)
			continue
		}
		out.named[kind] = c.quick("named, "+string(kind), patterns)
	}
	if len(file.Distress) == 0 {
		return out, nil // it has no file
	}
	lang := prompts.Language(c.locale)
	var err error
	if out.danger, err = classify.LoadDistress(lang); err != nil {
		return out, err
	}
	out.model, err = classify.Load(lang)
	return out, err
}

// namedEnd is the key of what an end names.
const namedEnd ActKind = "end"

// adopt adds the word lists and costs of the shared file to the language's own.
func (r *Rules) adopt(shared *Rules) {
	for name, list := range shared.lexicons {
		own := r.lexicons[name]
		r.lexicons[name] = lexicon{
			phrases:  slices.Concat(own.phrases, list.phrases),
			patterns: slices.Concat(own.patterns, list.patterns),
		}
	}
}

// compiler turns a file into rules and collects what is wrong with it.
type compiler struct {
	locale   string
	words    *strings.Replacer
	problems []error
}

func (c *compiler) patterns(where string, patterns []string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, 0, len(patterns))
	for n, p := range patterns {
		re, err := regexp.Compile("(?i)" + c.words.Replace(p))
		if err != nil {
			c.problems = append(c.problems, fmt.Errorf("rules %s.yaml: %s, pattern %d: %w", c.locale, where, n+1, err))
			continue
		}
		out = append(out, re)
	}
	return out
}

// quick compiles patterns as patterns does, for those that are tried on every turn.
func (c *compiler) quick(where string, patterns []string) []prefilter.Pattern {
	out := make([]prefilter.Pattern, 0, len(patterns))
	for _, re := range c.patterns(where, patterns) {
		p, err := prefilter.New(re.String())
		if err != nil {
			p = prefilter.Pattern{Regexp: re}
		}
		out = append(out, p)
	}
	return out
}

func (c *compiler) intents(known []Intent, rules map[Intent]ruleOfIntent) map[Intent]intentRule {
	out := make(map[Intent]intentRule, len(rules))
	for name, rule := range rules {
		if !slices.Contains(known, name) {
			c.problems = append(c.problems, fmt.Errorf("rules %s.yaml: unknown intent %q", c.locale, name))
		}
		out[name] = intentRule{
			words: rule.Words, patterns: c.quick(string(name), rule.Patterns), short: rule.Short,
			not: c.quick(string(name)+", not", rule.Not),
		}
	}
	return out
}

func (c *compiler) rules(file *rulesFile) *Rules {
	r := &Rules{
		intents: c.intents(order, file.Intents), facts: make(map[string][]prefilter.Pattern),
		notNames: make(map[string]bool), lexicons: make(map[string]lexicon),
	}
	for name, patterns := range file.Facts {
		r.facts[name] = c.quick(name, patterns)
	}
	for name, list := range file.Lexicons {
		r.lexicons[name] = lexicon{phrases: prepare(list.Words), patterns: c.patterns(name, list.Patterns)}
	}
	for _, w := range strings.Fields(file.NotNames) {
		r.notNames[w] = true
	}
	return r
}
