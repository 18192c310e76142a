package problem

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
)

//go:embed algorithm/*.yaml evaluation/*.yaml
var files embed.FS

// Shipped returns the sets that come with Viva, as <set>/<id>.yaml.
func Shipped() fs.FS { return files }

// Set is the problems of one folder; it is read-only and may be shared.
type Set struct {
	name     string
	problems map[string]*Problem
	gates    map[string]func() []*tell // by id: what nobody may say of the problem
}

// Load reads <name>/*.yaml of the file systems, later ones replacing earlier ones of the same id. The error joins what is
// wrong with all files, and is there too when the set is empty.
func Load(name string, from ...fs.FS) (*Set, error) {
	s := newSet(name)
	var wrong []error
	for _, fsys := range from {
		one, err := read(name, fsys)
		wrong = append(wrong, err)
		maps.Copy(s.problems, one.problems)
		maps.Copy(s.gates, one.gates)
	}
	err := errors.Join(wrong...)
	if err == nil && len(s.problems) == 0 {
		err = fmt.Errorf("the problem set %q is empty: put files into problems/%s/", name, name)
	}
	return s, err
}

func newSet(name string) *Set {
	return &Set{name: name, problems: make(map[string]*Problem), gates: make(map[string]func() []*tell)}
}

// ready are the shipped sets by name. They are read-only, and every interview in every language would check them anew.
var ready sync.Map

// read reads the files of one file system.
func read(name string, fsys fs.FS) (*Set, error) {
	if kept, is := ready.Load(name); is && fsys == Shipped() {
		if s, is := kept.(*Set); is {
			return s, nil
		}
	}
	s := newSet(name)
	err := datafile.Each(path.Join(name, "*.yaml"), []fs.FS{fsys}, func(file string, text []byte) error {
		p, err := Parse(file, text)
		if err == nil {
			s.problems[p.ID], s.gates[p.ID] = p, sync.OnceValue(p.gate)
		}
		return err
	})
	if err == nil && fsys == Shipped() && len(s.problems) > 0 {
		ready.Store(name, s)
	}
	return s, err
}

// IDs lists the problems in order.
func (s *Set) IDs() []string { return slices.Sorted(maps.Keys(s.problems)) }

// All returns the problems in order of their ids.
func (s *Set) All() []*Problem {
	out := make([]*Problem, 0, len(s.problems))
	for _, id := range s.IDs() {
		out = append(out, s.problems[id])
	}
	return out
}

// Find returns the problem with this id.
func (s *Set) Find(id string) (*Problem, bool) {
	p, there := s.problems[id]
	return p, there
}

// Pick returns the problem with this id, or, when id is empty, one of the given difficulties by seed; no difficulties
// means all. The same seed picks the same problem. The error says what there is.
func (s *Set) Pick(id string, levels []string, seed uint64) (*Problem, error) {
	if id != "" {
		if p, there := s.problems[id]; there {
			return p, nil
		}
		return nil, fmt.Errorf("there is no problem %.64q in set %s: there are %s", id, s.name, strings.Join(s.IDs(), ", "))
	}
	var fit []*Problem
	for _, id := range s.IDs() {
		if p := s.problems[id]; len(levels) == 0 || slices.Contains(levels, p.Difficulty) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return nil, fmt.Errorf("no problem of set %s is %s", s.name, strings.Join(levels, " or "))
	}
	return fit[seed%uint64(len(fit))], nil
}

// Easier returns a problem that is easier than p, by seed, or p when there is none: what somebody is offered who finds p
// too hard (R003-67).
func (s *Set) Easier(p *Problem, seed uint64) *Problem {
	below := map[string][]string{"medium": {"easy"}, "hard": {"easy", "medium"}}[p.Difficulty]
	if len(below) == 0 {
		return p
	}
	if q, err := s.Pick("", below, seed); err == nil {
		return q
	}
	return p
}
