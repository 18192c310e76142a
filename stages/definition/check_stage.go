package definition

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/datafile"
)

// ExpandPhases makes a sub-phase of each of the provider's.
const ExpandPhases = "phases"

// stages checks the tree as it is written, then the way through its leaves.
func (f *findings) stages() {
	if len(f.def.Stages) < 2 {
		f.Add("stages", "an interview needs at least one stage and a final one")
		return
	}
	seen := make(map[string]bool)
	expanded, leaf := "", 0
	f.def.walk(func(s *Stage, path string) {
		if seen[s.ID] {
			f.Add(path+".id", "stage id %q is used twice", s.ID)
		}
		seen[s.ID] = true
		if len(s.Stages) > 0 {
			f.group(s, path)
			return
		}
		leaf++
		f.last(&f.def.Stages[leaf-1], path, leaf == len(f.def.Stages))
		if s.Expand != "" && expanded != "" {
			f.Add(path+".expand", "stage %s is expanded already: there can be one", expanded)
		}
		if s.Expand != "" {
			expanded = s.ID
		}
		f.stage(&f.def.Stages[leaf-1], path)
	})
	f.reach()
}

// walk calls do with every stage and group in the order in which they are written, and with its path in the file.
func (d *Definition) walk(do func(s *Stage, path string)) { walk(d.Tree, "", do) }

func walk(tree []Stage, at string, do func(s *Stage, path string)) {
	for i := range tree {
		path := strings.TrimPrefix(fmt.Sprintf("%s.stages[%d]", at, i), ".")
		do(&tree[i], path)
		walk(tree[i].Stages, path, do)
	}
}

// Path returns where a stage or group stands in the file, such as stages[2].stages[0].
func (d *Definition) Path(id string) string {
	found := "stages"
	d.walk(func(s *Stage, path string) {
		if s.ID == id {
			found = path
		}
	})
	return found
}

// group checks that a group holds only what a group can.
func (f *findings) group(s *Stage, path string) {
	rest := *s
	rest.ID, rest.Title, rest.Titles, rest.Named, rest.Goal, rest.Stages, rest.Limits.Hard, rest.groups = "", "", nil, nil, "", nil, 0, nil
	if !reflect.ValueOf(rest).IsZero() {
		f.Add(path, "%s holds stages, so it is a group: it has only id, title, titles, goal, limits.hard and stages; put the rest into its stages", s.ID)
	}
}

func (f *findings) last(s *Stage, path string, last bool) {
	switch {
	case s.Final && !last:
		f.Add(path+".final", "stage %s is final, so the stages after it can never be reached", s.ID)
	case !s.Final && last:
		f.Add(path, "the last stage, %s, must be final: true, or the interview has no end", s.ID)
	case s.Final && len(s.groups) > 0:
		f.Add(path+".final", "the final stage %s cannot lie in a group", s.ID)
	}
}

func (f *findings) stage(s *Stage, path string) {
	if s.Prompts.Open == "" {
		f.Add(path+".prompts.open", "stage %s has no words to open with", s.ID)
	}
	if s.Responder == ByReport {
		f.telling(s, path)
	}
	if s.Final {
		return
	}
	f.slots(s, path)
	f.limits(s, path)
	f.ladder(s, path)
	f.criteria(s, path)
	f.expand(s, path)
	f.gate(s, path)
	f.skip(s, path)
	f.edges(s, path)
	if s.Responder == ByExperts && s.Fallback == "" {
		f.Add(path+".fallback", "name the prompt that stands in for the expert of stage %s when it cannot answer", s.ID)
	}
	f.reference(path+".reference", s.Reference)
	if s.Responder == ByReport {
		return // it ends when the report was told
	}
	if s.Done.Zero() {
		f.Add(path+".done", "stage %s has no guard that ends it, such as {turns: 3}", s.ID)
		return
	}
	f.guard(s, s.Done, path+".done")
}

func (f *findings) slots(s *Stage, path string) {
	for i, slot := range s.Slots {
		if slot.Required && slot.Ask == "" && !slot.Opening {
			f.Add(fmt.Sprintf("%s.slots[%d]", path, i), "slot %q is required, but nothing asks for it: add ask", slot.ID)
		}
	}
	f.Distinct(path+".slots", ".id", "slot", datafile.Names(s.Slots, func(slot *Slot) string { return slot.ID }))
}

func (f *findings) limits(s *Stage, path string) {
	l := s.Limits
	if l.Hard > 0 && l.Hard.Std() < 10*time.Second {
		f.Add(path+".limits.hard", "%s is too short for anybody to say anything: at least 10s", l.Hard.Std())
	}
	if l.Hard > 0 && l.Soft >= l.Hard {
		f.Add(path+".limits.soft", "the soft limit must come before the hard one, %s", l.Hard.Std())
	}
}

func (f *findings) ladder(s *Stage, path string) {
	var before Duration
	advances := false
	for i, r := range s.NoInput {
		if r.After <= before {
			f.Add(fmt.Sprintf("%s.no_input[%d].after", path, i), "the rungs must rise: %s is not after %s", r.After.Std(), before.Std())
		}
		before = r.After
		advances = advances || r.Do == DoAdvance
	}
	if s.Limits.Hard == 0 && !advances && !f.def.capped(s) && s.Responder != ByReport {
		f.Add(path, "no timer can leave stage %s: give it limits.hard or a no_input rung that does advance", s.ID)
	}
}

// capped reports whether a group's time bounds the stage.
func (d *Definition) capped(s *Stage) bool {
	return slices.ContainsFunc(d.Groups(), func(g *Stage) bool { return g.Limits.Hard > 0 && slices.Contains(s.groups, g.ID) })
}
