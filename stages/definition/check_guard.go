package definition

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
)

// keys lists the keys of a guard that are set.
func (g *Guard) keys() []string {
	var set []string
	v := reflect.ValueOf(*g)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			set = append(set, yamlKey(v.Type().Field(i)))
		}
	}
	return set
}

func (f *findings) guard(s *Stage, g Guard, path string) {
	if set := g.keys(); len(set) != 1 {
		f.Add(path, "a guard says exactly one thing, not %d (%s)", len(set), strings.Join(set, ", "))
	}
	f.leaf(s, &g, path)
	f.known(s, &g, path)
	for i, sub := range g.All {
		f.guard(s, sub, fmt.Sprintf("%s.all[%d]", path, i))
	}
	for i, sub := range g.Any {
		f.guard(s, sub, fmt.Sprintf("%s.any[%d]", path, i))
	}
	if g.Not != nil {
		f.guard(s, *g.Not, path+".not")
	}
}

// leaf checks what a guard says about the talk.
func (f *findings) leaf(s *Stage, g *Guard, path string) {
	if g.Slots != "" && len(s.Slots) == 0 {
		f.Add(path+".slots", "stage %s has no slots", s.ID)
	}
	if g.Slot != "" {
		f.slot(path+".slot", s, g.Slot)
	}
}

// slot notes that a stage has no slot with this id.
func (f *findings) slot(path string, s *Stage, id string) {
	if s.Slot(id) == nil {
		ids := datafile.Names(s.Slots, func(slot *Slot) string { return slot.ID })
		f.Add(path, "stage %s has no slot %q%s", s.ID, id, datafile.Meant(id, ids))
	}
}

// known checks what a guard says about judgements and the blackboard.
func (f *findings) known(s *Stage, g *Guard, path string) {
	if g.Coverage > 0 && len(s.Criteria) == 0 && s.Expand == "" {
		f.Add(path+".coverage", "stage %s has no criteria to cover", s.ID)
	}
	if g.Decision != "" && s.Gate == nil {
		f.Add(path+".decision", "stage %s has no gate that decides", s.ID)
	}
	fields := slices.Sorted(maps.Keys(f.def.Fields))
	lists := slices.Concat(Lexicons, slices.Sorted(maps.Keys(f.def.Input.Lexicons)))
	for _, x := range []struct {
		key, what, got string
		known          []string
	}{{"field", "field", g.Field, fields}, {"queue_empty", "field", g.QueueEmpty, fields}, {"mentions", "word list", g.Mentions, lists}} {
		if x.got != "" {
			f.OneOf(path+"."+x.key, x.what, x.got, x.known)
		}
	}
	if g.Skipped && s.Skip.Rule != SkipAllowed && s.Skip.Rule != SkipForward {
		f.Add(path+".skipped", "stage %s cannot be skipped", s.ID)
	}
}
