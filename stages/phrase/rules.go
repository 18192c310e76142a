package phrase

import (
	"embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/stages/understand/prefilter"
)

//go:embed words
var shipped embed.FS

// Rules are those of one language.
type Rules struct {
	wide                                    bool // a script without blanks
	shortest, longest, ideal, least         int  // words of a piece, and of an answer that has one
	lists                                   []list
	functions, subjects, restarts, holds    map[string]bool
	counts                                  map[string]int
	top                                     float64
	confided, secret, scorn, leaves, spares []prefilter.Pattern
	corrects, remember, practise            []prefilter.Pattern
	itself, parting                         []prefilter.Pattern
	figure                                  string
}

// file is words/LOCALE.yaml.
type file struct {
	Wide     bool `yaml:"wide"`
	Shortest int  `yaml:"shortest"`
	Longest  int  `yaml:"longest"`
	Ideal    int  `yaml:"ideal"`
	Least    int  `yaml:"least"`

	Fillers      []string `yaml:"fillers"`
	Doubts       []string `yaml:"doubts"`
	Rude         []string `yaml:"rude"`
	Shunned      []string `yaml:"shunned"`
	Joints       []string `yaml:"joints"`
	Tight        []string `yaml:"tight"`
	Relatives    []string `yaml:"relatives"`
	Couples      []string `yaml:"couples"`
	Complements  []string `yaml:"complements"`
	Prepositions []string `yaml:"prepositions"`
	Firsts       []string `yaml:"firsts"`
	Functions    []string `yaml:"functions"`
	Openers      []string `yaml:"openers"`
	Followers    []string `yaml:"followers"`
	Copulas      []string `yaml:"copulas"`
	NeverFirst   []string `yaml:"never_first"`
	NeverLast    []string `yaml:"never_last"`
	Numbers      []string `yaml:"numbers"`
	Subjects     []string `yaml:"subjects"`
	Restarts     []string `yaml:"restarts"`
	Holds        []string `yaml:"holds"`

	Confided []string `yaml:"confided"`
	Spares   []string `yaml:"spares"`
	Corrects []string `yaml:"corrects"` // how somebody takes back what they just said
	Secret   []string `yaml:"secret"`
	Scorn    []string `yaml:"scorn"` // how somebody mocks the talk
	Leaves   []string `yaml:"leaves"`
	Figure   string   `yaml:"figure"` // what a figure is called
	Remember []string `yaml:"remember"`
	Practise []string `yaml:"practise"`
	Itself   []string `yaml:"itself"`  // questions about the interviewer itself
	Parting  []string `yaml:"parting"` // words of parting that do not say that this is the end
}

// locales are the languages that there are rules for.
var locales = []string{"en", "zh", "vi"}

var loaded = sync.OnceValue(func() map[string]*Rules {
	out := make(map[string]*Rules, len(locales))
	for _, l := range locales {
		if r, err := load(l); err == nil { // a test reads all of them; without rules nothing is taken up
			out[l] = r
		}
	}
	return out
})

// For returns the rules of a locale's language, or nil, which picks nothing.
func For(locale string) *Rules {
	short, _, _ := strings.Cut(locale, "-")
	return loaded()[strings.ToLower(short)]
}

func load(locale string) (*Rules, error) {
	text, err := shipped.ReadFile("words/" + locale + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the words of %s: %w", locale, err)
	}
	var f file
	if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("words/%s.yaml: %w", locale, err)
	}
	r := &Rules{wide: f.Wide, shortest: f.Shortest, longest: f.Longest, ideal: f.Ideal, least: f.Least}
	r.figure = f.Figure
	r.functions, r.subjects, r.restarts, r.holds = set(f.Functions), set(f.Subjects), set(f.Restarts), set(f.Holds)
	for _, l := range []struct {
		mark  mark
		words []string
	}{
		{banned, slices.Concat(f.Fillers, f.Doubts)}, {shunned, slices.Concat(f.Rude, f.Shunned)}, {joint, f.Joints}, {joint | tight, f.Tight}, {joint | relative, f.Relatives},
		{joint | couple, f.Couples}, {joint | complement, f.Complements}, {first, f.Firsts}, {preposition, f.Prepositions}, {function, f.Functions}, {opener, f.Openers},
		{follower, f.Followers}, {copula, f.Copulas}, {neverFirst, f.NeverFirst}, {neverLast, f.NeverLast}, {numeral, f.Numbers},
	} {
		r.lists = append(r.lists, r.listOf(l.mark, l.words))
	}
	for to, patterns := range map[*[]prefilter.Pattern][]string{&r.confided: f.Confided, &r.secret: f.Secret, &r.scorn: f.Scorn, &r.leaves: f.Leaves, &r.spares: f.Spares, &r.corrects: f.Corrects,
		&r.remember: f.Remember, &r.practise: f.Practise, &r.itself: f.Itself, &r.parting: f.Parting} {
		for _, p := range patterns {
			re, err := prefilter.New("(?i)" + p)
			if err != nil {
				return nil, fmt.Errorf("words/%s.yaml: pattern %q: %w", locale, p, err)
			}
			*to = append(*to, re)
		}
	}
	return r, r.readCounts(locale)
}

