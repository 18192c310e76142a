package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// keys lists the keys of a guard that are set.
func (g *Guard) keys() []string {
	var set []string
	for _, k := range []struct {
		name string
		is   bool
	}{
		{"all", g.All != nil}, {"any", g.Any != nil}, {"not", g.Not != nil}, {"slots", g.Slots != ""}, {"slot", g.Slot != ""},
		{"intent", g.Intent != ""}, {"turns", g.Turns != 0}, {"followups", g.FollowUps != 0}, {"elapsed", g.Elapsed != 0},
		{"coverage", g.Coverage != 0}, {"field", g.Field != ""}, {"mentions", g.Mentions != ""}, {"queue_empty", g.QueueEmpty != ""},
		{"flag", g.Flag != ""}, {"decision", g.Decision != ""}, {"skipped", g.Skipped},
	} {
		if k.is {
			set = append(set, k.name)
		}
	}
	return set
}

func (f *findings) guard(d *Definition, s *Stage, g Guard, path string) {
	if set := g.keys(); len(set) != 1 {
		f.add(path, "a guard says exactly one thing, not %d (%s)", len(set), strings.Join(set, ", "))
	}
	f.leaf(s, &g, path)
	f.known(d, s, &g, path)
	for i, sub := range g.All {
		f.guard(d, s, sub, fmt.Sprintf("%s.all[%d]", path, i))
	}
	for i, sub := range g.Any {
		f.guard(d, s, sub, fmt.Sprintf("%s.any[%d]", path, i))
	}
	if g.Not != nil {
		f.guard(d, s, *g.Not, path+".not")
	}
}

// leaf checks what a guard says about the talk.
func (f *findings) leaf(s *Stage, g *Guard, path string) {
	if g.Slots != "" && g.Slots != "required" && g.Slots != "all" {
		f.add(path+".slots", "%q is neither required nor all", g.Slots)
	}
	if g.Slots != "" && len(s.Slots) == 0 {
		f.add(path+".slots", "stage %s has no slots", s.ID)
	}
	if g.Slot != "" && s.Slot(g.Slot) == nil {
		ids := make([]string, len(s.Slots))
		for i := range s.Slots {
			ids[i] = s.Slots[i].ID
		}
		f.add(path+".slot", "stage %s has no slot %q%s", s.ID, g.Slot, Meant(g.Slot, ids))
	}
	if g.Intent != "" && !slices.Contains(Intents, g.Intent) {
		f.add(path+".intent", "unknown intent %q: there are %s%s", g.Intent, strings.Join(Intents, ", "), Meant(g.Intent, Intents))
	}
	if g.Turns < 0 || g.FollowUps < 0 || g.Elapsed < 0 {
		f.add(path, "a guard's number cannot be negative")
	}
}

// known checks what a guard says about judgements and the blackboard.
func (f *findings) known(d *Definition, s *Stage, g *Guard, path string) {
	if g.Coverage < 0 || g.Coverage > 1 {
		f.add(path+".coverage", "%v is no share between 0 and 1", g.Coverage)
	}
	if g.Coverage > 0 && len(s.Criteria) == 0 && s.Expand == "" {
		f.add(path+".coverage", "stage %s has no criteria to cover", s.ID)
	}
	if g.Decision != "" && f.oneOf(path+".decision", "decision", g.Decision, decisions) && s.Gate == nil {
		f.add(path+".decision", "stage %s has no gate that decides", s.ID)
	}
	fields := slices.Sorted(maps.Keys(d.Fields))
	f.optional(path+".field", "field", g.Field, fields)
	f.optional(path+".queue_empty", "field", g.QueueEmpty, fields)
	f.optional(path+".mentions", "word list", g.Mentions, slices.Concat(Lexicons, slices.Sorted(maps.Keys(d.Input.Lexicons))))
	if g.Flag != "" && !namePattern.MatchString(g.Flag) {
		f.add(path+".flag", "flag %q must be a lower-case name", g.Flag)
	}
	if g.Skipped && s.Skip.Rule != SkipAllowed && s.Skip.Rule != SkipForward {
		f.add(path+".skipped", "stage %s cannot be skipped", s.ID)
	}
}
