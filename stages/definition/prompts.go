package definition

import (
	"fmt"
	"maps"
	"slices"
)

// PromptUse is a place that names a prompt.
type PromptUse struct {
	Path, ID string
	Sub      bool // it is said in a sub-phase
	Gap      bool // it is said about a missing topic
	Picked   bool // it is said about a piece of what was just said
}

// PromptUses lists the places that name prompts, in order.
func (d *Definition) PromptUses() []PromptUse {
	var out []PromptUse
	for i := range d.Stages {
		out = append(out, d.Stages[i].promptUses(d.Path(d.Stages[i].ID))...)
	}
	if d.Recording != nil {
		out = append(out, PromptUse{Path: "recording.notice", ID: d.Recording.Notice})
	}
	in, r := d.Input, d.Recovery
	out = append(out, PromptUse{Path: "input.empty", ID: in.Empty}, PromptUse{Path: "input.short", ID: in.Short},
		PromptUse{Path: "input.repeated", ID: in.Repeated}, PromptUse{Path: "input.off", ID: in.Off}, PromptUse{Path: "input.help_mode", ID: in.HelpMode},
		PromptUse{Path: "recovery.hold_prompt", ID: r.HoldPrompt}, PromptUse{Path: "recovery.sorry", ID: r.Sorry})
	return slices.DeleteFunc(out, func(u PromptUse) bool { return u.ID == "" })
}

// PromptIDs lists every prompt id that the definition names, in order of appearance.
func (d *Definition) PromptIDs() []string {
	var ids []string
	for _, u := range d.PromptUses() {
		if !slices.Contains(ids, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

func (s *Stage) promptUses(at string) []PromptUse {
	expanded := s.Expand != ""
	out := s.Prompts.uses(at+".prompts", expanded)
	if s.Single != nil {
		out = append(out, s.Single.uses(at+".single", false)...)
	}
	for k, slot := range s.Slots {
		out = append(out, PromptUse{Path: fmt.Sprintf("%s.slots[%d].ask", at, k), ID: slot.Ask},
			PromptUse{Path: fmt.Sprintf("%s.slots[%d].take_up", at, k), ID: slot.TakeUp, Picked: true})
	}
	sub := expanded && s.Single == nil
	for k, id := range s.Hints {
		out = append(out, PromptUse{Path: fmt.Sprintf("%s.hints[%d]", at, k), ID: id, Sub: sub})
	}
	if g := s.Gate; g != nil {
		out = append(out, PromptUse{Path: at + ".gate.hold_prompt", ID: g.HoldPrompt, Sub: sub},
			PromptUse{Path: at + ".gate.passed", ID: g.Passed, Sub: expanded}, PromptUse{Path: at + ".gate.continue", ID: g.Continue, Sub: expanded, Gap: true})
	}
	for _, line := range [][2]string{
		{".support", s.Support}, {".fallback", s.Fallback}, {".no_answer", s.NoAnswer},
		{".skip.refuse", s.Skip.Refuse}, {".skip.allow", s.Skip.Allow}, {".skip.offer", s.Skip.Offer},
	} {
		out = append(out, PromptUse{Path: at + line[0], ID: line[1], Sub: sub})
	}
	return out
}

func (p *Prompts) uses(at string, sub bool) []PromptUse {
	out := []PromptUse{{Path: at + ".take_up", ID: p.TakeUp, Sub: sub, Picked: true}}
	for _, line := range [][2]string{
		{".open", p.Open}, {".bridge", p.Bridge}, {".forced", p.Forced}, {".known", p.Known}, {".more", p.More}, {".summary", p.Summary},
		{".step_in", p.StepIn}, {".think", p.Think}, {".welcome", p.Welcome}, {".decline", p.Decline}, {".ack", p.Ack}, {".point", p.Point},
	} {
		out = append(out, PromptUse{Path: at + line[0], ID: line[1], Sub: sub})
	}
	for _, phase := range slices.Sorted(maps.Keys(p.Probes)) {
		out = append(out, PromptUse{Path: at + ".probes." + phase, ID: p.Probes[phase], Sub: sub})
	}
	for i, id := range p.Topics {
		out = append(out, PromptUse{Path: fmt.Sprintf("%s.topics[%d]", at, i), ID: id, Sub: sub})
	}
	return out
}
