package definition

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	kindPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	stagePattern  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	localePattern = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
	toolPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// Intents are the meanings a guard may wait for; stages/understand recognises them.
var Intents = []string{"done", "think", "repeat", "refuse", "end"}

// check finds what is wrong beyond the shape.
func (f *findings) check(d *Definition) {
	if !kindPattern.MatchString(d.Kind) {
		f.add("kind", "kind %q must be a lower-case name such as two_stage", d.Kind)
	}
	if d.Title == "" {
		f.add("title", "give the interview a title: people choose it by that")
	}
	if len(d.Locales) == 0 {
		f.add("locales", "name at least one language, such as [en]")
	}
	for i, l := range d.Locales {
		if !localePattern.MatchString(l) {
			f.add(fmt.Sprintf("locales[%d]", i), "%q is not a language tag such as en or zh-CN", l)
		}
	}
	if d.System == "" {
		f.add("system", "name the prompt that tells a model its role")
	}
	f.stages(d)
}

func (f *findings) stages(d *Definition) {
	if len(d.Stages) < 2 {
		f.add("stages", "an interview needs at least one stage and a final one")
		return
	}
	seen := make(map[string]bool)
	for i := range d.Stages {
		s, path := &d.Stages[i], fmt.Sprintf("stages[%d]", i)
		if !stagePattern.MatchString(s.ID) {
			f.add(path+".id", "stage id %q must be a name such as SELF_INTRO", s.ID)
		}
		if seen[s.ID] {
			f.add(path+".id", "stage id %q is used twice", s.ID)
		}
		seen[s.ID] = true
		last := i == len(d.Stages)-1
		switch {
		case s.Final && !last:
			f.add(path+".final", "stage %s is final, so the stages after it can never be reached", s.ID)
		case !s.Final && last:
			f.add(path, "the last stage, %s, must be final: true, or the interview has no end", s.ID)
		}
		f.stage(s, path)
	}
}

func (f *findings) stage(s *Stage, path string) {
	if s.Prompts.Open == "" {
		f.add(path+".prompts.open", "stage %s has no words to open with", s.ID)
	}
	if s.Final {
		return
	}
	if s.Turn != "" && !slices.Contains([]string{"patient", "brisk", "manual"}, s.Turn) {
		f.add(path+".turn", "%q is none of patient, brisk, manual", s.Turn)
	}
	f.slots(s, path)
	f.tools(s, path)
	f.limits(s, path)
	f.ladder(s, path)
	if s.Done.Zero() {
		f.add(path+".done", "stage %s has no guard that ends it, such as {turns: 3}", s.ID)
		return
	}
	f.guard(s, s.Done, path+".done")
}

func (f *findings) slots(s *Stage, path string) {
	seen := make(map[string]bool)
	for i, slot := range s.Slots {
		at := fmt.Sprintf("%s.slots[%d]", path, i)
		if !toolPattern.MatchString(slot.ID) {
			f.add(at+".id", "slot id %q must be a lower-case name", slot.ID)
		}
		if seen[slot.ID] {
			f.add(at+".id", "slot %q is there twice", slot.ID)
		}
		seen[slot.ID] = true
		if slot.Required && slot.Ask == "" && !slot.Opening {
			f.add(at, "slot %q is required, but nothing asks for it: add ask", slot.ID)
		}
	}
}

func (f *findings) tools(s *Stage, path string) {
	seen := make(map[string]bool)
	for i, tool := range s.Tools {
		at := fmt.Sprintf("%s.tools[%d]", path, i)
		if tool.Use != ToolComplete && tool.Use != ToolNote {
			f.add(at+".use", "unknown tool %q: there are %s and %s", tool.Use, ToolComplete, ToolNote)
		}
		if !toolPattern.MatchString(tool.As) {
			f.add(at+".as", "the model needs a lower-case name for the tool, not %q", tool.As)
		}
		if seen[tool.As] {
			f.add(at+".as", "two tools are called %q", tool.As)
		}
		seen[tool.As] = true
	}
}

func (f *findings) limits(s *Stage, path string) {
	l := s.Limits
	for _, v := range []struct {
		name string
		bad  bool
	}{
		{"hard", l.Hard < 0}, {"grace", l.Grace < 0}, {"turn_time", l.TurnTime < 0}, {"turn_words", l.TurnWords < 0},
		{"followups", l.FollowUps < 0}, {"think", l.Think < 0},
	} {
		if v.bad {
			f.add(path+".limits."+v.name, "a limit cannot be negative")
		}
	}
	if l.Hard > 0 && l.Hard.Std() < 10*time.Second {
		f.add(path+".limits.hard", "%s is too short for anybody to say anything: at least 10s", l.Hard.Std())
	}
}

func (f *findings) ladder(s *Stage, path string) {
	var before Duration
	advances := false
	for i, r := range s.NoInput {
		at := fmt.Sprintf("%s.no_input[%d]", path, i)
		if r.After <= before {
			f.add(at+".after", "the rungs must rise: %s is not after %s", r.After.Std(), before.Std())
		}
		before = r.After
		f.rung(r.Do, at+".do", false)
		f.rung(r.NearDeadline, at+".near_deadline", true)
		advances = advances || r.Do == DoAdvance
	}
	if s.Limits.Hard == 0 && !advances {
		f.add(path, "no timer can leave stage %s: give it limits.hard or a no_input rung that does advance", s.ID)
	}
}

func (f *findings) rung(do, at string, optional bool) {
	if optional && do == "" {
		return
	}
	if do != DoReprompt && do != DoSimplify && do != DoAdvance {
		f.add(at, "%q is none of %s, %s, %s", do, DoReprompt, DoSimplify, DoAdvance)
	}
}

func (f *findings) guard(s *Stage, g Guard, path string) {
	var set []string
	note := func(name string, is bool) {
		if is {
			set = append(set, name)
		}
	}
	note("all", g.All != nil)
	note("any", g.Any != nil)
	note("not", g.Not != nil)
	note("slots", g.Slots != "")
	note("slot", g.Slot != "")
	note("intent", g.Intent != "")
	note("turns", g.Turns != 0)
	note("followups", g.FollowUps != 0)
	note("elapsed", g.Elapsed != 0)
	if len(set) != 1 {
		f.add(path, "a guard says exactly one thing, not %d (%s)", len(set), strings.Join(set, ", "))
	}
	if g.Slots != "" && g.Slots != "required" && g.Slots != "all" {
		f.add(path+".slots", "%q is neither required nor all", g.Slots)
	}
	if g.Slot != "" && s.Slot(g.Slot) == nil {
		f.add(path+".slot", "stage %s has no slot %q", s.ID, g.Slot)
	}
	if g.Intent != "" && !slices.Contains(Intents, g.Intent) {
		f.add(path+".intent", "unknown intent %q: there are %s", g.Intent, strings.Join(Intents, ", "))
	}
	if g.Turns < 0 || g.FollowUps < 0 || g.Elapsed < 0 {
		f.add(path, "a guard's number cannot be negative")
	}
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
