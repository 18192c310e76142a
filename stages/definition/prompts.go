package definition

import (
	"maps"
	"slices"
)

// PromptIDs lists every prompt id that the definition names, in order of appearance.
func (d *Definition) PromptIDs() []string {
	var ids []string
	for i := range d.Stages {
		ids = append(ids, d.Stages[i].promptIDs()...)
	}
	if d.Recording != nil {
		ids = append(ids, d.Recording.Notice)
	}
	in, r := d.Input, d.Recovery
	return compact(append(ids, in.Empty, in.Short, in.Repeated, in.Off, in.HelpMode, r.HoldPrompt, r.Sorry))
}

func (s *Stage) promptIDs() []string {
	ids := s.Prompts.ids()
	if s.Single != nil {
		ids = append(ids, s.Single.ids()...)
	}
	for _, slot := range s.Slots {
		ids = append(ids, slot.Ask)
	}
	if g := s.Gate; g != nil {
		ids = append(ids, g.HoldPrompt, g.Passed, g.Continue)
	}
	ids = append(ids, s.Hints...)
	return append(ids, s.Support, s.Fallback, s.NoAnswer, s.Skip.Refuse, s.Skip.Allow, s.Skip.Offer)
}

func (p *Prompts) ids() []string {
	ids := []string{p.Open, p.Bridge, p.Forced, p.StepIn, p.Think, p.Welcome, p.Decline, p.Ack, p.Point, p.Known, p.More, p.Summary}
	for _, phase := range slices.Sorted(maps.Keys(p.Probes)) {
		ids = append(ids, p.Probes[phase])
	}
	return append(ids, p.Topics...)
}

func compact(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	out := ids[:0]
	for _, id := range ids {
		if id != "" && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
