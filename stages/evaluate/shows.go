package evaluate

import (
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// levelRule is a level with what words must show for it, each kind as often as it stands there, and what they must not.
type levelRule struct {
	Level int      `yaml:"level"`
	Shows []string `yaml:"shows"`
	Lacks []string `yaml:"lacks"`
}

// top is the highest level that rules can give.
func (c *RubricCriterion) top() int {
	top := 0
	for _, r := range c.Rules {
		top = max(top, r.Level)
	}
	return top
}

// kind is what words can show, such as an own act: a match of is that holds none of not.
type kind struct{ is, not []prefilter.Pattern }

// evidence reads what words show, in all languages: candidates mix them.
func evidence() map[string]*kind {
	out := make(map[string]*kind)
	type file struct {
		Say   map[string]string   `yaml:"say"`
		Shows map[string][]string `yaml:"shows"`
	}
	files := datafile.Shipped[file](files, "evidence/*.yaml")
	for _, language := range slices.Sorted(maps.Keys(files)) {
		f := files[language]
		var say []string
		for name, pattern := range f.Say {
			say = append(say, "{"+name+"}", pattern)
		}
		fill := strings.NewReplacer(say...)
		for name, patterns := range f.Shows {
			for i := range patterns {
				patterns[i] = fill.Replace(fill.Replace(patterns[i])) // what stands for a pattern may hold another
			}
			of, not := strings.CutPrefix(name, "not-")
			if out[of] == nil {
				out[of] = &kind{}
			}
			if compiled := compile(map[string][]string{language: patterns}); not {
				out[of].not = append(out[of].not, compiled...)
			} else {
				out[of].is = append(out[of].is, compiled...)
			}
		}
	}
	return out
}

// hit is where a turn shows something.
type hit struct {
	turn     int
	from, to int // bytes
}

// found returns where the candidate's words show a kind of evidence, in order; those that overlap count once.
func (s *sheet) found(name string) []hit {
	if known, done := s.hits[name]; done {
		return known
	}
	var out []hit
	of := shipped().evidence[name]
	for i, t := range s.turns {
		if t.Role != RoleUser {
			continue
		}
		told := s.told[i]
		folded := prefilter.Fold(told)
		var here []hit
		for _, p := range of.is {
			if !p.May(folded) {
				continue
			}
			for _, at := range p.FindAllStringIndex(told, -1) {
				if !instructs(of.not, told[at[0]:at[1]]) {
					here = append(here, hit{i, at[0], at[1]})
				}
			}
		}
		slices.SortFunc(here, func(a, b hit) int { return a.from - b.from })
		last := 0
		for _, h := range here {
			if h.from >= last {
				out, last = append(out, h), h.to
			}
		}
	}
	s.hits[name] = out
	return out
}

// shown reports whether a rule holds, with the words that show what it names last.
func (s *sheet) shown(r levelRule) (quote Quote, holds bool) {
	need := make(map[string]int, len(r.Shows))
	for _, name := range r.Shows {
		need[name]++
		hits := s.found(name)
		if len(hits) < need[name] {
			return Quote{}, false
		}
		h := hits[need[name]-1]
		quote = around(s.turns[h.turn], h.from, h.to)
	}
	return quote, !slices.ContainsFunc(r.Lacks, func(name string) bool { return len(s.found(name)) > 0 })
}
