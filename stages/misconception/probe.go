package misconception

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/problem"
)

// Probe is a choice that people make in a subject, and the question that shows whether it was thought through. It fits whatever the
// words of the choice can mean.
type Probe struct {
	ID    string              `yaml:"id"`
	Plain map[string][]string `yaml:"plain"` // ways to name it, by language, as in Misconception
	Told  []string            `yaml:"told"`  // words, of any language, of who has answered the question already
	Ask   map[string]string   `yaml:"ask"`
}

// side is what every choice in a subject has to be looked at from.
type side struct {
	Name map[string]string `yaml:"name"`
	Told []string          `yaml:"told"` // words, of any language, of who has spoken of it
}

// Open is the first side of the subject of which nothing was said, or "".
func (s *Subject) Open(told, locale string) string {
	if s == nil {
		return ""
	}
	told = strings.ToLower(told)
	for _, side := range s.sides {
		if name := side.Name[prompts.Language(locale)]; name != "" && !holdsAny(told, side.Told) {
			return name
		}
	}
	return ""
}

func holdsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// Probes returns the choices that a text makes and that call for a question, in the order in which it makes them: those that are
// denied are not made, and told is all that was said so far.
func (s *Subject) Probes(text, told, locale string) []Heard {
	if s == nil {
		return nil
	}
	told = strings.ToLower(told)
	var out []Heard
	for _, made := range s.choices.Hear(text, locale) {
		p := &s.probes[slices.IndexFunc(s.probes, func(p Probe) bool { return p.ID == made.ID })]
		if ask := p.Ask[prompts.Language(locale)]; ask != "" && !holdsAny(told, p.Told) {
			out = append(out, Heard{ID: p.ID, Quote: made.Quote, Ask: ask})
		}
	}
	return out
}

func listen(probes []Probe) *problem.Listener {
	var statements []problem.Statement
	for i := range probes {
		statements = append(statements, problem.Statement{ID: probes[i].ID, Plain: probes[i].Plain, Named: true})
	}
	return problem.Listen(statements)
}

//go:embed probes/*.yaml
var probeFiles embed.FS

// choices is a file of them.
type choices struct {
	Probes []Probe `yaml:"probes"`
	Sides  []side  `yaml:"sides"`
}

var readProbes = sync.OnceValues(func() (map[string]choices, error) {
	out := make(map[string]choices)
	names, err := fs.Glob(probeFiles, "probes/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list what to ask about: %w", err)
	}
	for _, name := range names {
		text, err := probeFiles.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what to ask about: %w", err)
		}
		var content choices
		f := datafile.Open(name, text)
		if f.Decode(&content) {
			seen := make(map[string]bool)
			for i := range content.Probes {
				p, at := &content.Probes[i], fmt.Sprintf("probes[%d]", i)
				if p.ID == "" || seen[p.ID] {
					f.Add(at+".id", "a probe needs an id of its own, not %q", p.ID)
				}
				seen[p.ID] = true
				for language := range p.Plain {
					if p.Ask[language] == "" {
						f.Add(at, "%s is recognised in %s, but ask has no words in it", p.ID, language)
					}
				}
			}
		}
		if err := f.Err(); err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(path.Base(name), ".yaml")] = content
	}
	return out, nil
})
