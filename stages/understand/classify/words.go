package classify

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed words/*.yaml
var wordFiles embed.FS

// language is how a language's words are counted: see words/en.yaml.
type language struct {
	idle, bound   map[string]bool
	leads, joints phrases
	as            map[string][]string
	clitics       map[string]string
	kinds         map[string]uint32    // what a word is for, where that is known
	concepts      map[string][]concept // by the first word of their names
}

// phrases are words in a row, by the first of them.
type phrases map[string][][]string

// at returns how many words the longest phrase has that the tokens begin with; 0 = none.
func (p phrases) at(tokens []token) int {
	longest := 0
	for _, words := range p[tokens[0].word] {
		if len(words) > longest && begins(tokens, words) {
			longest = len(words)
		}
	}
	return longest
}

// concept is a meaning that several words have.
type concept struct {
	id   uint32
	name []string // one of its names, in words
}

func readLanguage(name string) (*language, error) {
	text, err := wordFiles.ReadFile("words/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the words of language %q: %w", name, err)
	}
	var file struct {
		Idle     string            `yaml:"idle"`
		Joints   string            `yaml:"joints"`
		Bound    string            `yaml:"bound"`
		Leads    string            `yaml:"leads"`
		As       map[string]string `yaml:"as"`
		Clitics  map[string]string `yaml:"clitics"`
		Concepts map[string]string `yaml:"concepts"`
		Kinds    map[string]string `yaml:"kinds"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("words of language %q: %w", name, err)
	}
	l := &language{idle: set(file.Idle), bound: set(file.Bound), clitics: file.Clitics, as: make(map[string][]string), concepts: make(map[string][]concept)}
	for _, words := range slices.Sorted(maps.Keys(file.As)) {
		as := file.As[words]
		for w := range strings.FieldsSeq(words) {
			l.as[w] = strings.Fields(as)
		}
	}
	l.kinds = make(map[string]uint32)
	for _, kind := range slices.Sorted(maps.Keys(file.Kinds)) {
		words := file.Kinds[kind]
		for w := range strings.FieldsSeq(words) {
			l.kinds[w] = hash(sortKinds, kind)
		}
	}
	l.leads, l.joints = l.phrases(file.Leads), l.phrases(file.Joints)
	for _, id := range slices.Sorted(maps.Keys(file.Concepts)) {
		names := file.Concepts[id]
		for name := range strings.FieldsSeq(names) {
			c := concept{hash(sortConcept, id), l.split(name)}
			if len(c.name) > 0 {
				l.concepts[c.name[0]] = append(l.concepts[c.name[0]], c)
			}
		}
	}
	return l, nil
}

func (l *language) phrases(list string) phrases {
	out := make(phrases)
	for name := range strings.FieldsSeq(list) {
		if words := l.split(name); len(words) > 0 {
			out[words[0]] = append(out[words[0]], words)
		}
	}
	return out
}

// split cuts a name of several words, with dashes between them.
func (l *language) split(name string) []string {
	tokens, _ := l.tokenize(nil, strings.ReplaceAll(name, "-", " "))
	var out []string
	for _, t := range tokens {
		out = append(out, t.word)
	}
	return out
}

// leading returns where a clause begins without the words that only lead in to it.
func (l *language) leading(s *sequence, from, to int) int {
	for from < to {
		n := l.leads.at(s.tokens[from:])
		if n == 0 || from+n >= to {
			break
		}
		from += n
	}
	return from
}

// leadsOnly reports whether there is nothing but words that lead in to a clause.
func (l *language) leadsOnly(s *sequence, from, to int) bool {
	from = l.leading(s, from, to)
	return l.leads.at(s.tokens[from:]) == to-from
}

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// kind tells what a word is for: its place in a sentence tells a question from a story, whatever it is about.
func (l *language) kind(word string) uint32 {
	if k, there := l.kinds[word]; there {
		return k
	}
	if strings.HasSuffix(word, "ed") && len(word) > 4 {
		return l.kinds["was"]
	}
	return 0
}

// begins reports whether the tokens begin with the words.
func begins(tokens []token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].word != w {
			return false
		}
	}
	return true
}