// listOf sorts the words of a list by the first of each.
func (r *Rules) listOf(m mark, lines []string) list {
	l := list{m, make(map[string][][]string)}
	for _, line := range lines {
		for _, entry := range strings.Split(line, ",") {
			var words []string
			for _, t := range r.cut(strings.TrimSpace(entry)) {
				words = append(words, t.word)
			}
			if len(words) > 0 {
				l.of[words[0]] = append(l.of[words[0]], words)
			}
		}
	}
	return l
}

func set(lines []string) map[string]bool {
	out := make(map[string]bool)
	for _, line := range lines {
		for _, w := range strings.Split(line, ",") {
			out[strings.TrimSpace(w)] = true
		}
	}
	return out
}

// readCounts reads how often words stand in ordinary talk: lines of a count and the words that have it.
func (r *Rules) readCounts(locale string) error {
	text, err := shipped.ReadFile("words/" + locale + ".txt")
	if err != nil {
		return fmt.Errorf("read the counts of %s: %w", locale, err)
	}
	r.counts = make(map[string]int)
	most := 1
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		count, err := strconv.Atoi(words[0])
		if err != nil {
			return fmt.Errorf("words/%s.txt, line %d: a count is expected: %w", locale, n+1, err)
		}
		for _, w := range words[1:] {
			r.counts[w] = count
		}
		most = max(most, count)
	}
	r.top = math.Log(1 + float64(min(most, commonest)))
	return nil
}

// commonest is the count from which on a word is as common as any.
const commonest = 150

func (r *Rules) rarityOf(count int) float64 {
	return max(0, 1-math.Log(1+float64(count))/r.top)
}

// Confided reports whether something is told in confidence or with feeling: a child that is coming, a death, being hurt.
func (r *Rules) Confided(text string) bool { return r != nil && r.found(r.confided, text) }

// Scorns reports whether somebody mocks the talk or will have no part in it, in whatever language.
func Scorns(text string) bool {
	return slices.ContainsFunc([]string{"en", "vi", "zh"}, func(locale string) bool { return For(locale).found(For(locale).scorn, text) })
}

// Secret reports whether something is told that is not to go on.
func (r *Rules) Secret(text string) bool { return r != nil && r.found(r.secret, text) }

// Figure is what a figure is called that an answer lacks.
func (r *Rules) Figure() string {
	if r == nil {
		return ""
	}
	return r.figure
}

// Figures reports whether a text names a figure.
func (r *Rules) Figures(text string) bool {
	return r != nil && slices.ContainsFunc(r.tokens(text), func(t token) bool { return t.is(numeral) })
}

// AsksMemory reports whether somebody asks what will be remembered of the talk.
func (r *Rules) AsksMemory(text string) bool { return r != nil && r.found(r.remember, text) }

// AsksPractice reports whether somebody asks what they should work on.
func (r *Rules) AsksPractice(text string) bool { return r != nil && r.found(r.practise, text) }

// AsksItself reports whether somebody asks the interviewer about itself.
func (r *Rules) AsksItself(text string) bool { return r != nil && r.found(r.itself, text) }

// Parts reports whether somebody takes their leave without saying that this is the end.
func (r *Rules) Parts(text string) bool { return r != nil && r.found(r.parting, text) }

// found looks for a pattern where none of the exceptions stands.
func (r *Rules) found(patterns []prefilter.Pattern, text string) bool {
	text = strings.ReplaceAll(text, "’", "'")
	folded := prefilter.Fold(text)
	for i := range r.spares {
		if r.spares[i].May(folded) {
			text = r.spares[i].ReplaceAllString(text, " ")
			folded = prefilter.Fold(text)
		}
	}
	return slices.ContainsFunc(patterns, func(p prefilter.Pattern) bool { return p.May(folded) && p.MatchString(text) })
}

// pauses are hesitations within a wish.
var pauses = regexp.MustCompile(`(?i),?\s+(um+|uh+|er+m*|hm+|well|like|ờ|à|ừm)\b,?\s*`)

// Leaves returns what somebody asks not to be asked about, in their words, and whether they do; it is empty for what was
// spoken of last ("don't ask me about that").
func (r *Rules) Leaves(text string) (topic string, asks bool) {
	if r == nil {
		return "", false
	}
	text = pauses.ReplaceAllString(strings.ReplaceAll(text, "’", "'"), " ")
	for _, re := range r.leaves {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		topic := ""
		if at := re.SubexpIndex("v"); at >= 0 {
			topic = strings.TrimSpace(m[at])
		}
		for _, t := range r.tokens(topic) {
			if !t.is(function) {
				return topic, true
			}
		}
		return "", true
	}
	return "", false
}
