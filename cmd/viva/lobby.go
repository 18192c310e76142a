package main

import (
	"slices"

	"github.com/vivavoice/viva/agent"
)

// lobby is what the candidate's page offers: the interviews, their languages, and what may be chosen before they begin.
// records says that this worker can keep sound.
func lobby(kinds []agent.Kind, companies []string, records bool) []agent.Kind {
	out := slices.Clone(kinds)
	for n := range out {
		k := &out[n]
		k.Recorded = records && k.Recorded
		k.Vars = slices.Clone(k.Vars)
		for i := range k.Vars {
			if v := &k.Vars[i]; v.Company {
				for _, name := range companies {
					v.Choices = append(v.Choices, agent.Choice{Value: name})
				}
			}
		}
	}
	return out
}
