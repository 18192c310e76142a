package definition

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// The words that a stage chooses from.
var (
	responders = []string{Conversational, ByExperts, Scripted, ByReport}
	manners    = []string{"patient", "brisk", "manual"}
	answers    = []string{"story", "yes_no", "short"}
	moves      = []string{DoReprompt, DoSimplify, DoAdvance}
)

// ExpandPhases makes a sub-phase of each of the provider's.
const ExpandPhases = "phases"

// stages checks the tree as it is written, then the way through its leaves.
func (f *findings) stages(d *Definition) {
	if len(d.Stages) < 2 {
		f.add("stages", "an interview needs at least one stage and a final one")
		return
	}
	seen := make(map[string]bool)
	expanded, leaf := "", 0
	d.walk(func(s *Stage, path string) {
		if !stagePattern.MatchString(s.ID) {
			f.add(path+".id", "stage id %q must be a name such as SELF_INTRO", s.ID)
		}
		if seen[s.ID] {
			f.add(path+".id", "stage id %q is used twice", s.ID)
		}
		seen[s.ID] = true
		if len(s.Stages) > 0 {
			f.group(s, path)
			return
		}
		leaf++
		f.last(&d.Stages[leaf-1], path, leaf == len(d.Stages))
		if s.Expand != "" && expanded != "" {
			f.add(path+".expand", "stage %s is expanded already: there can be one", expanded)
		}
		if s.Expand != "" {
			expanded = s.ID
		}
		f.stage(d, &d.Stages[leaf-1], path)
	})
	f.reach(d)
}

// walk calls do with every stage and group in the order in which they are written, and with its path in the file.
func (d *Definition) walk(do func(s *Stage, path string)) { walk(d.Tree, "", do) }

func walk(tree []Stage, at string, do func(s *Stage, path string)) {
	for i := range tree {
		path := join(at, fmt.Sprintf("stages[%d]", i))
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
	if s.Limits.Hard < 0 {
		f.add(path+".limits.hard", "a limit cannot be negative")
	}
	rest := *s
	rest.ID, rest.Title, rest.Titles, rest.Named, rest.Goal, rest.Stages, rest.Limits.Hard, rest.groups = "", "", nil, nil, "", nil, 0, nil
	if !reflect.ValueOf(rest).IsZero() {
		f.add(path, "%s holds stages, so it is a group: it has only id, title, titles, goal, limits.hard and stages; put the rest into its stages", s.ID)
	}
}

func (f *findings) last(s *Stage, path string, last bool) {
	switch {
	case s.Final && !last:
		f.add(path+".final", "stage %s is final, so the stages after it can never be reached", s.ID)
	case !s.Final && last:
		f.add(path, "the last stage, %s, must be final: true, or the interview has no end", s.ID)
	case s.Final && len(s.groups) > 0:
		f.add(path+".final", "the final stage %s cannot lie in a group", s.ID)
	}
}

func (f *findings) stage(d *Definition, s *Stage, path string) {
	if s.Prompts.Open == "" {
		f.add(path+".prompts.open", "stage %s has no words to open with", s.ID)
	}
	if s.Responder == ByReport {
		f.telling(d, s, path)
	}
	if s.Final {
		return
	}
	f.optional(path+".turn", "manner of turn-taking", s.Turn, manners)
	f.optional(path+".expect", "kind of answer", s.Expect, answers)
	f.optional(path+".responder", "responder", s.Responder, responders)
	f.slots(s, path)
	f.limits(s, path)
	f.ladder(d, s, path)
	f.criteria(s, path)
	f.expand(d, s, path)
	f.gate(s, path)
	f.skip(s, path)
	f.edges(d, s, path)
	if s.Responder == ByExperts && s.Fallback == "" {
		f.add(path+".fallback", "name the prompt that stands in for the expert of stage %s when it cannot answer", s.ID)
	}
	f.reference(d, path+".reference", s.Reference)
	if s.Responder == ByReport {
		return // it ends when the report was told
	}
	if s.Done.Zero() {
		f.add(path+".done", "stage %s has no guard that ends it, such as {turns: 3}", s.ID)
		return
	}
	f.guard(d, s, s.Done, path+".done")
}

func (f *findings) slots(s *Stage, path string) {
	seen := make(map[string]bool)
	for i, slot := range s.Slots {
		at := fmt.Sprintf("%s.slots[%d]", path, i)
		if !namePattern.MatchString(slot.ID) {
			f.add(at+".id", "slot id %q must be a lower-case name", slot.ID)
		}
		if seen[slot.ID] {
			f.add(at+".id", "slot %q is there twice", slot.ID)
		}
		seen[slot.ID] = true
		f.optional(at+".expect", "kind of answer", slot.Expect, answers)
		if slot.Required && slot.Ask == "" && !slot.Opening {
			f.add(at, "slot %q is required, but nothing asks for it: add ask", slot.ID)
		}
	}
}

func (f *findings) limits(s *Stage, path string) {
	l := s.Limits
	for _, v := range []struct {
		name string
		bad  bool
	}{
		{"hard", l.Hard < 0}, {"grace", l.Grace < 0}, {"turn_time", l.TurnTime < 0}, {"turn_words", l.TurnWords < 0},
		{"followups", l.FollowUps < 0}, {"think", l.Think < 0}, {"soft", l.Soft < 0}, {"turns", l.Turns < 0}, {"hints", l.Hints < 0},
	} {
		if v.bad {
			f.add(path+".limits."+v.name, "a limit cannot be negative")
		}
	}
	if l.Hard > 0 && l.Hard.Std() < 10*time.Second {
		f.add(path+".limits.hard", "%s is too short for anybody to say anything: at least 10s", l.Hard.Std())
	}
	if l.Hard > 0 && l.Soft >= l.Hard {
		f.add(path+".limits.soft", "the soft limit must come before the hard one, %s", l.Hard.Std())
	}
}

func (f *findings) ladder(d *Definition, s *Stage, path string) {
	var before Duration
	advances := false
	for i, r := range s.NoInput {
		at := fmt.Sprintf("%s.no_input[%d]", path, i)
		if r.After <= before {
			f.add(at+".after", "the rungs must rise: %s is not after %s", r.After.Std(), before.Std())
		}
		before = r.After
		f.rung(r.Do, at+".do")
		if r.NearDeadline != "" {
			f.rung(r.NearDeadline, at+".near_deadline")
		}
		advances = advances || r.Do == DoAdvance
	}
	if s.Limits.Hard == 0 && !advances && !d.capped(s) && s.Responder != ByReport {
		f.add(path, "no timer can leave stage %s: give it limits.hard or a no_input rung that does advance", s.ID)
	}
}

// capped reports whether a group's time bounds the stage.
func (d *Definition) capped(s *Stage) bool {
	return slices.ContainsFunc(d.Groups(), func(g *Stage) bool { return g.Limits.Hard > 0 && slices.Contains(s.groups, g.ID) })
}

func (f *findings) rung(do, at string) {
	if !slices.Contains(moves, do) {
		f.add(at, "%q is none of %s, %s, %s", do, DoReprompt, DoSimplify, DoAdvance)
	}
}
